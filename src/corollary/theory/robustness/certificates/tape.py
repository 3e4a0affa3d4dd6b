r"""A module as a tape: the operations that one sample passes through.

The module is read with ``torch.export``, which runs it once without numbers and writes down every
operation of torch, whatever mix of layers, functions, methods, hooks and in-place steps it is
written in. A forward pass that branches on numbers is refused there. What does not depend on the
input is computed once and kept. The tape is for one sample: an operation that mixes the samples of
a batch is refused, so the tape serves batches of any size.
"""

import contextlib
import io
import logging
import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.utils._pytree import tree_map

from corollary.errors import InputTypeError, NotApplicableError
from corollary.theory.robustness.attack import borrowed

SAMPLES = 2  # of the batch that is traced
# Their sizes begin with that of the batch; elsewhere it does not occur.
SIZED = ("view", "reshape", "expand", "_unsafe_view", "broadcast_to", "unflatten")
# Constants among their arguments may have been made for the batch (zeros like the input, say).
ELEMENTWISE = ("add", "sub", "rsub", "mul", "div", "cat", "stack", "maximum", "minimum")
# Only the shape of their input matters.
SHAPED = ("ones_like", "zeros_like", "full_like", "empty_like", "new_zeros", "new_ones", "new_full")
NO_RESULT = ("_assert_tensor_metadata", "_assert_scalar", "sym_constrain_range_for_size")


@dataclass(frozen=True)
class Ref:
    """The result of an earlier call, as an argument."""

    index: int


