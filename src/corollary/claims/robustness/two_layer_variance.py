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
:covers: two-layer-init-clt
"""

from typing import Literal, NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, near, option, within_interval
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere
from corollary.theory.networks.activations import activation
from corollary.theory.robustness.single_step import output_variance


class Given(NamedTuple):
    x: Float[Tensor, "t d"]  # an input for each network


class TwoLayerVariance(Claim[Given]):
    d: int = option(10, low=2, high=100)  # dimension
    widths: tuple[int, ...] = (1, 4, 32)  # hidden units
    phi: Literal["relu", "tanh", "sigmoid"] = "relu"  # activation
    draws: int = option(12000, low=1000, high=50000)  # networks of each width

    relation = within_interval(level=0.9999, resolution=0.08)  # at width 1 the square is heavy
    supposes = Suppose(
        "the input has length √d",
        lambda g: near(g.x.norm(dim=1), g.x.shape[1] ** 0.5),
        "If the inputs are twice as long, the variance is four times as large.",
        x=lambda g: 2 * g.x,
    )
    symbols = "E σ(Z)²", "E f²"
    rows = "k = {widths}"
    shows = Along("Variance of random networks", x="k", at="widths", log="x")

    def given(self, rng: Generator) -> Given:
        return Given(on_sphere(self.draws, self.d, rng=rng))

    def predict(self, given: Given) -> list[float]:
        return [output_variance(activation(self.phi))] * len(self.widths)

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        nets = [RandomTwoLayer(self.d, k, self.phi, t=self.draws, rng=rng) for k in self.widths]
        return [Sample(net(given.x).square()) for net in nets]
