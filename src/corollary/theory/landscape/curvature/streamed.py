r"""Operators that are sums over data, with graphs kept or recomputed.

Each piece of data contributes :math:`v \mapsto A_b v`, read off an autograd graph that does not
depend on :math:`v`. The graph is built once and kept while all of them fit in the landscape's
memory; otherwise products rebuild it piece by piece. Large batches are cut into pieces whose
graphs stay near the processor's cache, which is faster as well as smaller (by a third for a small
CNN); where a few examples exceed it, into pieces of at most 256 MiB, a language model's logits
with them. A loss that is no average over examples is found out by its value and not cut.

Beside the graphs of one piece a product holds two to three vectors of p numbers (the gradient
whose graph it is, its own parts, their sum); a gradient holds one, and the graph of the batch.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor

from corollary.theory.landscape.curvature.batches import Batch, tensors
from corollary.theory.landscape.curvature.graphs import graph_bytes, refuse_once_differentiable
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature
from corollary.theory.modules.convolutions import FastConvolutions
from corollary.theory.modules.keeping import requiring_grad

PIECE = 16 << 20  # bytes of graph a piece should not exceed
PILOT = 32  # examples the graph is first measured on, and of which a piece has no fewer
MOST = 256 << 20  # unless their graph takes more bytes than this


class Term(NamedTuple):
    """One piece's map on lists of parameter-shaped tensors, and what keeps its graph alive."""

    product: Callable[[list[Tensor]], Sequence[Tensor | None]]
    roots: tuple[Tensor, ...]
    value: Tensor  # the piece's weighted loss


class Streamed(Curvature):
    """A curvature matrix of a landscape; it follows the module when its parameters change."""

    kind = "product"  # what the path calls a product

    def __init__(self, landscape: Landscape) -> None:
        self.landscape = landscape
        self.size, self.dtype, self.device = landscape.size, landscape.dtype, landscape.device
        self._tried: list[Term] = []  # the first batch's, if the pilot was all of it
        self._pilot_bytes = self._pilot()
        self._whole = False  # whether batches must stay in one piece
        self._terms: list[Term] | None = []  # None: too large to keep
        self._weight = 0
        self._stamp: tuple[tuple[int, int], ...] | None = None
        self._build()

    @abstractmethod
    def _term(self, batch: Batch) -> Term:
        """The map of one piece; called inside the landscape's guard."""

    def _product(self, v: Tensor) -> Tensor:
        if self._stamp != self.landscape.stamp():
            self._build()
        parts = self.landscape.split(v)
        if self._terms is None:
            with self._guard():
                out = self._sum(term.product(parts) for term in self._walk())
        else:
            with requiring_grad(self.landscape.parameters):
                out = self._sum(term.product(parts) for term in self._terms)
        return out.div_(self.landscape.total(self._weight))

    @contextmanager
    def _guard(self) -> Iterator[None]:
        with self.landscape.guard(), FastConvolutions():
            yield

    def _sum(self, contributions: Iterator[Sequence[Tensor | None]]) -> Tensor:
        """All of them as one vector; a part is given up as soon as it is in its place."""
        out = torch.empty(self.size, dtype=self.dtype, device=self.device)
        places, begun = out.split([p.numel() for p in self.landscape.parameters]), False
        for parts in contributions:
            left = list(parts)
            del parts
            for place in reversed(places):
                part = left.pop()
                if part is None:
                    part = place.new_zeros(()).expand_as(place)
                if begun:
                    place.add_(part.detach().reshape(-1).to(out))
                else:
                    place.copy_(part.detach().reshape(-1))
            begun = True
        return out if begun else out.zero_()

    def _walk(self) -> Iterator[Term]:
        for batch in self.landscape.batches():
            for piece in batch.split(self._size(batch)):
                yield self._term(piece)

    def _build(self) -> None:
        """Make the graphs, keep them if they fit, and say in words what was done."""
        while not self._built():
            self._whole = True  # some loss was not that of its pieces together: do not cut
        self._stamp = self.landscape.stamp()

    def _built(self) -> bool:
        self._terms, self._weight, held, pieces = [], 0, 0, 0
        limit = self.landscape.memory
        with self._guard():
            for batch in self.landscape.batches():
                self._weight += self.landscape.weight(batch)
                parts = batch.split(self._size(batch))
                held += self._pilot_bytes * batch.size
                pieces += len(parts)
                if held > limit:
                    self._terms = None
                if self._terms is not None:
                    once, self._tried = self._tried if len(parts) == 1 else [], []
                    self._terms += once or [self._term(piece) for piece in parts]
                if len(parts) > 1 and not self._additive(batch, parts):
                    return False
        self._tried = []
        graph = "graph" if pieces == 1 else f"graphs of {pieces} pieces"
        kept = f"recomputed each time, being over the limit of {limit >> 20} MiB"
        kept = "kept" if self._terms is not None else kept
        self.path = f"{self.kind}; {graph} {kept} (about {held >> 20} MiB)"
        return True

    def _size(self, batch: Batch) -> int:
        """Examples in a piece of this batch."""
        each = max(self._pilot_bytes, 1)
        fitting = max(1, min(PILOT, MOST // each), PIECE // each)
        count = 1 if self._whole else -(-batch.size // fitting)
        return -(-batch.size // count)

    def _additive(self, batch: Batch, parts: Iterable[Batch]) -> bool:
        """Whether the loss of a batch is that of its pieces together, as cutting supposes."""
        with torch.no_grad():
            whole = self.landscape.objective(batch)
            pieces = sum(self.landscape.objective(piece) for piece in parts)
        eps = torch.finfo(whole.dtype).eps
        return bool((whole - pieces).abs() <= 1e3 * eps * whole.abs() + eps)

    def _pilot(self) -> int:
        """Try a product on a few examples; bytes of graph an example."""
        try:
            return self._try()
        except (RuntimeError, NotImplementedError) as refusal:
            self._differentiate_once()
            return self._fall_back(refusal)

    def _differentiate_once(self) -> None:
        """An error of the module itself, like a wrong shape, is the user's to see."""
        with self._guard():
            small = next(iter(self.landscape.batches())).split(PILOT)[0]
            self.landscape.slopes(self.landscape.objective(small))

    def _fall_back(self, refusal: Exception) -> int:
        """What is left when a layer lacks the derivative; here nothing."""
        raise refusal

    def _try(self) -> int:
        with self._guard():
            whole = next(iter(self.landscape.batches()), None)
            self.landscape.total(0 if whole is None else 1)
            assert whole is not None  # without data the line before has raised
            small = whole.split(PILOT)[0]
            refuse_once_differentiable(self.landscape.objective(small))
            torch.manual_seed(self.landscape.seed)  # as every walk through the data begins
            term = self._term(small)
            term.product([p.new_zeros(()).expand_as(p) for p in self.landscape.parameters])
            self._tried = [term] if small.size == whole.size else []
            held = (*self.landscape.module.parameters(), *tensors(whole[:3]))
            return graph_bytes(term.roots, besides=held) // small.size
