"""Modules written down as tapes.

The module is read with ``torch.export``, which runs it once without numbers and writes down every
operation of torch, whatever mix of layers, functions, methods, hooks and in-place steps it is
written in. A forward pass that branches on numbers is refused there. What does not depend on the
input is computed once and kept.
"""

import contextlib
import io
import logging
import operator
import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.utils._pytree import tree_map

from corollary.errors import InputTypeError, NotApplicableError
from corollary.theory.robustness.attack import borrowed
from corollary.theory.robustness.certificates.tape import (
    SAMPLES,
    Call,
    Ref,
    Tape,
    each_ref,
    is_ref,
)

# Constants among their arguments may have been made for the batch (zeros like the input, say).
ELEMENTWISE = ("add", "sub", "rsub", "mul", "div", "cat", "stack", "maximum", "minimum")
# Only the shape of their input matters.
SHAPED = ("ones_like", "zeros_like", "full_like", "empty_like", "new_zeros", "new_ones", "new_full")
NO_RESULT = ("_assert_tensor_metadata", "_assert_scalar", "sym_constrain_range_for_size")


def read(model: nn.Module, x: Tensor) -> Tape:
    """The tape of a module in evaluation mode, for inputs shaped like those of ``x``.

    Example:
        >>> net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Linear(4, 2))
        >>> [call.op for call in read(net, torch.zeros(1, 3)).calls]
        ['linear', 'relu', 'linear']
    """
    script = written(model, x)
    with torch.no_grad():
        return script.tape({name: t.detach().clone() for name, t in script.held(model).items()})


@dataclass(frozen=True)
class Script:
    """A module as ``torch.export`` has written it down: a tape for any weights."""

    program: Any
    shape: tuple[int, ...]  # of one input

    def held(self, model: nn.Module) -> dict[str, Tensor]:
        """The tensors that the operations use, as the module has them now."""
        own: dict[str, Tensor] = dict(model.named_parameters(remove_duplicate=False))
        own |= dict(model.named_buffers(remove_duplicate=False))
        kept = dict(self.program.state_dict) | dict(self.program.constants)
        return {k: own.get(k, t) for k, t in kept.items() if isinstance(t, Tensor)}

    @cached_property
    def as_they_are(self) -> bool:
        """Whether operations use these tensors themselves, and none that is computed from them."""
        of_input: set[fx.Node] = set()
        for node in self.program.graph.nodes:
            parts = node.all_input_nodes
            if node.op == "placeholder" and node.name in self.program.graph_signature.user_inputs:
                of_input.add(node)
            elif of_input.intersection(parts):
                of_input.add(node)
            elif node.op == "call_function" and parts:
                return False
        return True

    def tape(self, held: dict[str, Tensor]) -> Tape:
        """The tape with these tensors; what is computed from them alone is computed here."""
        return _Reader(self.program, held).tape(self.shape)


def written(model: nn.Module, x: Tensor) -> Script:
    """A module in evaluation mode, written down for inputs shaped like those of ``x``.

    Example:
        >>> net = nn.Linear(3, 4)
        >>> written(net, torch.zeros(1, 3)).held(net)["weight"] is net.weight
        True
    """
    if not isinstance(model, nn.Module):
        raise InputTypeError(f"expected a torch.nn.Module, got {type(model).__name__}")
    example = x[:1].detach().expand(SAMPLES, *x.shape[1:]).contiguous()
    with borrowed(model), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Script(_exported(model, example), tuple(x.shape[1:]))


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

    def __init__(self, program: Any, held: dict[str, Tensor]) -> None:
        self.program, self.held = program, held
        self.known: dict[str, Any] = {}  # node -> Ref, constant, or call with several results
        self.calls: list[Call] = []

    def tape(self, shape: tuple[int, ...]) -> Tape:
        signature = self.program.graph_signature
        targets = {spec.arg.name: spec.target for spec in signature.input_specs}
        inputs = [name for name in signature.user_inputs if isinstance(name, str)]
        for node in self.program.graph.nodes:
            if node.op == "placeholder":
                if node.name in inputs:
                    self.known[node.name] = Ref(0)
                else:
                    self.known[node.name] = self.held[targets[node.name]]
            elif node.op == "get_attr":
                self.known[node.name] = getattr(self.program.graph_module, node.target)
            elif node.op == "call_function":
                self._read(node)
        outputs = [name for name in signature.user_outputs if isinstance(name, str)]
        end = self.known.get(outputs[0]) if len(outputs) == 1 else None
        if not isinstance(end, Ref):
            raise NotApplicableError(
                "bounds need a module that returns one tensor, and this tensor must depend "
                "on the input; wrap the module so that it does"
            )
        return _pruned(self.calls, shape, end.index)

    def _read(self, node: fx.Node) -> None:
        args, kwargs = self._filled(node)
        if node.target is operator.getitem:
            self.known[node.name] = self._picked(node, *args)
            return
        target = node.target
        assert callable(target)  # the node calls a function
        refs: list[int] = []
        each_ref((args, kwargs), refs)
        op = _op(node)
        if op in SHAPED:
            zeros = (_zeros(a) if isinstance(a, fx.Node) else a for a in node.args)
            self.known[node.name] = target(*zeros, **kwargs)
        elif not refs:
            self.known[node.name] = target(*args, **kwargs)
        elif op not in NO_RESULT:
            value = node.meta["val"]
            several = not isinstance(value, Tensor)
            call = Call(op, _path(node), target, args, kwargs, ())
            self.known[node.name] = call if several else self._kept(call, value, None)

    def _filled(self, node: fx.Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with what is known in the place of nodes."""
        args, kwargs = fx.node.map_arg((node.args, node.kwargs), lambda n: self.known[n.name])
        return args, kwargs

    def _picked(self, node: fx.Node, source: Any, index: int) -> Any:
        if isinstance(source, Call):
            return self._kept(source, node.meta["val"], index)
        return source[index]

    def _kept(self, call: Call, value: Tensor, picked: int | None) -> Ref:
        if not value.shape or value.shape[0] != SAMPLES:
            raise call.refusal("mixes the samples of a batch")
        args = call.args
        if call.op in ELEMENTWISE:
            args = tree_map(lambda p: _one_sample(p, value.dim(), call), args, is_leaf=is_ref)
        shape = tuple(value.shape[1:])
        made = Call(call.op, call.path, call.target, args, call.kwargs, shape, picked)
        if (inner := self._softsign_of(made)) is not None:
            made = Call("softsign", call.path, nn.functional.softsign, (inner,), {}, shape)
        self.calls.append(made)
        return Ref(len(self.calls))

    def _softsign_of(self, call: Call) -> Ref | None:
        """The value x of a quotient x / (|x| + 1), as which torch writes softsign down."""
        if call.op != "div" or call.kwargs or len(call.inputs) != 2:
            return None
        top, bottom = call.args
        total = self.calls[bottom.index - 1] if bottom.index else None
        if total is None or total.op != "add" or len(total.inputs) != 1 or total.kwargs:
            return None
        if not isinstance(total.args[1], int | float) or total.args[1] != 1:
            return None
        size = self.calls[total.inputs[0] - 1] if total.inputs[0] else None
        same = size is not None and size.op == "abs" and size.args[0] == top
        return top if same else None


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
            is_leaf=is_ref,
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


def _op(node: fx.Node) -> str:
    schema = getattr(node.target, "_schema", None)
    return schema.name.split("::")[-1] if schema is not None else str(node.target)


def _path(node: fx.Node) -> str:
    stack = list(node.meta.get("nn_module_stack", {}).values())
    return str(stack[-1][0]) if stack else ""
