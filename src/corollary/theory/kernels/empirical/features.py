"""All gradients of a block of samples, layer by layer, in factors."""

import warnings
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from corollary.errors import InputError, NotFiniteError
from corollary.theory.kernels.empirical.axes import Arrange, arrangement
from corollary.theory.kernels.empirical.jacobians import jacobian_rows
from corollary.theory.kernels.empirical.layers import Explicit, Factors, Outer, Tokens
from corollary.theory.kernels.empirical.recording import Call, Tape, record
from corollary.theory.kernels.empirical.samples import (
    Inputs,
    Read,
    check_alike,
    chosen,
    count,
    rows,
)

Use = tuple[int, str]  # number of the call, name of the parameter in its layer


@dataclass(frozen=True)
class Piece:
    """Parameters that are contracted together: a weight, with its bias where it is the only use."""

    path: str
    uses: tuple[Use, ...]
    fused: bool = False


class Gradients:
    """The gradients of a module's outputs at its present parameters.

    Args:
        model: In the mode in which it is to be read.
        x: Samples; the first one is used to find out how the module treats them.
        read: From what the module returns to a tensor; None takes it as it is.
        outputs: Which outputs; None takes all.
        structured: False writes all gradients down.
    """

    def __init__(
        self,
        model: nn.Module,
        x: Inputs,
        read: Read | None,
        outputs: int | list[int] | tuple[int, ...] | None,
        *,
        structured: bool = True,
    ) -> None:
        self.model, self.read = model, read
        self.names = {p: name for name, p in model.named_parameters() if p.requires_grad}
        if not self.names:
            raise InputError(
                f"{type(model).__name__} has no trainable parameters, so no tangent kernel; "
                "call requires_grad_() on what is to be trained"
            )
        self.probe = self._record(rows(x, slice(0, 1)))
        self.outputs = chosen(outputs, self.probe.f.shape[1])
        n = count(x)
        pair = self.probe if n == 1 else self._record(rows(x, slice(0, 2)))
        check_alike(pair.f, self.probe.f)
        self.arrange: list[Arrange | None] = []
        self.loose = self._loose(pair, min(n, 2)) if structured else list(self.names)
        self.pieces = self._pieces()

    @property
    def bytes_per_sample(self) -> int:
        """Memory that the factors of one sample take."""
        c, total = len(self.outputs), 0
        for call in self.probe.calls:
            weight = call.settings.get("weight")
            taps = 1 if weight is None else weight.shape[2:].numel()  # of a convolution
            total += taps * call.a.numel() + c * call.shape.numel()
        total += c * sum(p.numel() for p in self.loose)
        return total * self.probe.f.element_size()

    def of(self, x: Inputs) -> dict[str, list[Factors]]:
        """Factors of every layer for these samples."""
        out: dict[str, list[Factors]] = {}
        if self.pieces:
            tape = self._record(x)
            self._check(tape)
            for path, factors in self._structured(tape, count(x)):
                out.setdefault(path, []).append(factors)
        if self.loose:
            for p, j in jacobian_rows(self.model, x, self.read, self.outputs, self.loose).items():
                out.setdefault(self._owner(p), []).append(Explicit(j))
        return out

    def _record(self, x: Inputs) -> Tape:
        return record(self.model, x, self.read, list(self.names))

    def _owner(self, p: nn.Parameter) -> str:
        return self.names[p].rpartition(".")[0] or self.names[p]

    def _loose(self, pair: Tape, n: int) -> list[nn.Parameter]:
        """Parameters that no rule covers: used elsewhere, or by layers that cannot be read."""
        found = {id(p) for p in pair.loose(list(self.names))}
        matched = len(pair.calls) == len(self.probe.calls)
        for k, call in enumerate(pair.calls):
            arrange = None
            if matched and self.probe.calls[k].rule is call.rule:
                first = call.rule.samples_first
                arrange = arrangement(call.a, self.probe.calls[k].a, n, samples_first=first)
            self.arrange.append(arrange)
            if arrange is None:
                found |= {id(part.parameter) for part in call.parts.values()}
        found |= {id(p) for p in _cut_differently(pair)}
        return [p for p in self.names if id(p) in found]

    def _pieces(self) -> list[Piece]:
        loose = {id(p) for p in self.loose}
        uses: dict[Any, list[Use]] = {}
        for k, call in enumerate(self.probe.calls):
            for name, part in call.parts.items():
                if id(part.parameter) not in loose:
                    uses.setdefault(part.key, []).append((k, name))
        pieces, fused = [], set()
        for where in uses.values():
            call = self.probe.calls[where[0][0]]
            part = call.parts[where[0][1]]
            bias = uses.get(call.parts["bias"].key, []) if "bias" in call.parts else []
            alone = len(where) == len(bias) == 1 and bias[0][0] == where[0][0]
            join = where[0][1] == "weight" and alone and call.rule.fused
            join = join and call.settings.get("groups", 1) == 1
            if join:
                fused.add(bias[0])
            if not (len(where) == 1 and where[0] in fused):
                pieces.append(Piece(self._owner(part.parameter), tuple(where), join))
        return pieces

    def _check(self, tape: Tape) -> None:
        if not bool(torch.isfinite(tape.f).all()):
            raise NotFiniteError(f"{type(self.model).__name__} gives outputs that are not finite")
        keys = [
            [part.key for c in t.calls for part in c.parts.values()] for t in (tape, self.probe)
        ]
        same = keys[0] == keys[1]
        if not same or any(c.a._version != c.version for c in tape.calls):
            raise InputError(
                "the layers that run depend on the inputs, or inputs of layers are overwritten; "
                "pass method='jacobian'"
            )

    def _structured(self, tape: Tape, n: int) -> list[tuple[str, Factors]]:
        every = self.outputs == list(range(tape.f.shape[1]))
        f = tape.f if every else tape.f[:, self.outputs]
        g = _output_gradients(f, tape.calls)
        arranged = {
            k: (arrange(call.a, n, 0), arrange(g[k], n, 1))
            for k, (call, arrange) in enumerate(zip(tape.calls, self.arrange, strict=True))
            if arrange is not None and g[k] is not None
        }
        out = []
        for piece in self.pieces:
            parts = [
                _factors(tape.calls[k], name, *arranged[k], fused=piece.fused)
                for k, name in piece.uses
                if k in arranged
            ]
            if parts:
                out.append((piece.path, parts[0] if len(parts) == 1 else _joined(parts)))
        return out


