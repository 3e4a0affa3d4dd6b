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
:cost: instant
:covers: gradient-norm-lemma
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, option, within_interval
from corollary.theory.landscape.random_products import entries, layer_gradient_second_moment


class Given(NamedTuple):
    """The law of the entries and the seed of the draws."""

    law: str
    seed: int


class LayerGradientMoment(Claim[Given]):
    d: int = option(6, low=2, high=20)  # width
    L: int = option(4, low=2, high=8)  # layers
    gain: float = option(1.0, low=0.25, high=2.0)  # d σ²
    draws: int = option(8000, low=2000, high=200_000)  # networks
    relation = within_interval(level=0.999999, resolution=0.15)  # chance: one seed in a million

    def given(self, rng: Generator) -> Given:
        """Gaussian layers."""
        return Given("gaussian", int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The law."""
        yield Hypothesis("the entries are Gaussian", given.law == "gaussian")

    def predict(self, given: Given) -> list[float]:
        """Exact over Lemma 51's bound, which is itself evaluated."""
        layers = range(1, self.L + 1)
        return [self._mean(k, exact=True) / self._mean(k, exact=False) for k in layers]

    def measure(self, given: Given) -> list[Sample]:
        """Squared Frobenius norms over Lemma 51's bound."""
        norms = gradient_norms(self.d, self.L, self.gain / self.d, self.draws, given)
        return [Sample(n / self._mean(k, exact=False)) for k, n in enumerate(norms, start=1)]

    def counterexample(self, rng: Generator) -> Given:
        """Signs in place of Gaussian numbers: smaller fourth moments."""
        return self.given(rng)._replace(law="rademacher")

    def figure(self, given: Given) -> Figure:
        """Layer by layer."""
        k = list(range(1, self.L + 1))
        norms = gradient_norms(self.d, self.L, self.gain / self.d, self.draws, given)
        reads = [Sample(n).read(0.99) for n in norms]
        return Figure(
            "Gradients at the start, layer by layer",
            x="layer k",
            y="E‖∂ℓ/∂W^k‖²",
            marks=(
                Curve([self._mean(i, exact=True) for i in k], x=k, label="exact", role="predicted"),
                Curve([self._mean(i, exact=False) for i in k], x=k, label="Lemma 51", role="other"),
                Points(
                    k,
                    [r.value for r in reads],
                    low=[r.low for r in reads],
                    high=[r.high for r in reads],
                    label="mean of the draws, 99 %",
                ),
            ),
        )

    def _mean(self, k: int, *, exact: bool) -> float:
        s2 = self.gain / self.d
        return layer_gradient_second_moment(self.d, self.L, k, s2, rho=1.0, gamma=1.0, exact=exact)


def gradient_norms(d: int, L: int, s2: float, draws: int, given: Given) -> torch.Tensor:
    """Squared norms of the gradients, a row a layer, for unit vectors x and y."""
    rng = torch.Generator().manual_seed(given.seed)
    W = [entries(given.law, (draws, d, d), s2, rng=rng) for _ in range(L)]
    x = torch.full((draws, d, 1), d**-0.5, dtype=torch.float64)  # spread: kurtosis matters less
    activity = [x]
    for layer in W:
        activity.append(layer @ activity[-1])
    delta = activity[-1] - x.roll(1, dims=1) * _signs(d)
    out = []
    for layer, a in zip(reversed(W), reversed(activity[:-1]), strict=True):
        out.append(delta.square().sum(dim=(1, 2)) * a.square().sum(dim=(1, 2)))
        delta = layer.mT @ delta
    return torch.stack(out[::-1])


def _signs(d: int) -> torch.Tensor:
    return torch.tensor([(-1.0) ** i for i in range(d)], dtype=torch.float64)[:, None]
