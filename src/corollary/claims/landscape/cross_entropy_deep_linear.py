r"""Cross-entropy gradients of a deep linear network.

With :math:`p=\operatorname{softmax}(W^L\cdots W^1x)`, cross-entropy has
:math:`\delta^L=p-y`, :math:`\delta^l=(W^{l+1})^\top\delta^{l+1}` and :math:`\partial\ell/\partial
W^l=\delta^l(a^{l-1})^\top`. As :math:`\|p-y\|^2\le2`, for independent :math:`d\times d` layers with
centred entries of variance :math:`\sigma^2`

.. math:: \mathbb E\Bigl\|\frac{\partial\ell}{\partial W^l}\Bigr\|_F^2\le
   2d\,(d\sigma^2)^{L-1}\|x\|^2 ,

the same for all layers, and stable in depth iff :math:`\sigma^2=1/d`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.3 and Figure 6.2.
:kind: bound
:uses: cross_entropy_gradient, backpropagation_recursion, random_second_moment
:covers: cross-entropy-deep-linear
:loose: The bound uses the Frobenius norm of the product instead of the spectral norm, which is
    larger by up to a factor d.
:erratum: [notation] The forward product is written prod_{k=1}^{l-1} W^k x, meant is
    W^{l-1} ... W^1 x. Corollary 49 does not apply to W^{l+1:L} (p - y), since p depends on W;
    the Frobenius norm of the product does, at the price of the factor d here.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, Sweep, at_most, normal, option
from corollary.models.deep_linear import DeepLinearClassifier
from corollary.theory.landscape.random_products import cross_entropy_gradient_bound


class Given(NamedTuple):
    x: Tensor  # the input
    y: Tensor  # the target


class CrossEntropyDeepLinear(Claim[Given]):
    d: int = option(4, low=2, high=50)  # width and classes
    L: int = option(6, low=2, high=20)  # layers
    gain: float = option(1.0, low=0.25, high=2.0)  # d σ²
    draws: int = option(400, low=100, high=50_000)  # networks

    relation = at_most(level=0.9999)  # Student interval; the mean is far below the bound
    supposes = Suppose(
        "y is a probability vector",
        lambda g: (g.y >= 0).all() and abs(float(g.y.sum()) - 1) < 1e-12,
        "One class has weight 20 in y, and the gradients are 20 times as large.",
        y=lambda g: 20 * g.y,
    )
    symbols = "2d(dσ²)^(L−1)‖x‖²", "E‖∂ℓ/∂W^l‖²"
    shows = (
        Along("Cross-entropy gradients hardly depend on the layer", x="layer l", first=1),
        Sweep(
            "Size of the first layer's gradient", "gain", (0.25, 0.5, 1.0, 2.0), x="dσ²", log="xy"
        ),
    )

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, self.d), torch.eye(self.d, dtype=torch.float64)[0])

    def predict(self, given: Given) -> list[float]:
        x_sq, s2 = float(given.x.square().sum()), self.gain / self.d
        return [cross_entropy_gradient_bound(self.d, self.L, s2, x_sq=x_sq)] * self.L

    def measure(self, given: Given, rng: Generator) -> list[Sample]:
        def norms() -> list[Tensor]:
            net = DeepLinearClassifier([self.d] * (self.L + 1), gain=self.gain, rng=rng)
            gradients = net.analytic_gradients(given.x[None], given.y[None])
            return [g.square().sum() for g in gradients]

        return [Sample(layer) for layer in torch.tensor([norms() for _ in range(self.draws)]).T]
