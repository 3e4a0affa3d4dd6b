"""The sums over data that make up Kronecker factors, piece by piece."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.theory.landscape.curvature.batches import Batch
from corollary.theory.landscape.curvature.drawn_labels import drawn_slopes
from corollary.theory.landscape.curvature.gauss_newton import tensor_output
from corollary.theory.landscape.curvature.kronecker import Block
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.layers import Group, Notes, watched
from corollary.theory.landscape.curvature.loss_roots import loss_roots
from corollary.theory.landscape.curvature.moments import (
    Sharing,
    input_moment,
    slope_moment,
    squared_moment,
    turned,
)
from corollary.theory.landscape.curvature.pieces import check_called, piece_size
from corollary.theory.precision import wide

Kind = Literal["gauss_newton", "sampled", "empirical", "forward_only"]

Sums = dict[int, Tensor]  # by the number of the group


class Factors:
    """What the factors are made of; :meth:`blocks` and :meth:`corrected` each walk the data."""

    def __init__(
        self,
        landscape: Landscape,
        groups: list[Group],
        kind: Kind,
        sharing: Sharing,
        samples: int,
        rng: Generator,
    ) -> None:
        self.landscape, self.groups, self.kind, self.sharing = landscape, groups, kind, sharing
        self.samples, self.rng = samples, rng
        self.examples = piece_size(landscape, groups)

    def blocks(self) -> list[Block]:
        """Eigenvectors and eigenvalues of A and B, block by block."""
        A: Sums = {}
        B: Sums = {}
        n = weight = 0
        with self.landscape.guard():
            for batch in self.landscape.batches():
                n, weight = n + batch.size, weight + self.landscape.weight(batch)
                for piece in batch.split(self.examples):
                    self._add_moments(piece, A, B)
        total = self.landscape.total(weight)
        return [
            _block(group, A[k] / n, self._outer(k, B, A[k]) / total, self.landscape.dtype)
            for k, group in enumerate(self.groups)
        ]

    def _outer(self, k: int, B: Sums, like: Tensor) -> Tensor:
        """The sum that is B, or what stands for it where no gradient came."""
        return B.get(k, like.new_zeros(self.groups[k].outputs).diag())

    def corrected(self, blocks: list[Block]) -> list[Block]:
        """The same bases with the second moments along them as eigenvalues."""
        sums = [torch.zeros_like(block.values) for block in blocks]
        weight = 0
        with self.landscape.guard():
            for batch in self.landscape.batches():
                weight += self.landscape.weight(batch)
                for piece in batch.split(self.examples):
                    self._add_corrections(piece, blocks, sums)
        total = self.landscape.total(weight)
        return [replace(b, values=s / total) for b, s in zip(blocks, sums, strict=True)]

    def _add_moments(self, piece: Batch, A: Sums, B: Sums) -> None:
        """Add a piece's part of both factors; its graph ends with the call."""
        seen = self._through(piece)
        for k, a in seen.inputs.items():
            A[k] = A.get(k, 0) + input_moment(a, self.sharing)
        if self.kind == "forward_only":
            for k, group in enumerate(self.groups):
                eye = torch.eye(group.outputs, dtype=A[k].dtype, device=A[k].device)
                B[k] = B.get(k, 0) + piece.size * eye
            return
        for slopes in seen.columns():
            for k, g in slopes.items():
                B[k] = B.get(k, 0) + slope_moment(g, self.sharing)

    def _add_corrections(self, piece: Batch, blocks: list[Block], sums: list[Tensor]) -> None:
        seen = self._through(piece)
        inputs = {k: turned(a, blocks[k].qa) for k, a in seen.inputs.items()}
        for slopes in seen.columns():
            for k, g in slopes.items():
                sums[k] += squared_moment(g @ blocks[k].qb, inputs[k])

    def _through(self, piece: Batch) -> "Pass":
        with watched(self.groups) as notes:
            return Pass(self, piece, tensor_output(self.landscape, piece), notes)

    def roots(self, z: Tensor, piece: Batch) -> list[Tensor]:
        """What is carried back from the output."""
        if self.kind == "forward_only":
            return []
        if self.kind == "sampled":
            return drawn_slopes(self.landscape, z, piece, samples=self.samples, rng=self.rng)
        return loss_roots(self.landscape, z, piece, empirical=self.kind == "empirical")


class Pass:
    """Examples that went through the module."""

    def __init__(self, of: Factors, piece: Batch, z: Tensor, notes: Notes) -> None:
        self.of, self.z, self.notes = of, z, notes
        for group in of.groups:
            check_called(group, notes[group.site], piece)
        self.roots = of.roots(z.detach(), piece)
        dtype = of.landscape.dtype
        self.inputs = {k: g.inputs(notes[g.site], dtype) for k, g in enumerate(of.groups)}

    def columns(self) -> Iterator[dict[int, Tensor]]:
        """For each column of the roots, its gradient for each group by position.

        The last of them frees the graph.
        """
        calls = [call for seen in self.notes.values() for call in seen]
        live = [call.output for call in calls if call.output.requires_grad]  # not under no_grad
        while self.roots and self.z.requires_grad:
            root = self.roots.pop()
            more = bool(self.roots)
            found = iter(
                torch.autograd.grad(
                    self.z, live, root, more, allow_unused=True, materialize_grads=True
                )
            )
            at = {}
            for call in calls:
                alive = call.output.requires_grad
                at[id(call)] = next(found) if alive else torch.zeros_like(call.output)
            yield {k: self._slopes(group, at) for k, group in enumerate(self.of.groups)}

    def _slopes(self, group: Group, at: dict[int, Tensor]) -> Float[Tensor, "n t o"]:
        parts = [group.slopes(call, at[id(call)]) for call in self.notes[group.site]]
        return group.site.joined(parts).to(self.of.landscape.dtype)


def _block(group: Group, A: Tensor, B: Tensor, dtype: torch.dtype) -> Block:
    diagonal = A.dim() == 1
    alpha, qa = (wide(A), None) if diagonal else torch.linalg.eigh(wide(A))
    beta, qb = torch.linalg.eigh(wide(B))
    alpha, beta = alpha.clamp(min=0), beta.clamp(min=0)
    return Block(
        group.names,
        group.places,
        qa=None if qa is None else qa.to(A.device, dtype),
        qb=qb.to(A.device, dtype),
        alpha=alpha.to(A.device, dtype),
        beta=beta.to(A.device, dtype),
        values=torch.outer(beta, alpha).to(A.device, dtype),
        form=group.site.form,
    )
