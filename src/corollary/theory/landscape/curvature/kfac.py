r"""Kronecker-factored curvature: KFAC, and EKFAC with corrected eigenvalues.

For a layer :math:`z_t = W a_t` and a square root :math:`S_i = \sum_c s_{ic} s_{ic}^\top` of the
loss's Hessian at output i, the layer's block of the Gauss-Newton matrix is the second moment of
:math:`\sum_t g_{ict} a_{it}^\top`, where :math:`g_{ict}` is :math:`s_{ic}` carried back to
:math:`z_t`. With R positions, KFAC takes

.. math:: A = \frac{1}{nR} \sum_{i,t} a_{it} a_{it}^\top, \qquad
          B = \frac1n \sum_{i,c,t} g_{ict} g_{ict}^\top, \qquad G_W \approx A \otimes B

(``expand``), or the mean of :math:`a_{it}` and the sum of :math:`g_{ict}` over t in place of
either (``reduce``). For one position this is exact if there is one example, or if :math:`g_{ic}`
is the same for all examples (a deep linear network with squared loss); ``reduce`` is exact for a
single example also when the positions of a linear layer are averaged. EKFAC keeps the
eigenvectors of :math:`A \otimes B` and takes as eigenvalues the second moments along them,

.. math:: M_{kl} = \frac1n \sum_{i,c} \Bigl(Q_B^\top \sum_t g_{ict} a_{it}^\top\, Q_A\Bigr)_{kl}^2,

which makes the trace that of the blocks of :math:`G`, and the Frobenius distance to them smaller.
The empirical kind has the one vector :math:`s_i = \nabla_f \ell(f(x_i), y_i)`.

:source: Martens and Grosse (2015), "Optimizing neural networks with Kronecker-factored
    approximate curvature"; Grosse and Martens (2016), "A Kronecker-factored approximate Fisher
    matrix for convolution layers"; Eschenhagen, Immer, Turner, Schneider and Hennig (2023),
    "Kronecker-factored approximate curvature for modern neural network architectures"; George,
    Laurent, Bouthillier, Ballas and Vincent (2018), "Fast approximate natural gradient descent in
    a Kronecker-factored eigenbasis".
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError, NotApplicableError
from corollary.theory.landscape.curvature.batches import Batch
from corollary.theory.landscape.curvature.gauss_newton import tensor_output
from corollary.theory.landscape.curvature.kronecker import Block, Kronecker
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.layers import (
    Group,
    Notes,
    Seen,
    shared,
    slopes_at,
    watched,
)
from corollary.theory.landscape.curvature.loss_roots import loss_roots

Kind = Literal["gauss_newton", "empirical"]
Sharing = Literal["expand", "reduce"]
PIECE = 1 << 24  # entries of examples' gradients held at once


def kfac(
    landscape: Landscape,
    kind: Kind = "gauss_newton",
    *,
    sharing: Sharing = "expand",
    corrected: bool = False,
    joint: bool = True,
) -> Kronecker:
    r"""A block-diagonal approximation of the Gauss-Newton or Fisher matrix that can be inverted.

    For c outputs it takes one forward and c backward passes over the data (one for the empirical
    kind), twice if corrected, and :math:`O(d_{in}^3 + d_{out}^3)` for a layer's eigenvectors;
    then :math:`O(d_{in} d_{out} (d_{in} + d_{out}))` a product. It is computed once, at the
    present parameters. The graph of a whole batch is held, so cut large data into batches.

    Args:
        landscape: All its parameters belong to ``nn.Linear`` or ``nn.Conv2d`` layers; leave
            others out with its ``parameters=``. Its loss treats examples one by one and is convex
            in the output. So should the module: what batch normalisation in training mode adds
            by coupling examples is not seen.
        kind: ``gauss_newton`` (for cross-entropy, logistic and squared loss the true Fisher
            matrix), from the exact Hessian of the loss, or ``empirical``.
        sharing: What to do with weights used at several positions.
        corrected: Whether to correct the eigenvalues (EKFAC).
        joint: Whether a layer's weight and bias make one block.

    Example:
        >>> model = torch.nn.Linear(2, 1, bias=False)
        >>> data = torch.tensor([[1.0, 0.0], [0.0, 3.0]]), torch.zeros(2, 1)
        >>> K = kfac(Landscape(model, torch.nn.MSELoss(), data))
        >>> print((K @ torch.ones(2)).round(decimals=4))  # diag(1, 9) = (2/n) x^T x, exactly
        tensor([1., 9.])
        >>> print((K.inverse(1.0) @ torch.ones(2)).round(decimals=4))
        tensor([0.5000, 0.1000])
    """
    if kind not in ("gauss_newton", "empirical"):
        raise InputError(f"kind must be gauss_newton or empirical, but it is '{kind}'")
    if sharing not in ("expand", "reduce"):
        raise InputError(f"sharing must be expand or reduce, but it is '{sharing}'")
    groups = shared(landscape, joint=joint)
    made = Factors(landscape, groups, kind, sharing)
    name = "EKFAC" if corrected else "KFAC"
    path = f"{name}-{sharing}, {kind.replace('_', '-')} factors of {len(groups)} blocks"
    blocks = made.blocks()
    if corrected:
        blocks = made.corrected(blocks)
    return Kronecker(
        blocks, landscape.size, landscape.dtype, landscape.device, path, factored=not corrected
    )


class Factors:
    """The sums over data that make up the factors."""

    def __init__(
        self, landscape: Landscape, groups: list[Group], kind: Kind, sharing: Sharing
    ) -> None:
        self.landscape, self.groups, self.kind, self.sharing = landscape, groups, kind, sharing

    def blocks(self) -> list[Block]:
        """Eigenvectors and eigenvalues of A and B, block by block."""
        A: dict[int, Tensor] = {}
        B: dict[int, Tensor] = {}
        n = weight = 0
        with self.landscape.guard():
            for batch in self.landscape.batches():
                n, weight = n + batch.size, weight + self.landscape.weight(batch)
                with self._through(batch) as seen:
                    for k, a in seen.inputs.items():
                        A[k] = A.get(k, 0) + self._second_moment(a, mean=True)
                    for slopes in seen.columns():
                        for k, g in slopes.items():
                            B[k] = B.get(k, 0) + self._second_moment(g, mean=False)
        total = self.landscape.total(weight)
        none = [torch.zeros(len(g.layer.weight), len(g.layer.weight)) for g in self.groups]
        return [
            _block(group, A[k] / n, B.get(k, none[k].to(A[k])) / total, self.landscape.dtype)
            for k, group in enumerate(self.groups)
        ]

    def corrected(self, blocks: list[Block]) -> list[Block]:
        """The same bases with the second moments along them as eigenvalues."""
        sums = [torch.zeros_like(block.values) for block in blocks]
        weight = 0
        with self.landscape.guard():
            for batch in self.landscape.batches():
                weight += self.landscape.weight(batch)
                with self._through(batch) as seen:
                    turned = {k: a @ blocks[k].qa for k, a in seen.inputs.items()}
                    for slopes in seen.columns():
                        for k, g in slopes.items():
                            sums[k] += _squared_moment(g @ blocks[k].qb, turned[k])
        total = self.landscape.total(weight)
        return [replace(b, values=s / total) for b, s in zip(blocks, sums, strict=True)]

    def _second_moment(self, x: Float[Tensor, "n t d"], *, mean: bool) -> Float[Tensor, "d d"]:
        if self.sharing == "reduce":
            x = x.mean(1) if mean else x.sum(1)
            return x.T @ x
        scale = x.shape[1] if mean else 1
        x = x.flatten(0, 1)
        return x.T @ x / scale

    @contextmanager
    def _through(self, batch: Batch) -> Iterator["Pass"]:
        with watched(self.groups) as notes:
            z = tensor_output(self.landscape, batch)
            yield Pass(self, batch, z, notes)


class Pass:
    """A batch that went through the module."""

    def __init__(self, of: Factors, batch: Batch, z: Tensor, notes: Notes) -> None:
        self.of, self.z, self.notes = of, z, notes
        for group in of.groups:
            _check_called(group, notes[group.layer], batch)
        self.roots = loss_roots(of.landscape, z.detach(), batch, empirical=of.kind == "empirical")
        self.dtype = dtype = of.landscape.dtype
        self.inputs = {
            k: group.inputs(_joined([c.inputs.to(dtype) for c in notes[group.layer]]))
            for k, group in enumerate(of.groups)
        }

    def columns(self) -> Iterator[dict[int, Tensor]]:
        """For each column of the roots, its gradient at each group's layer by position."""
        calls = [(layer, call.output) for layer, seen in self.notes.items() for call in seen]
        live = [output for _, output in calls if output.requires_grad]  # not under no_grad
        for root in self.roots if self.z.requires_grad else []:
            found = iter(
                torch.autograd.grad(
                    self.z, live, root, retain_graph=True, allow_unused=True, materialize_grads=True
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


def _check_called(group: Group, calls: list[Seen], batch: Batch) -> None:
    if not calls:
        raise NotApplicableError(
            f"layer '{group.name}' was not called in the forward pass (its weights may be used "
            "directly); leave it out with parameters= of the landscape"
        )
    wrong = next((len(c.inputs) for c in calls if len(c.inputs) != batch.size), None)
    if wrong is not None:
        raise NotApplicableError(
            f"layer '{group.name}' was called with {wrong} rows for {batch.size} examples; the "
            "first axis of its input must count the examples"
        )


def _squared_moment(g: Float[Tensor, "n t o"], a: Float[Tensor, "n t i"]) -> Float[Tensor, "o i"]:
    """The sum over examples of the squared entries of their sums of outer products."""
    if g.shape[1] == 1:
        return g[:, 0].square().T @ a[:, 0].square()
    step = max(1, PIECE // (g.shape[2] * a.shape[2]))
    parts = zip(g.split(step), a.split(step), strict=True)
    return sum((u.mT @ v).square().sum(0) for u, v in parts)  # type: ignore[return-value]


def _block(group: Group, A: Tensor, B: Tensor, dtype: torch.dtype) -> Block:
    alpha, qa = torch.linalg.eigh(A.double())
    beta, qb = torch.linalg.eigh(B.double())
    alpha, beta = alpha.clamp(min=0), beta.clamp(min=0)
    parts = (qa, qb, alpha, beta, torch.outer(beta, alpha))
    return Block(group.names, group.places, *(part.to(dtype) for part in parts))
