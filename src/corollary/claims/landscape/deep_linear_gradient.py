r"""Expected gradient of a deep linear network.

With the letters of Lemma 51 (Gaussian :math:`d\times d` layers of variance :math:`\sigma^2`,
:math:`\rho=\|x\|^4`, :math:`\gamma=\|x\|^2\|y\|^2`), for every layer

.. math:: \mathbb E\Bigl\|\frac{\partial\ell}{\partial W^k}\Bigr\|_F^2\le
   \frac{2\rho}{3\sigma^2}\bigl[\sigma^4d(d+2)\bigr]^L+2\gamma(\sigma^2d)^{L-1} .

The bound is largest where :math:`\sigma^2>1/d` and falls exponentially in the depth below. Measured
is the mean over networks at depths :math:`1,\dots,L`, for the first layer, where it is largest.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2.3, Theorem 52.
:kind: bound
:uses: layer_gradient_moment, random_gram_moment
:covers: gradient-norm-theorem
:loose: The proof bounds the square of a difference by twice the squares: at most half is attained.
:erratum: [loose] The theorem is right. The comment after it gives sigma^4 > d(d+2) as the range
    where the first term dominates; the ratio of the terms is (rho/gamma)(d/3)[s2(d+2)]^L. At
    d = 10, s2 = 0.5, L = 1 the first term is 20 times the second, with sigma^4 = 0.25 far below
    120.
"""

from math import sqrt

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, at_most, mean_is, normal, option
from corollary.theory.landscape.random_products import deep_linear_gradient_bound


def shifted(given: Tensor) -> Tensor:
    """If the entries have a mean, every layer stretches the constant direction."""
    return given + given.std()


class DeepLinearGradient(Claim[Tensor]):
    d: int = option(5, low=2, high=20)  # width
    L: int = option(5, low=2, high=10)  # depth, at most
    gain: float = option(1.0, low=0.25, high=2.0)  # d σ²
    draws: int = option(4000, low=1000, high=100_000)  # networks

    relation = at_most(level=0.9999)  # Student interval; the mean is below half of the bound
    supposes = Suppose("the entries have mean zero", mean_is, without=shifted)
    symbols = "Theorem 52", "E‖∂ℓ/∂W¹‖²"
    shows = Along("The gradient of the first layer and its bound", x="depth L", first=1, log="y")

    def given(self, rng: Generator) -> Tensor:
        return sqrt(self.gain / self.d) * normal(rng, self.L, self.draws, self.d, self.d)

    def predict(self, given: Tensor) -> list[float]:
        s2, depths = self.gain / self.d, range(1, self.L + 1)
        return [deep_linear_gradient_bound(self.d, L, s2, rho=1.0, gamma=1.0) for L in depths]

    def measure(self, given: Tensor) -> list[Sample]:
        x, y = torch.eye(self.d, dtype=torch.float64)[:2, :, None]  # of length 1
        rest, out = torch.eye(self.d, dtype=torch.float64).expand_as(given[0]), []
        for L in range(self.L):
            rest = given[L] @ rest if L else rest
            gradient = rest.mT @ (rest @ given[0] @ x - y)
            out.append(Sample(gradient.square().sum(dim=(1, 2))))
        return out
