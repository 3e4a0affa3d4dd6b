r"""Orthogonal weights keep lengths at any depth.

A product of orthogonal matrices is orthogonal: all its singular values are 1, so that

.. math:: \|W^L\cdots W^1x\|=\|x\|,\qquad\|(W^L\cdots W^1)^\top\delta\|=\|\delta\|

exactly, forwards and backwards, for every x, :math:`\delta` and depth. Gaussian weights of variance
:math:`1/n` keep lengths on average only: the product of 100 of them has singular values that differ
by many orders of magnitude.

:source: Perez Jensen (2025), Deep Learning, Section 8.1; Saxe, McClelland and Ganguli (2014),
    "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks".
:kind: theorem
:uses: orthogonal_inverse
:covers: orthogonal-init
:erratum: [wrong] The notes give eigenvalues +-1 as the reason. The eigenvalues of an orthogonal
    matrix are complex numbers of modulus 1 (a rotation by 90 degrees has +-i); of a random 32 x 32
    one hardly any is real, as the figure shows. The singular values are all 1.
"""

from itertools import accumulate
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, Trial, equals, normal, option
from corollary.core.picture import Marks, Points, picture, scatter, unit_circle
from corollary.models.init import lecun_, orthogonal_
from corollary.theory.prerequisites.orthogonal import is_orthogonal


class Given(NamedTuple):
    W: Float[Tensor, "L n n"]  # layers of a linear network
    x: Float[Tensor, " n"]  # sent forwards
    delta: Float[Tensor, " n"]  # sent backwards


class OrthogonalDepth(Claim[Given]):
    n: int = option(32, low=2, high=256)  # width
    L: int = option(100, low=1, high=500)  # layers

    relation = equals(ulps=2**12)  # rounding of 100 products
    supposes = Suppose(
        "each layer is orthogonal",
        lambda g: all(is_orthogonal(W) for W in g.W),
        "Gaussian weights of variance 1/n keep lengths only on average.",
        W=lambda g, rng: torch.stack([lecun_(torch.empty_like(W), rng=rng) for W in g.W]),
    )
    symbols = "length at the input", "length"
    shows = Along(
        "Lengths through a linear network",
        x="layer",
        y="‖h‖",
        first=1,
        log="y",
        parts=("forwards", "backwards"),
    )

    def given(self, rng: Generator) -> Given:
        W = [orthogonal_(torch.empty(self.n, self.n).double(), rng=rng) for _ in range(self.L)]
        return Given(torch.stack(W), *normal(rng, 2, self.n))

    def predict(self, given: Given) -> list[float]:
        return [float(given.x.norm())] * self.L + [float(given.delta.norm())] * self.L

    def measure(self, given: Given) -> list[float]:
        return [*_lengths(given.W, given.x), *_lengths(given.W.mT.flip(0), given.delta)]

    @picture("Eigenvalues of an orthogonal matrix", x="real part", y="imaginary part", equal=True)
    def marks(self, trial: Trial[Given]) -> Marks:
        yield unit_circle("modulus 1")
        yield scatter(torch.linalg.eigvals(trial.given.W[0]), "eigenvalues of W¹")
        yield Points([-1.0, 1.0], [0.0, 0.0], label="±1, as printed in the notes", role="other")


def _lengths(W: Tensor, x: Tensor) -> list[float]:
    return [float(h.norm()) for h in accumulate(W, lambda h, layer: layer @ h, initial=x)][1:]
