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
:cost: instant
:covers: cross-entropy-deep-linear
:erratum: [notation] The forward product is written prod_{k=1}^{l-1} W^k x, meant is
    W^{l-1} ... W^1 x. Corollary 49 does not apply to W^{l+1:L} (p - y), since p depends on W;
    the Frobenius norm of the product does, at the price of the factor d here.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, at_most, option
from corollary.theory.landscape.random_products import cross_entropy_gradient_bound


class Given(NamedTuple):
    """The input, the target, and the seed of the networks."""

    x: Tensor
    y: Tensor
    seed: int


class CrossEntropyDeepLinear(Claim[Given]):
    d: int = option(4, low=2, high=50)  # width and classes
    L: int = option(6, low=2, high=20)  # layers
    gain: float = option(1.0, low=0.25, high=2.0)  # d σ²
    draws: int = option(1500, low=500, high=50_000)  # networks
    relation = at_most(level=0.9999)  # Student interval; the mean is far below the bound

    def given(self, rng: Generator) -> Given:
        """A Gaussian input and one class."""
        x = torch.randn(self.d, generator=rng, dtype=torch.float64)
        y = torch.zeros(self.d, dtype=torch.float64)
        y[0] = 1.0
        return Given(x, y, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The target."""
        y = given.y
        fine = bool((y >= 0).all()) and abs(float(y.sum()) - 1) < 1e-12
        yield Hypothesis("y is a probability vector", fine)

    def predict(self, given: Given) -> list[float]:
        """One number for all layers."""
        x_sq = float(given.x.square().sum())
        s2 = self.gain / self.d
        return [cross_entropy_gradient_bound(self.d, self.L, s2, x_sq=x_sq)] * self.L

    def measure(self, given: Given) -> list[Sample]:
        """Squared Frobenius norms by the recursion of the deltas."""
        return [Sample(row) for row in self._norms(given)]

    def counterexample(self, rng: Generator) -> Given:
        """A class counted twenty times, with the same rule for the deltas."""
        given = self.given(rng)
        return given._replace(y=20 * given.y)

    def figure(self, given: Given) -> Figure:
        """Layer by layer, for three gains."""
        layers = list(range(1, self.L + 1))
        marks: list[Curve | Points] = []
        for gain in (0.5, 1.0, 2.0):
            claim = CrossEntropyDeepLinear(self.d, self.L, gain, self.draws)
            reads = [sample.read(0.99) for sample in claim.measure(given)]
            bound = claim.predict(given)
            marks.append(Curve(bound, x=layers, label=f"bound, dσ² = {gain:g}", role="predicted"))
            marks.append(
                Points(
                    layers,
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label=f"mean and 99 %, dσ² = {gain:g}",
                )
            )
        return Figure(
            "Cross-entropy gradients do not depend on the layer",
            x="layer l",
            y="E‖∂ℓ/∂W^l‖²",
            log_y=True,
            marks=tuple(marks),
        )

    def _norms(self, given: Given) -> list[Tensor]:
        rng = torch.Generator().manual_seed(given.seed)
        d, s2 = self.d, self.gain / self.d
        shape = (self.L, self.draws, d, d)
        W = s2**0.5 * torch.randn(shape, generator=rng, dtype=torch.float64)
        activity = [given.x.expand(self.draws, d)[:, :, None]]
        for layer in W:
            activity.append(layer @ activity[-1])
        delta = activity[-1].softmax(dim=1) - given.y[:, None]
        out = []
        for layer, a in zip(W.flip(0), reversed(activity[:-1]), strict=True):
            out.append(delta.square().sum(dim=(1, 2)) * a.square().sum(dim=(1, 2)))
            delta = layer.mT @ delta
        return out[::-1]
