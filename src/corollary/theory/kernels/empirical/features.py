"""All gradients of a block of samples, layer by layer, in factors."""

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from corollary.errors import InputError, NotFiniteError
from corollary.theory.kernels.empirical.axes import Arrange, arrangement
from corollary.theory.kernels.empirical.blocks import Block, Piece, Use
from corollary.theory.kernels.empirical.jacobians import jacobian_rows
from corollary.theory.kernels.empirical.layers import Explicit
from corollary.theory.kernels.empirical.recording import Tape, record
from corollary.theory.kernels.empirical.samples import (
    Inputs,
    Read,
    check_alike,
    chosen,
    count,
    rows,
)


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
                f"{type(model).__name__} has no trainable parameters, so it has no tangent "
                "kernel; call requires_grad_() on the parameters to train"
            )
        self.probe = self._record(rows(x, slice(0, 1)))
        self.outputs = chosen(outputs, self.probe.f.shape[1])
        n = count(x)
        pair = self.probe if n == 1 else self._record(rows(x, slice(0, 2)))
        check_alike(pair.f, self.probe.f)
        self.arrange: list[Arrange | None] = []
        self.loose = self._loose(pair, min(n, 2)) if structured else list(self.names)
        self.pieces = self._pieces()

    def bytes_per_sample(self, *, all_outputs: bool) -> int:
        """Memory that the factors of one sample take; with outputs in turns, unless all at once.

        A layer with many places may have to wait for all outputs in any case.
        """
        c, total = len(self.outputs), 0
        for call in self.probe.calls:
            weight = call.settings.get("weight")
            taps = 1 if weight is None else weight.shape[2:].numel()  # of a convolution
            waits = all_outputs or call.shape.numel() > call.shape[-1]
            total += taps * call.a.numel() + (c if waits else 1) * call.shape.numel()
        total += c * sum(p.numel() for p in self.loose)
        return total * self.probe.f.element_size()

    def of(self, x: Inputs) -> "Block":
        """A forward pass over these samples, from which their gradients come."""
        tape = self._record(x)
        if self.pieces:
            self._check(tape)
        written_out: dict[nn.Parameter, Tensor] = {}
        if self.loose:
            written_out = jacobian_rows(self.model, x, self.read, self.outputs, self.loose)
        loose = [(self._owner(p), Explicit(j)) for p, j in written_out.items()]
        return Block(tape, self.outputs, self.arrange, self.pieces, loose)

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
            raise NotFiniteError(f"{type(self.model).__name__} returns outputs that are not finite")
        keys = [
            [part.key for c in t.calls for part in c.parts.values()] for t in (tape, self.probe)
        ]
        same = keys[0] == keys[1]
        if not same or any(c.a._version != c.version for c in tape.calls):
            raise InputError(
                "which layers run depends on the inputs, or layers overwrite their inputs; "
                "pass method='jacobian'"
            )


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
