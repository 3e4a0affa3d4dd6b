r"""A random two-layer network has the same variance at every width.

For :math:`f(x)=k^{-1/2}\sum_ja_j\sigma(\langle w_j,x\rangle)` with
:math:`w_j\sim\mathcal N(0,I/d)`, random signs :math:`a_j` and :math:`\|x\|=\sqrt d`, the
pre-activations are standard normal and

.. math:: \mathbb Ef=0,\qquad\mathbb Ef^2=\mathbb E\,\sigma(Z)^2,\qquad
   \frac{\mathbb Ef^4}{(\mathbb Ef^2)^2}-3=\frac1k\Bigl(\frac{\mathbb E\sigma^4}{(\mathbb E
   \sigma^2)^2}-3\Bigr),

exactly at every width k; for ReLU the variance is 1/2. As k grows f becomes normal (see
two_layer_normal).

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3, Equations 12.6 and 12.7.
:kind: identity
:cost: instant
:covers: two-layer-init-clt
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import (
    Claim,
    Figure,
    Histogram,
    Hypothesis,
    Level,
    Points,
    Sample,
    option,
    within_interval,
)
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere
from corollary.theory.networks.activations import activation
from corollary.theory.robustness.single_step import output_variance


class Given(NamedTuple):
    """Outputs of many networks of each width at their own inputs, and the inputs' lengths."""

    outputs: list[Float[Tensor, " t"]]
    lengths: Float[Tensor, " t"]


class TwoLayerVariance(Claim[Given]):
    d: int = option(10, low=2, high=100)  # dimension
    widths: tuple[int, ...] = (1, 4, 32)  # hidden units
    phi: Literal["relu", "tanh", "sigmoid"] = "relu"  # activation
    draws: int = option(8000, low=1000, high=50000)  # networks of each width
    relation = within_interval(level=0.999, resolution=0.06)  # at width 1 the square is heavy

    def given(self, rng: Generator) -> Given:
        """Inputs of length sqrt(d)."""
        return self._drawn(1.0, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The length of the inputs."""
        fits = torch.allclose(given.lengths, given.lengths.new_tensor(self.d**0.5))
        yield Hypothesis("the input has length √d", fits)

    def predict(self, given: Given) -> list[float]:
        """The second moment of the activation."""
        return [output_variance(activation(self.phi))] * len(self.widths)

    def measure(self, given: Given) -> list[Sample]:
        """Squares of the outputs."""
        return [Sample(out.square()) for out in given.outputs]

    def counterexample(self, rng: Generator) -> Given:
        """Inputs twice as long."""
        return self._drawn(2.0, rng)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Variances, and the law of the output at the widest."""
        read = [Sample(out.square()).read(0.99) for out in given.outputs]
        level = self.predict(given)[0]
        variances = Figure(
            f"Variance of random {self.phi} networks",
            x="k",
            y="E f²",
            log_x=True,
            marks=(
                Points(
                    self.widths, [r.value for r in read], label="mean over draws, 99 %",
                    low=[r.low for r in read], high=[r.high for r in read],
                ),
                Level(level, label="E σ(Z)²"),
            ),
        )  # fmt: skip
        law = Figure(
            "Outputs of random networks",
            x="f(x)",
            y="density",
            marks=tuple(
                Histogram(out, label=f"k = {k}", role=role)
                for out, k, role in (
                    (given.outputs[0], self.widths[0], "other"),
                    (given.outputs[-1], self.widths[-1], "measured"),
                )
            ),
        )
        return variances, law

    def _drawn(self, length: float, rng: Generator) -> Given:
        x = length * on_sphere(self.draws, self.d, rng=rng)
        nets = (RandomTwoLayer(self.d, k, self.phi, t=self.draws, rng=rng) for k in self.widths)
        with torch.no_grad():
            return Given([net(x) for net in nets], x.norm(dim=1))
