r"""A network as a program that stops wherever it bends.

The module is copied in double precision and evaluation mode, traced, and made into steps: *run* a
node, or *stop* at numbers that are affine on every cell so far and whose sign changes are the next
bends. Values are computed at points only.
"""

import copy
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, fx, nn

from corollary.errors import InputError, InputTypeError, NotApplicableError
from corollary.theory.expressivity.regions.reading import Stop, Values, stops_before
from corollary.theory.prerequisites.wellformed import check_at_least, check_no_nan


class Program:
    """The steps of a piecewise-linear network; build it with :meth:`read`.

    Example:
        >>> net = nn.Sequential(nn.Linear(1, 3), nn.ReLU(), nn.Linear(3, 1))
        >>> program = Program.read(net)
        >>> program.pattern(torch.zeros(5, 1, dtype=torch.float64)).shape
        torch.Size([5, 3])
    """

    def __init__(self, graph: fx.GraphModule) -> None:
        self.graph = graph
        self.modules = dict(graph.named_modules())
        self.constants: Values = {}  # nodes that do not depend on the input
        self.steps: list[fx.Node | Stop] = []
        self.input = ""
        depends: set[str] = set()
        for node in graph.graph.nodes:
            if node.op == "placeholder" and not self.input:
                self.input = node.name
                depends.add(node.name)
            elif any(parent.name in depends for parent in node.all_input_nodes):
                depends.add(node.name)
                self.steps += [*stops_before(node, self.modules, depends), node]
            else:
                self.constants[node.name] = self._constant(node)
        self.free = _released(self.steps)

    @classmethod
    def read(cls, model: nn.Module) -> "Program":
        """Trace a module (which is not changed); an unsupported layer is named by its path."""
        if not isinstance(model, nn.Module):
            raise InputTypeError(f"expected a torch.nn.Module, got {type(model).__name__}")
        own = copy.deepcopy(model).cpu().double().eval().requires_grad_(False)
        try:
            graph = fx.symbolic_trace(own)
        except Exception as error:  # whatever a forward pass may raise when it meets symbols
            raise NotApplicableError(
                f"{type(model).__name__} cannot be traced ({error}); pass a module whose "
                "forward pass does not branch on tensors, or a part of the network without "
                "such branches"
            ) from error
        return cls(graph)

    @property
    def merges(self) -> bool:
        """Whether a tournament may cut cells that belong together."""
        return any(isinstance(step, Stop) and step.code is None for step in self.steps)

    @property
    def last_look(self) -> int:
        """The last step that is a stop, or -1."""
        return max((i for i, step in enumerate(self.steps) if isinstance(step, Stop)), default=-1)

    @property
    def layers(self) -> tuple[str, ...]:
        """Paths of the layers that bend, in order."""
        return tuple(s.path for s in self.steps if isinstance(s, Stop) and s.code is not None)

    def start(self, x: Float[Tensor, "n *shape"]) -> Values:
        """Values before the first step."""
        return {self.input: x.clone()}

    @torch.no_grad()
    def advance(self, values: Values, step: int) -> tuple[int, Tensor | None]:
        """Run from ``step`` to the next stop: the step after it, and the columns to look at.

        At the end of the program the columns are ``None`` and ``values["output"]`` is the output.
        """
        while step < len(self.steps):
            doing, step = self.steps[step], step + 1
            if isinstance(doing, Stop):
                return step, doing.columns(values)
            values[doing.name] = self._run(doing, values)
            for name in self.free.get(step - 1, ()):
                values.pop(name, None)
        return step, None

    def until(self, x: Float[Tensor, "n *shape"], stop: int) -> Values:
        """Values at points when step ``stop`` is about to be taken."""
        if not 0 <= stop <= len(self.steps):
            raise InputError(f"the network has steps 0 to {len(self.steps)}, but stop is {stop}")
        values, step = self.start(x), 0
        while step < stop:
            step, _ = self.advance(values, step)
        return values

    def output(self, x: Float[Tensor, "n *shape"]) -> Float[Tensor, "n k"]:
        """The network at points, one row each."""
        out: Tensor = self.until(x, len(self.steps))["output"]
        return out.reshape(len(x), -1)

    def traced(self, x: Float[Tensor, "n *shape"]) -> Float[Tensor, "n k"]:
        """The same as one function that can be differentiated."""
        out: Tensor = self.graph(x)
        return out.reshape(len(x), -1)

    def pattern(
        self, x: Float[Tensor, "n *shape"], *, tolerance: float = 0.0
    ) -> Int[Tensor, "n units"]:
        """The activation pattern at points: on or off a threshold, or the winner of a window.

        Args:
            x: Points.
            tolerance: Numbers up to this share of the layer's largest count as off.
        """
        check_at_least("tolerance", tolerance, 0)
        values, step = self.start(x), 0
        codes = [torch.zeros(len(x), 0, dtype=torch.int16)]
        while step < len(self.steps):
            step, columns = self.advance(values, step)
            stop = self.steps[step - 1]
            if columns is not None and isinstance(stop, Stop) and stop.code is not None:
                code = stop.code(values)
                if code.is_floating_point():
                    check_no_nan("what the units are given", code)
                    code = code > tolerance * code.abs().amax() if tolerance else code > 0
                codes.append(code.to(torch.int16))
        return torch.cat(codes, dim=1)

    def _constant(self, node: fx.Node) -> Any:
        if node.op == "placeholder":
            if not node.args:
                raise NotApplicableError(
                    "expected a network with one input, but forward also takes "
                    f"'{node.target}'; wrap the network in a module that supplies this "
                    "argument"
                )
            return node.args[0]
        return self._run(node, {})

    def _run(self, node: fx.Node, values: Values) -> Any:
        args, kwargs = fx.node.map_arg(
            (node.args, node.kwargs),
            lambda n: values[n.name] if n.name in values else self.constants[n.name],
        )
        if node.op == "output":
            return args[0]
        if node.op == "get_attr":
            return _attribute(self.graph, str(node.target))
        if node.op == "call_module":
            return self.modules[str(node.target)](*args, **kwargs)
        if node.op == "call_method":
            return getattr(args[0], str(node.target))(*args[1:], **kwargs)
        assert callable(node.target)  # what is left is a call of a function
        return node.target(*args, **kwargs)


