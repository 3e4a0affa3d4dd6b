"""What every layer receives and gives, and which parameters it uses, in one forward pass.

Each call of a function with a rule runs on fresh copies of its parameters. So an original parameter
that the output still depends on is one that is used outside of such calls.
"""

import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.graph import GradientEdge, get_gradient_edge
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from corollary.theory.kernels.empirical.rules import Rule, Settings, rule_of
from corollary.theory.kernels.empirical.samples import Inputs, Read, evaluate


class Part(NamedTuple):
    """A parameter, or a block of it that a view cuts out: ``size`` numbers from ``start`` on."""

    parameter: nn.Parameter
    start: int
    size: int

    @property
    def key(self) -> tuple[int, int, int]:
        """What tells two parts apart."""
        return id(self.parameter), self.start, self.size


@dataclass
class Call:
    """One call of a function: its input, where its output hangs in the graph, its parameters."""

    rule: Rule
    settings: Settings
    a: Tensor
    version: int
    edge: GradientEdge
    shape: torch.Size  # of the output
    parts: dict[str, Part]  # of the trainable parameters, by argument


@dataclass
class Tape:
    """A forward pass."""

    f: Tensor  # (n, c)
    calls: list[Call]

    def used(self) -> list[tuple[int, int, int]]:
        """Keys of the parts of parameters, in the order of their use."""
        return [part.key for call in self.calls for part in call.parts.values()]

    @property
    def head(self) -> int | None:
        """Number of the linear layer whose output is f itself, if there is one.

        An output of it depends on what came before through one row of its weight.
        """
        if not self.calls or not self.f.requires_grad:
            return None
        last, edge = self.calls[-1], get_gradient_edge(self.f)
        linear = last.rule.fused and not last.rule.samples_first and last.a.dim() == 2
        bias = last.settings.get("bias")
        plain = bias is None or "bias" in last.parts or not bias.requires_grad
        direct = linear and plain and last.edge.node is edge.node and "weight" in last.parts
        return len(self.calls) - 1 if direct else None

    def loose(self, parameters: list[nn.Parameter]) -> list[nn.Parameter]:
        """Parameters that are used outside of the recorded calls."""
        if not self.f.requires_grad:
            return []
        grads = torch.autograd.grad(
            self.f.sum(), parameters, allow_unused=True, retain_graph=True, materialize_grads=False
        )
        return [p for p, g in zip(parameters, grads, strict=True) if g is not None]


def record(model: nn.Module, x: Inputs, read: Read | None, parameters: Sequence[Tensor]) -> Tape:
    """Run the module once and note every call that uses one of these parameters by a rule."""
    recorder = _Recorder(parameters)
    with torch.enable_grad(), recorder:
        f = evaluate(model, x, read, type(model).__name__)
    return Tape(f, recorder.calls)


class _Recorder(TorchFunctionMode):
    """Sees all functions of torch that are called while it is active."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        super().__init__()
        self.parameters = {id(p) for p in parameters}
        self.calls: list[Call] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        named = kwargs or {}
        if func is functional.multi_head_attention_forward:
            with self:  # its projections are seen one by one
                return _attention(*args, **named)
        found = rule_of(func, args, named)
        parts = {} if found is None else self._parts(*found)
        if found is None or not parts or not torch.is_grad_enabled():  # or as a constant
            return func(*args, **named)
        rule, settings = found
        fresh = {k: settings[k].detach().requires_grad_() for k in parts}
        args = tuple(fresh.get(k, v) for k, v in zip(rule.arguments, args, strict=False))
        out = func(*args, **{k: fresh.get(k, v) for k, v in named.items()})
        a = settings["input"]
        edge = get_gradient_edge(out)  # what happens in place to `out` later does not matter
        call = Call(rule, settings, a.detach(), a._version, edge, out.shape, parts)
        self.calls.append(call)
        return out

    def _parts(self, rule: Rule, settings: Settings) -> dict[str, Part]:
        parts = {k: self._part(settings.get(k)) for k in rule.gradients}
        return {k: part for k, part in parts.items() if part is not None}

    def _part(self, t: Any) -> Part | None:
        """The trainable parameter that t is, or is a block of."""
        if not isinstance(t, Tensor) or not t.requires_grad:
            return None
        p = t if id(t) in self.parameters else t._base
        if not isinstance(p, nn.Parameter) or id(p) not in self.parameters:
            return None
        dense = t.is_contiguous() or (t.dim() == 2 and t.T.is_contiguous())
        start = int(t.storage_offset() - p.storage_offset())
        return Part(p, start, t.numel()) if dense else None


def _without_overrides(function: Any) -> Any:
    """The same function, except that it does not hand itself over to an active mode."""
    names = {**function.__globals__, "has_torch_function": lambda *_: False}
    copy = types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


_attention = _without_overrides(functional.multi_head_attention_forward)