@dataclass(frozen=True)
class Call:
    """One operation on values that depend on the input. Value 0 of the tape is the input."""

    op: str  # name in ATen, without its overload
    path: str  # of the module that called it
    target: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    shape: tuple[int, ...]  # of one sample's result
    picked: int | None = None  # which of several results
    inputs: tuple[int, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        found: list[int] = []
        _each_ref((self.args, self.kwargs), found)
        object.__setattr__(self, "inputs", tuple(found))

    def __call__(self, *values: Tensor) -> Tensor:
        """The result for batches of any size, one value for each of ``inputs``."""
        held, n = iter(values), len(values[0])

        def fill(part: Any) -> Any:
            return next(held) if isinstance(part, Ref) else part

        args = [tree_map(fill, a, is_leaf=_is_ref) for a in self.args]
        kwargs = {k: tree_map(fill, v, is_leaf=_is_ref) for k, v in self.kwargs.items()}
        if self.op in SIZED and args[1][0] == SAMPLES:
            args[1] = [n, *args[1][1:]]
        if self.op in ("cat", "stack"):
            args[0] = [p if len(p) == n else p.expand(n, *p.shape[1:]) for p in args[0]]
        result = self.target(*args, **kwargs)
        return result if self.picked is None else result[self.picked]

    def option(self, place: int, name: str, default: Any = None) -> Any:
        """An argument by place or by name."""
        return self.args[place] if len(self.args) > place else self.kwargs.get(name, default)

    def check_samples(self, shapes: list[tuple[int, ...]], like: Tensor) -> None:
        """Two samples together give what they give apart; raises if they do not."""
        rng = torch.Generator(like.device).manual_seed(0)
        options: Any = {"generator": rng, "device": like.device, "dtype": like.dtype}
        drawn = [torch.rand(SAMPLES, *shape, **options) for shape in shapes]
        together = self(*drawn)
        apart = torch.cat([self(*[d[i : i + 1] for d in drawn]) for i in range(SAMPLES)])
        if together.shape != apart.shape or not torch.allclose(together, apart, 1e-3, 1e-4):
            raise self.refusal("mixes the samples of a batch")

    def refusal(self, why: str = "is not known") -> NotApplicableError:
        """The error that names this operation and where it is."""
        where = f"in '{self.path}'" if self.path else "of the module itself"
        return NotApplicableError(
            f"no bounds can be had for the operation '{self.op}' {where}: it {why}; certify the "
            "part of the network without it, or replace it"
        )


@dataclass(frozen=True)
class Tape:
    """The calls in their order; value i + 1 is the result of call i."""

    calls: tuple[Call, ...]
    shape: tuple[int, ...]  # of one input
    output: int  # which value is the output

    def value_shape(self, index: int) -> tuple[int, ...]:
        """Shape of one sample's value."""
        return self.shape if index == 0 else self.calls[index - 1].shape


def read(model: nn.Module, x: Tensor) -> Tape:
    """The tape of a module in evaluation mode, for inputs shaped like those of ``x``.

    Example:
        >>> net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Linear(4, 2))
        >>> [call.op for call in read(net, torch.zeros(1, 3)).calls]
        ['linear', 'relu', 'linear']
    """
    if not isinstance(model, nn.Module):
        raise InputTypeError(f"a torch.nn.Module is needed, but {type(model).__name__} came")
    example = x[:1].detach().expand(SAMPLES, *x.shape[1:]).contiguous()
    with borrowed(model), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = _exported(model, example)
        return _Reader(program).tape(tuple(x.shape[1:]))


def _exported(model: nn.Module, example: Tensor) -> Any:
    logged = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # export reports at length what the error below says
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            program = torch.export.export(model, (example,), strict=False)
            # Written without in-place steps, which takes longer than the rest; most need it not.
            return program.run_decompositions({}) if _writes(program) else program
    except Exception as error:  # noqa: BLE001 - export raises many kinds, all for one reason
        told = str(error).strip().split("\n")[0][:200]
        raise NotApplicableError(
            f"{type(model).__name__} cannot be read as a list of operations ({told}); pass a "
            "module of one input whose forward pass does not branch on numbers"
        ) from None
    finally:
        logging.disable(logged)


def _writes(program: Any) -> bool:
    schemas = (getattr(n.target, "_schema", None) for n in program.graph.nodes)
    return any(schema is not None and schema.is_mutable for schema in schemas)


class _Reader:
    """Walks an exported graph."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.known: dict[str, Any] = {}  # node -> Ref, constant, or call with several results
        self.calls: list[Call] = []

    def tape(self, shape: tuple[int, ...]) -> Tape:
        signature = self.program.graph_signature
        held = dict(self.program.state_dict) | dict(self.program.constants)
        targets = {spec.arg.name: spec.target for spec in signature.input_specs}
        inputs = [name for name in signature.user_inputs if isinstance(name, str)]
        for node in self.program.graph.nodes:
            if node.op == "placeholder":
                if node.name in inputs:
                    self.known[node.name] = Ref(0)
                else:
                    self.known[node.name] = held[targets[node.name]].detach().clone()
            elif node.op == "get_attr":
                self.known[node.name] = getattr(self.program.graph_module, node.target)
            elif node.op == "call_function":
                self._read(node)
        outputs = [name for name in signature.user_outputs if isinstance(name, str)]
        end = self.known.get(outputs[0]) if len(outputs) == 1 else None
        if not isinstance(end, Ref):
            raise NotApplicableError(
                "bounds need a module that returns one tensor which depends on its input; wrap it "
                "so that it does"
            )
        return _pruned(self.calls, shape, end.index)

    def _read(self, node: fx.Node) -> None:
        args, kwargs = fx.node.map_arg((node.args, node.kwargs), lambda n: self.known[n.name])
        if node.target is operator.getitem:
            self.known[node.name] = self._picked(node, *args)
            return
        refs: list[int] = []
        _each_ref((args, kwargs), refs)
        op = _op(node)
        if op in SHAPED:
            args = [_zeros(a) if isinstance(a, fx.Node) else a for a in node.args]
            self.known[node.name] = node.target(*args, **kwargs)  # type: ignore[operator]
        elif not refs:
            self.known[node.name] = node.target(*args, **kwargs)  # type: ignore[operator]
        elif op not in NO_RESULT:
            value = node.meta["val"]
            several = not isinstance(value, Tensor)
            call = Call(op, _path(node), node.target, args, kwargs, ())  # type: ignore[arg-type]
            self.known[node.name] = call if several else self._kept(call, value, None)

    def _picked(self, node: fx.Node, source: Any, index: int) -> Any:
        if isinstance(source, Call):
            return self._kept(source, node.meta["val"], index)
        return source[index]

    def _kept(self, call: Call, value: Tensor, picked: int | None) -> Ref:
        if not value.shape or value.shape[0] != SAMPLES:
            raise call.refusal("mixes the samples of a batch")
        args = call.args
        if call.op in ELEMENTWISE:
            args = tree_map(lambda p: _one_sample(p, value.dim(), call), args, is_leaf=_is_ref)
        made = Call(
            call.op, call.path, call.target, args, call.kwargs, tuple(value.shape[1:]), picked
        )
        self.calls.append(made)
        return Ref(len(self.calls))


def _zeros(node: fx.Node) -> Tensor:
    value = node.meta["val"]
    return torch.zeros(value.shape, dtype=value.dtype, device=value.device)


def _pruned(calls: list[Call], shape: tuple[int, ...], end: int) -> Tape:
    """Without calls that the output does not depend on."""
    needed = {end}
    for index in range(end, 0, -1):
        if index in needed:
            needed.update(calls[index - 1].inputs)
    places = {0: 0}
    kept: list[Call] = []
    for index in sorted(needed - {0}):
        call = calls[index - 1]
        args, kwargs = tree_map(
            lambda p: Ref(places[p.index]) if isinstance(p, Ref) else p,
            (call.args, call.kwargs),
            is_leaf=_is_ref,
        )
        kept.append(replace(call, args=args, kwargs=kwargs))
        places[index] = len(kept)
    return Tape(tuple(kept), shape, places[end])


def _one_sample(part: Any, axes: int, call: Call) -> Any:
    """A constant that was made for the batch, for one sample."""
    if not isinstance(part, Tensor) or part.dim() < axes or part.shape[0] != SAMPLES:
        return part
    if not torch.equal(part[:1].expand_as(part), part):
        raise call.refusal("treats the samples of a batch differently")
    return part[:1]


def _each_ref(part: Any, found: list[int]) -> None:
    """Collect references in the order in which tree_map meets them."""
    tree_map(lambda p: found.append(p.index) if isinstance(p, Ref) else None, part, is_leaf=_is_ref)


def _is_ref(part: Any) -> bool:
    return isinstance(part, Ref)


def _op(node: fx.Node) -> str:
    schema = getattr(node.target, "_schema", None)
    return schema.name.split("::")[-1] if schema is not None else str(node.target)


def _path(node: fx.Node) -> str:
    stack = list(node.meta.get("nn_module_stack", {}).values())
    return str(stack[-1][0]) if stack else ""
