r"""Orthogonal weights keep lengths at any depth.

A product of orthogonal matrices is orthogonal: all its singular values are 1, so that

.. math:: \|W^L\cdots W^1x\|=\|x\|,\qquad\|(W^L\cdots W^1)^\top\delta\|=\|\delta\|

exactly, forwards and backwards, for every x, :math:`\delta` and depth. Gaussian weights of variance
:math:`1/n` keep lengths on average only: the product of 100 of them has singular values that differ
by many orders of magnitude.

:source: Perez Jensen (2025), Deep Learning, Section 8.1; Saxe, McClelland and Ganguli (2014),
    "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks".
:kind: theorem
:cost: instant
:covers: orthogonal-init
:erratum: [wrong] The notes give eigenvalues +-1 as the reason. The eigenvalues of an orthogonal
    matrix are complex numbers of modulus 1 (a rotation by 90 degrees has +-i); of a random 32 x 32
    one hardly any is real, as the figure shows. The singular values are all 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.init import lecun_, orthogonal_
from corollary.theory.prerequisites.orthogonal import is_orthogonal


class Given(NamedTuple):
    """The layers of a linear network and two vectors."""

    W: Float[Tensor, "L n n"]
    x: Float[Tensor, " n"]
    delta: Float[Tensor, " n"]


@dataclass(frozen=True)
class OrthogonalDepth(Claim[Given]):
    """Lengths after each layer, forwards and backwards."""

    n: int = option(32, low=2, high=256)  # width
    L: int = option(100, low=1, high=500)  # layers
    relation = equals(ulps=2**12)  # rounding of 100 products

    def given(self, rng: Generator) -> Given:
        """Uniformly distributed orthogonal matrices."""
        return self._network("orthogonal", rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Every layer."""
        yield Hypothesis("each layer is orthogonal", all(is_orthogonal(W) for W in given.W))

    def predict(self, given: Given) -> list[float]:
        """The lengths at the start."""
        return [float(given.x.norm())] * self.L + [float(given.delta.norm())] * self.L

    def measure(self, given: Given) -> list[float]:
        """The lengths after each layer."""
        return [*_lengths(given.W, given.x), *_lengths(given.W.mT.flip(0), given.delta)]

    def counterexample(self, rng: Generator) -> Given:
        """Gaussian weights of variance 1/n."""
        return self._network("gaussian", rng)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Lengths against depth, and the eigenvalues of one layer."""
        seed = torch.Generator().manual_seed(int(given.x.abs().sum() * 2**20) % 2**31)
        layers = range(1, self.L + 1)
        other = [self._network("gaussian", seed) for _ in range(3)]
        lengths = Figure(
            "Lengths through a linear network",
            x="layer",
            y="‖h‖ / ‖x‖",
            log_y=True,
            marks=(
                Curve([1.0] * self.L, layers, "kept", "predicted"),
                Curve(
                    [v / float(given.x.norm()) for v in _lengths(given.W, given.x)], layers,
                    label="orthogonal", dashed=True,
                ),
                *(
                    Curve(
                        [v / float(g.x.norm()) for v in _lengths(g.W, g.x)], layers,
                        label=f"Gaussian, draw {k}", role="other",
                    )
                    for k, g in enumerate(other, start=1)
                ),
            ),
        )  # fmt: skip
        values = torch.linalg.eigvals(given.W[0])
        turn = torch.linspace(0, 2 * torch.pi, 121, dtype=torch.float64)
        spectrum = Figure(
            "Eigenvalues of an orthogonal matrix",
            x="real part",
            y="imaginary part",
            equal=True,
            marks=(
                Curve(turn.sin(), turn.cos(), "modulus 1", "predicted"),
                Points(values.real, values.imag, label="eigenvalues of W¹"),
                Points([-1.0, 1.0], [0.0, 0.0], label="±1, as printed", role="other"),
            ),
        )
        return lengths, spectrum

    def _network(self, kind: Literal["orthogonal", "gaussian"], rng: Generator) -> Given:
        fill = orthogonal_ if kind == "orthogonal" else lecun_
        W = [fill(torch.empty(self.n, self.n).double(), rng=rng) for _ in range(self.L)]
        x, delta = torch.randn(2, self.n, generator=rng, dtype=torch.float64)
        return Given(torch.stack(W), x, delta)


def _lengths(W: Tensor, x: Tensor) -> list[float]:
    out = []
    for layer in W:
        x = layer @ x
        out.append(float(x.norm()))
    return out
