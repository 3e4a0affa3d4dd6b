r"""The expected squared gradient of a random network.

For :math:`f(x)=k^{-1/2}\sum_ja_j\sigma(\langle w_j,x\rangle)`, :math:`w_j\sim\mathcal N(0,I/d)`,
random signs and :math:`\|x\|=\sqrt d`, at every width

.. math:: \mathbb E\|\nabla f(x)\|^2=\Bigl(1-\frac1d\Bigr)\mathbb E\,\sigma'(Z)^2+\frac1d\,
   \mathbb E\bigl[Z^2\sigma'(Z)^2\bigr]\ \longrightarrow\ \mathbb E\,\sigma'(Z)^2.

So a step of order 1 moves f by order 1 in any dimension, while inputs have length
:math:`\sqrt d`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3.2, Proposition 79.
:kind: identity
:uses: chain_rule
:covers: gradient-norm-lower-bound
"""

from typing import Literal, NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, option, within_interval
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere
from corollary.theory.networks.activations import activation
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.single_step import gradient_square


class Given(NamedTuple):
    inputs: list[Float[Tensor, "t d"]]  # for each dimension


class GradientSquare(Claim[Given]):
    dims: tuple[int, ...] = (2, 10, 50)  # dimensions
    k: int = option(10, low=1, high=500)  # hidden units
    phi: Literal["relu", "tanh", "sigmoid"] = "tanh"  # activation
    draws: int = option(2000, low=200, high=10000)  # networks

    relation = within_interval(level=0.99999, resolution=0.05)  # squares of size 1/2
    supposes = Suppose(
        "the input has length √d",
        lambda g: 1e-9 - max((x.norm(dim=1) - x.shape[1] ** 0.5).abs().max() for x in g.inputs),
        "If the inputs are five times longer, the units saturate.",
        inputs=lambda g: [5 * x for x in g.inputs],
    )
    symbols = "(1−1/d) E σ′² + E[Z²σ′²]/d", "E‖∇f‖²"
    rows = "d = {dims}"
    shows = Along("Squared input gradients of random networks", x="d", at="dims", log="x")

    def given(self, rng: Generator) -> Given:
        return Given([on_sphere(self.draws, d, rng=rng) for d in self.dims])

    def predict(self, given: Given) -> list[float]:
        phi = activation(self.phi)
        return [gradient_square(phi, phi.derivative, d) for d in self.dims]

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        nets = [RandomTwoLayer(d, self.k, self.phi, t=self.draws, rng=rng) for d in self.dims]
        pairs = zip(nets, given.inputs, strict=True)
        return [Sample(batch_gradient(net, x).square().sum(dim=1)) for net, x in pairs]
