"""The sums over data that make up Kronecker factors, piece by piece."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.theory.landscape.curvature.batches import Batch
from corollary.theory.landscape.curvature.drawn_labels import drawn_slopes
from corollary.theory.landscape.curvature.gauss_newton import tensor_output
from corollary.theory.landscape.curvature.kronecker import Block
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.layers import Group, Notes, slopes_at, watched
from corollary.theory.landscape.curvature.loss_roots import loss_roots
from corollary.theory.landscape.curvature.pieces import check_called, piece_size

Kind = Literal["gauss_newton", "sampled", "empirical", "forward_only"]
Sharing = Literal["expand", "reduce"]
PIECE = 1 << 24  # entries of examples' gradients held at once

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
            A[k] = A.get(k, 0) + self._second_moment(a, mean=True)
        if self.kind == "forward_only":
            for k, a in seen.inputs.items():
                eye = torch.eye(self.groups[k].outputs, dtype=a.dtype, device=a.device)
                B[k] = B.get(k, 0) + piece.size * eye
            return
        for slopes in seen.columns():
            for k, g in slopes.items():
                B[k] = B.get(k, 0) + self._second_moment(g, mean=False)

    def _add_corrections(self, piece: Batch, blocks: list[Block], sums: list[Tensor]) -> None:
        seen = self._through(piece)
        turned = {k: a @ blocks[k].qa for k, a in seen.inputs.items()}
        for slopes in seen.columns():
            for k, g in slopes.items():
                sums[k] += _squared_moment(g @ blocks[k].qb, turned[k])

    def _second_moment(self, x: Float[Tensor, "n t d"], *, mean: bool) -> Float[Tensor, "d d"]:
        if self.sharing == "reduce":
            x = x.mean(1) if mean else x.sum(1)
            return x.T @ x
        scale = x.shape[1] if mean else 1
        x = x.flatten(0, 1)
        return x.T @ x / scale

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
            check_called(group, notes[group.layer], piece)
        self.roots = of.roots(z.detach(), piece)
        self.dtype = dtype = of.landscape.dtype
        self.inputs = {
            k: group.inputs(_joined([c.inputs.to(dtype) for c in notes[group.layer]]))
            for k, group in enumerate(of.groups)
        }

    def columns(self) -> Iterator[dict[int, Tensor]]:
        """For each column of the roots, its gradient at each group's layer by position.

        The last of them frees the graph.
        """
        calls = [(layer, call.output) for layer, seen in self.notes.items() for call in seen]
        live = [output for _, output in calls if output.requires_grad]  # not under no_grad
        while self.roots and self.z.requires_grad:
            root = self.roots.pop()
            more = bool(self.roots)
            found = iter(
                torch.autograd.grad(
                    self.z, live, root, more, allow_unused=True, materialize_grads=True
                )
            )
            at: dict[nn.Module, list[Tensor]] = {layer: [] for layer in self.notes}
            for layer, output in calls:
                g = next(found) if output.requires_grad else torch.zeros_like(output)
                at[layer].append(slopes_at(layer, g).to(self.dtype))
            joined = {layer: _joined(parts) for layer, parts in at.items()}
            yield {k: joined[group.layer] for k, group in enumerate(self.of.groups)}


def _joined(calls: list[Tensor]) -> Float[Tensor, "n t d"]:
    """The positions of all calls of a layer; no copy where there is one."""
    return calls[0] if len(calls) == 1 else torch.cat(calls, dim=1)


def _squared_moment(g: Float[Tensor, "n t o"], a: Float[Tensor, "n t i"]) -> Float[Tensor, "o i"]:
    """The sum over examples of the squared entries of their sums of outer products."""
    if g.shape[1] == 1:
        return g[:, 0].square().T @ a[:, 0].square()
    step = max(1, PIECE // (g.shape[2] * a.shape[2]))
    parts = zip(g.split(step), a.split(step), strict=True)
    total = g.new_zeros(g.shape[2], a.shape[2])
    for u, v in parts:
        total += (u.mT @ v).square().sum(0)
    return total


def _block(group: Group, A: Tensor, B: Tensor, dtype: torch.dtype) -> Block:
    alpha, qa = torch.linalg.eigh(A.double())
    beta, qb = torch.linalg.eigh(B.double())
    alpha, beta = alpha.clamp(min=0), beta.clamp(min=0)
    parts = (qa, qb, alpha, beta, torch.outer(beta, alpha))
    return Block(group.names, group.places, *(part.to(dtype) for part in parts))
