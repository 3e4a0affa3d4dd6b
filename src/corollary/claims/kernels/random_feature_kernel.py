r"""Random features approximate a kernel.

With :math:`w_i \sim N(0, I)` (and :math:`b_i` uniform on a circle) the kernel of p random features

.. math:: K_p(x, x') = \frac1p\sum_{i=1}^p\varphi_i(x)\varphi_i(x')

is unbiased for its limit, the arc-cosine kernel for
:math:`\varphi_i(x) = (\langle w_i, x\rangle)_+` and :math:`e^{-\|x-x'\|^2/2}` for
:math:`\varphi_i(x) = \sqrt2\cos(\langle w_i, x\rangle + b_i)`, with error
:math:`O(p^{-1/2})`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.2; Rahimi and Recht (2007), "Random
    features for large-scale kernel machines", Claim 1.
:kind: rate
:cost: instant
:covers: random-feature-model, rbf-kernel
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.kernels._rate_figure import rate_figure
from corollary.core import Claim, Figure, Hypothesis, Series, generator, option, slope
from corollary.models.random_features import RandomFeatures


class Given(NamedTuple):
    """Inputs, a seed for the features, and the standard deviation of the weights."""

    x: Float[Tensor, "n d"]
    seed: int
    spread: float


class RandomFeatureKernel(Claim[Given]):
    counts: tuple[int, ...] = (64, 128, 256, 512, 1024)  # features
    kind: Literal["relu", "fourier"] = "fourier"  # ReLU of a projection, or a random wave
    draws: int = option(40, low=4, high=400)  # feature maps of each size
    relation = slope(gap=0.15)  # forty feature maps leave 0.04 in the fitted slope

    def given(self, rng: Generator) -> Given:
        """Ten Gaussian inputs in dimension 3."""
        x = torch.randn(10, 3, generator=rng, dtype=torch.float64)
        return Given(x, int(torch.randint(2**40, (), generator=rng)), 1.0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The law of the weights."""
        yield Hypothesis("the weights are standard normal", given.spread == 1.0)

    def predict(self, given: Given) -> float:
        """The exponent of a mean of p terms."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """Errors at each size."""
        return Series(self.counts, self._errors(given))

    def counterexample(self, rng: Generator) -> Given:
        """Weights twice as large approximate another kernel."""
        return self.given(rng)._replace(spread=2.0)

    def figure(self, given: Given) -> Figure:
        """The decay."""
        return rate_figure(
            "Kernel of random features", self.counts, self._errors(given), -0.5,
            "features p", "|K_p - K|",
        )  # fmt: skip

    def _errors(self, given: Given) -> list[float]:
        found = []
        for p in self.counts:
            rng = generator(given.seed, "features", p)
            total = 0.0
            for _ in range(self.draws):
                model = RandomFeatures(given.x.shape[1], p, kind=self.kind, rng=rng)
                model.w.mul_(given.spread)
                with torch.no_grad():
                    off = model.kernel(given.x) - model.limit_kernel(given.x)
                total += float((off**2).mean())
            found.append((total / self.draws) ** 0.5)
        return found