def _cut_differently(tape: Tape) -> list[nn.Parameter]:
    """Parameters of which overlapping blocks are used, that are not the same block."""
    spans: dict[nn.Parameter, set[tuple[int, int]]] = {}
    for call in tape.calls:
        for part in call.parts.values():
            spans.setdefault(part.parameter, set()).add((part.start, part.start + part.size))
    return [
        p
        for p, found in spans.items()
        if any(first[1] > second[0] for first, second in pairwise(sorted(found)))
    ]


def _factors(call: Call, name: str, a: Tensor, g: Tensor, *, fused: bool) -> Factors:
    factors = call.rule.gradients[name](call.settings, a, g)
    return replace(factors, bias=True) if fused and isinstance(factors, Outer) else factors


def _joined(parts: list[Factors]) -> Factors:
    """One parameter used several times: its gradients add up."""
    layouts = {f.transposed if isinstance(f, Outer) else None for f in parts}
    if len(layouts) == 1 and None not in layouts:
        return Outer(torch.cat([f.a for f in parts], 1), torch.cat([f.g for f in parts], 2))
    if all(isinstance(f, Tokens) for f in parts):
        ids = torch.cat([f.ids for f in parts], 1)
        return Tokens(ids, torch.cat([f.g for f in parts], 2), parts[0].rows)
    return Explicit(sum(f.explicit() for f in parts))


def _output_gradients(f: Tensor, calls: list[Call]) -> list[Tensor | None]:
    """(c, ...) for every call: derivatives of all outputs with respect to what the layer gave."""
    edges = [call.edge for call in calls]
    total = f.sum(0)
    eye = torch.eye(len(total), dtype=f.dtype, device=f.device)
    if len(eye) == 1:
        return _one_by_one(total, edges, eye)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="There is a performance drop")
            return list(
                torch.autograd.grad(
                    total, edges, eye, retain_graph=True, is_grads_batched=True, allow_unused=True
                )
            )
    except (RuntimeError, UserWarning):  # an operation that cannot be batched
        return _one_by_one(total, edges, eye)


def _one_by_one(total: Tensor, edges: list, eye: Tensor) -> list[Tensor | None]:
    found = [
        torch.autograd.grad(total, edges, row, retain_graph=True, allow_unused=True) for row in eye
    ]
    columns = zip(*found, strict=True)
    return [None if any(g is None for g in column) else torch.stack(column) for column in columns]