def joined(old: Values, new: Values) -> Values:
    """Values at the points of both, in this order; both arguments are emptied to save memory."""
    n, k = (len(next(v for v in w.values() if isinstance(v, Tensor))) for w in (old, new))
    return {name: _joined(old.pop(name), new.pop(name), n, n + k) for name in tuple(old)}


def _joined(a: Any, b: Any, before: int, after: int) -> Any:
    if isinstance(a, Tensor):
        return torch.cat([a, b])
    if isinstance(a, tuple | list) and not isinstance(a, torch.Size):
        return type(a)(_joined(p, q, before, after) for p, q in zip(a, b, strict=True))
    return resized(a, before, after)


def resized(value: Any, before: int, after: int) -> Any:
    """Sizes that were read off a batch grow with it.

    Example:
        >>> resized(torch.Size([3, 4]), 3, 5), resized(7, 3, 5)
        (torch.Size([5, 4]), 7)
    """
    if isinstance(value, torch.Size) and value[:1] == (before,):
        return torch.Size((after, *value[1:]))
    return after if isinstance(value, int) and value == before else value


def _attribute(root: nn.Module, path: str) -> Any:
    for part in path.split("."):
        root = getattr(root, part)
    return root


def _released(steps: list[fx.Node | Stop]) -> dict[int, list[str]]:
    """Step -> names that nothing needs after it."""
    last = {
        parent.name: step
        for step, doing in enumerate(steps)
        if isinstance(doing, fx.Node)
        for parent in doing.all_input_nodes
    }
    out: dict[int, list[str]] = {}
    for name, step in last.items():
        out.setdefault(step, []).append(name)
    return out
