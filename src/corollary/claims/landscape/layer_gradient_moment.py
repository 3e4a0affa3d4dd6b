r"""Gradient of one layer at a random start.

For :math:`\ell=\frac12\|y-W^L\cdots W^1x\|^2` with independent :math:`d\times d` Gaussian layers of
variance :math:`\sigma^2`, and :math:`\rho=\|x\|^4`, :math:`\gamma=\|x\|^2\|y\|^2`,

.. math:: \mathbb E\Bigl\|\frac{\partial\ell}{\partial W^k}\Bigr\|_F^2=\frac\rho3\sigma^{4L-2}
   (d(d+2))^{k-1}\Bigl[(d(d+2))^{L-k+1}-(d(d-1))^{L-k+1}\Bigr]+\gamma(d\sigma^2)^{L-1} .

Lemma 51 has twice this as a bound: it splits the square of a difference, though the cross term is
linear in :math:`W^k` and has mean zero. Measured for every layer, in units of Lemma 51's bound, of
which one half is true.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, Lemma 51 and (6.41)-(6.45). The
    exact value is ours.
:kind: identity
:uses: squared_norm_sum, random_second_moment, random_fourth_moment, random_gram_moment
:covers: gradient-norm-lemma
"""

from math import sqrt

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, mean_is, normal, option, within_interval
from corollary.theory.landscape.random_products import layer_gradient_second_moment


class LayerGradientMoment(Claim[Tensor]):
    d: int = option(6, low=2, high=20)  # width
    L: int = option(4, low=2, high=8)  # layers
    gain: float = option(1.0, low=0.25, high=2.0)  # d σ²
    draws: int = option(20_000, low=2000, high=200_000)  # networks

    relation = within_interval(level=0.999999, resolution=0.15)  # chance: one seed in a million
    supposes = Suppose(
        "the entries are Gaussian: their kurtosis is 3",
        lambda self, W: mean_is((self.d / self.gain) ** 2 * W**4, 3.0),
        "Random signs have smaller fourth moments than Gaussian numbers.",
        lambda self, g: sqrt(self.gain / self.d) * g.sign(),
    )
    symbols = "exact mean / Lemma 51", "E‖∂ℓ/∂W^k‖² / Lemma 51"
    shows = Along("Gradients at the start, in units of Lemma 51", x="layer k", first=1)

    def given(self, rng: Generator) -> Tensor:
        return sqrt(self.gain / self.d) * normal(rng, self.L, self.draws, self.d, self.d)

    def predict(self, given: Tensor) -> list[float]:
        layers = range(1, self.L + 1)
        return [self.mean(k, exact=True) / self.mean(k, exact=False) for k in layers]

    def mean(self, k: int, *, exact: bool) -> float:
        """The exact mean for unit vectors x and y, or the bound of Lemma 51."""
        s2 = self.gain / self.d
        return layer_gradient_second_moment(self.d, self.L, k, s2, rho=1.0, gamma=1.0, exact=exact)

    def measure(self, given: Tensor) -> list[Sample]:
        x = torch.full((self.d, 1), self.d**-0.5, dtype=torch.float64)
        activity = [x.expand(self.draws, self.d, 1)]
        for W in given:
            activity.append(W @ activity[-1])
        delta, out = activity[-1] - x * (-1.0) ** torch.arange(self.d)[:, None], []
        for k in range(self.L, 0, -1):
            norms = delta.square().sum(dim=(1, 2)) * activity[k - 1].square().sum(dim=(1, 2))
            out.append(Sample(norms / self.mean(k, exact=False)))
            delta = given[k - 1].mT @ delta
        return out[::-1]
