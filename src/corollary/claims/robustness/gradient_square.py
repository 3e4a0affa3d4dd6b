r"""The expected squared gradient of a random network.

For :math:`f(x)=k^{-1/2}\sum_ja_j\sigma(\langle w_j,x\rangle)`, :math:`w_j\sim\mathcal N(0,I/d)`,
random signs and :math:`\|x\|=\sqrt d`, at every width

.. math:: \mathbb E\|\nabla f(x)\|^2=\Bigl(1-\frac1d\Bigr)\mathbb E\,\sigma'(Z)^2+\frac1d\,
   \mathbb E\bigl[Z^2\sigma'(Z)^2\bigr]\ \longrightarrow\ \mathbb E\,\sigma'(Z)^2.

So a step of order 1 moves f by order 1 in any dimension, while inputs have length
:math:`\sqrt d`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.2, Proposition 79.
:kind: identity
:cost: instant
:covers: gradient-norm-lower-bound
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Sample,
    option,
    within_interval,
)
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere
from corollary.theory.networks.activations import activation
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.single_step import gradient_square


class Given(NamedTuple):
    """For each dimension: squared gradient lengths over draws; and the length of the inputs."""

    squares: list[Float[Tensor, " t"]]
    lengths: list[float]  # over sqrt(d)


class GradientSquare(Claim[Given]):
    dims: tuple[int, ...] = (2, 10, 100)  # dimensions
    k: int = option(20, low=1, high=500)  # hidden units
    phi: Literal["relu", "tanh", "sigmoid"] = "tanh"  # activation
    draws: int = option(1500, low=200, high=10000)  # networks
    relation = within_interval(level=0.999, resolution=0.05)  # squares of size 1/2

    def given(self, rng: Generator) -> Given:
        """Inputs of length sqrt(d)."""
        return self._drawn(rng, 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The length of the inputs."""
        fits = all(abs(length - 1) < 1e-9 for length in given.lengths)
        yield Hypothesis("the input has length √d", fits)

    def predict(self, given: Given) -> list[float]:
        """The identity."""
        phi = activation(self.phi)
        return [gradient_square(phi, phi.derivative, d) for d in self.dims]

    def measure(self, given: Given) -> list[Sample]:
        """Over draws."""
        return [Sample(s) for s in given.squares]

    def counterexample(self, rng: Generator) -> Given:
        """Inputs five times longer: the units saturate."""
        return self._drawn(rng, 5.0)

    def figure(self, given: Given) -> Figure:
        """Means with intervals."""
        read = [Sample(s).read(0.99) for s in given.squares]
        phi, grid = activation(self.phi), [2**i for i in range(1, 11)]
        law = [gradient_square(phi, phi.derivative, d) for d in grid]
        return Figure(
            f"Squared input gradients of random {self.phi} networks",
            x="d",
            y="E‖∇f‖²",
            log_x=True,
            marks=(
                Curve(law, grid, label="(1−1/d) E σ′² + E[Z²σ′²]/d", role="predicted"),
                Points(
                    self.dims, [r.value for r in read], label="mean over draws, 99 %",
                    low=[r.low for r in read], high=[r.high for r in read],
                ),
            ),
        )  # fmt: skip

    def _drawn(self, rng: Generator, length: float) -> Given:
        squares = []
        for d in self.dims:
            x = length * on_sphere(self.draws, d, rng=rng)
            net = RandomTwoLayer(d, self.k, self.phi, t=self.draws, rng=rng)
            squares.append(batch_gradient(net, x).square().sum(dim=1))
        return Given(squares, [length] * len(self.dims))
