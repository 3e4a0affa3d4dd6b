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
:uses: relu_expectations
:covers: random-feature-model, rbf-kernel
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, normal, option, slope
from corollary.models.random_features import RandomFeatures


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # inputs
    spread: float  # standard deviation of the weights


class RandomFeatureKernel(Claim[Given]):
    counts: tuple[int, ...] = (64, 128, 256, 512, 1024)  # features
    kind: Literal["relu", "fourier"] = "fourier"  # ReLU of a projection, or a random wave
    draws: int = option(40, low=4, high=400)  # feature maps of each size

    relation = slope(gap=0.15)  # forty feature maps leave 0.04 in the fitted slope
    supposes = Suppose(
        "the weights are standard normal",
        lambda g: (g.spread == 1, f"standard deviation {g.spread:g}"),
        "Weights twice as large approximate another kernel.",
        spread=2.0,
    )
    symbols = "p^(−1/2)", "|K_p − K|"
    predicts = -0.5
    shows = Over("Kernel of random features", x="features p")

    def given(self, rng: Generator) -> Given:
        return Given(normal(rng, 10, 3), 1.0)

    def measure(self, given: Given, rng: Generator) -> Series:
        def off(p: int) -> Tensor:
            model = RandomFeatures(given.x.shape[1], p, kind=self.kind, rng=rng)
            model.w.mul_(given.spread)
            return model.kernel(given.x).detach() - model.limit_kernel(given.x)

        errors = [torch.stack([off(p) for _ in range(self.draws)]) for p in self.counts]
        return Series(self.counts, [float(e.square().mean().sqrt()) for e in errors])
