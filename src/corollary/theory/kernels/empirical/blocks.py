"""Gradients of a block of samples, a few outputs at a time.

The forward pass is done once. The backward passes take as many outputs in a turn as keep their
numbers in the processor's cache: memory that is fresh for every turn costs more than the products.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import torch
from torch import Tensor
from torch.autograd.graph import GradientEdge

from corollary.theory.kernels.empirical.axes import Arrange
from corollary.theory.kernels.empirical.layers import Explicit, Factors, Head, Outer, Spread, Tokens
from corollary.theory.kernels.empirical.recording import Call, Tape
from corollary.theory.kernels.empirical.rules import FromOutput

Use = tuple[int, str]  # number of the call, name of the parameter in its layer
TURN = 2**18  # numbers of the widest layer's gradient in one turn


@dataclass(frozen=True)
class Piece:
    """Parameters that are contracted together: a weight, with its bias where it is the only use."""

    path: str
    uses: tuple[Use, ...]
    fused: bool = False


@dataclass(frozen=True)
class Block:
    """What the gradients of some samples are made from.

    Args:
        tape: A forward pass.
        chosen: The outputs that count.
        arrange: How the samples of each call come first; None where the call has no pieces.
        pieces: Which parameters go together.
        loose: Owner and gradients, written out, of the parameters that are no piece.
    """

    tape: Tape
    chosen: list[int]
    arrange: Sequence[Arrange | None]
    pieces: Sequence[Piece]
    loose: Sequence[tuple[str, Explicit]]

    @property
    def n(self) -> int:
        """How many samples."""
        return len(self.tape.f)

    @property
    def outputs(self) -> slice:
        """All of the chosen ones."""
        return slice(0, len(self.chosen))

    def turns(self, outputs: slice) -> list[slice]:
        """These outputs, in groups whose gradients are small together."""
        widest = max((call.shape.numel() for _, call in self._inner), default=1)
        step = max(1, TURN // widest)
        starts = range(outputs.start, outputs.stop, step)
        return [slice(i, min(i + step, outputs.stop)) for i in starts]

    def factors(self, outputs: slice) -> Iterator[tuple[int, str, Factors]]:
        """Number, path and factors of each piece, for some of the outputs."""
        if not self.pieces:
            return
        g = self._output_gradients(outputs)
        for number, piece in enumerate(self.pieces):
            if piece.uses == ((self._head, "weight"),):
                yield number, piece.path, Head(self.tape.calls[-1].a, bias=piece.fused)
                continue
            parts = []
            for k, name in piece.uses:
                arrange, slopes = self.arrange[k], g.get(k)
                if arrange is not None and slopes is not None:
                    found = self._rules[k, name](arrange(slopes, self.n, 1))
                    parts.append(_fused(found, bias=piece.fused))
            if parts:
                yield number, piece.path, parts[0] if len(parts) == 1 else _joined(parts)

    @cached_property
    def _head(self) -> int | None:
        distinct = len(set(self.chosen)) == len(self.chosen)
        return self.tape.head if distinct else None

    @cached_property
    def _inner(self) -> list[tuple[int, Call]]:
        """The calls before the head, with their numbers."""
        return list(enumerate(self.tape.calls))[: self._head]

    @cached_property
    def _rules(self) -> dict[Use, FromOutput]:
        """Of every use: the way from the output's gradient to factors."""
        rules = {}
        for k, name in (use for piece in self.pieces for use in piece.uses):
            call, arrange = self.tape.calls[k], self.arrange[k]
            if arrange is not None:
                seen = arrange(call.a, self.n, 0)
                rules[k, name] = call.rule.gradients[name](call.settings, seen)
        return rules

    def _output_gradients(self, outputs: slice) -> dict[int, Tensor | None]:
        """(c, ...) for every call: derivatives of outputs with respect to what the layer gave."""
        edges = [call.edge for _, call in self._inner]
        found = [_derivatives(*self._start(turn), edges) for turn in self.turns(outputs)]
        parts = found[0] if len(found) == 1 else map(_together, zip(*found, strict=True))
        g = dict(zip((k for k, _ in self._inner), parts, strict=True))
        if self._head is not None and any(self._needs_units(piece) for piece in self.pieces):
            g[self._head] = self._units(outputs)[:, None].expand(-1, self.n, -1)
        return g

    def _start(self, outputs: slice) -> tuple[Tensor, Tensor]:
        """A tensor that all calls lead to, and the derivatives of outputs with respect to it."""
        if self._head is None:
            return self._total, self._units(outputs)
        settings = self.tape.calls[self._head].settings
        rows = settings["weight"].detach()[self.chosen[outputs]]
        return settings["input"], rows[:, None].expand(-1, self.n, -1)

    @cached_property
    def _total(self) -> Tensor:
        """Outputs summed over the samples, of which each depends on one."""
        return self.tape.f.sum(0)

    def _units(self, outputs: slice) -> Tensor:
        places = torch.tensor(self.chosen[outputs], device=self.tape.f.device)
        units = self.tape.f.new_zeros(len(places), self.tape.f.shape[1])
        return units.scatter_(1, places[:, None], 1)

    def _needs_units(self, piece: Piece) -> bool:
        """Whether the head is one of several uses, or only its bias counts."""
        calls = [k for k, _ in piece.uses]
        return self._head in calls and piece.uses != ((self._head, "weight"),)


def _fused(factors: Spread, *, bias: bool) -> Spread:
    return replace(factors, bias=True) if bias and isinstance(factors, Outer) else factors


def _joined(parts: list[Spread]) -> Spread:
    """One parameter used several times: its gradients add up."""
    outer = [f for f in parts if isinstance(f, Outer)]
    if len(outer) == len(parts) and len({f.transposed for f in outer}) == 1:
        return Outer(torch.cat([f.a for f in outer], 1), torch.cat([f.g for f in outer], 2))
    tokens = [f for f in parts if isinstance(f, Tokens)]
    if len(tokens) == len(parts):
        ids = torch.cat([f.ids for f in tokens], 1)
        return Tokens(ids, torch.cat([f.g for f in tokens], 2), tokens[0].rows)
    return Explicit(reduce(torch.add, (f.explicit() for f in parts)))


def _together(parts: tuple[Tensor | None, ...]) -> Tensor | None:
    there = [part for part in parts if part is not None]
    return torch.cat(there) if there else None


def _derivatives(start: Tensor, rows: Tensor, edges: list[GradientEdge]) -> list[Tensor | None]:
    """(c, ...) for every edge, from (c, ...) of the tensor to start at."""
    if not edges or not start.requires_grad:
        return [None] * len(edges)
    if len(rows) > 1:
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("error", message="There is a performance drop")
                return _pulled_back(start, rows, edges, batched=True)
        except (RuntimeError, UserWarning):  # an operation that cannot be batched
            pass
    found = [_pulled_back(start, row, edges, batched=False) for row in rows]
    if len(found) == 1:
        return [None if g is None else g[None] for g in found[0]]
    columns = zip(*found, strict=True)
    return [None if column[0] is None else torch.stack(column) for column in columns]


def _pulled_back(
    start: Tensor, row: Tensor, edges: list[GradientEdge], *, batched: bool
) -> list[Tensor | None]:
    return list(
        torch.autograd.grad(
            start, edges, row, retain_graph=True, is_grads_batched=batched, allow_unused=True
        )
    )
