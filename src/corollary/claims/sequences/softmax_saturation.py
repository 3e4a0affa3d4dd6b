r"""Unscaled attention saturates.

Without the factor :math:`1/\sqrt d` the softmax over n keys is nearly one-hot in high dimension,
and hardly any gradient passes it: for normal queries and keys its Jacobian
:math:`J=\operatorname{diag}(p)-pp^\top` has

.. math:: E\,\|J\|_F\sim\frac{c_n}{\sqrt d},\qquad c_n=n(n-1)\int\varphi^2\,\Phi^{n-2},

with :math:`c_n` the density at zero of the gap between the two largest of n normal variables: only
where these two are a few units apart does the softmax react. With the factor the mean stays where
it is.

:source: Perez Jensen (2025), Deep Learning, Section 6.1; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.1; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all you need".
    The rate is ours.
:kind: rate
:cost: instant
:covers: attention-variance-scaling
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.theory.sequences.saturation import attention_scores, gap_density, jacobian_norms


class Given(NamedTuple):
    """Scores of n keys, one query and set of keys a row, in each dimension."""

    dims: tuple[int, ...]
    scores: tuple[Float[Tensor, "r n"], ...]


@dataclass(frozen=True)
class SoftmaxSaturation(Claim[Given]):
    """The mean norm of the Jacobian against the dimension."""

    n: int = option(3, low=2, high=50)  # keys
    r: int = option(150, low=20, high=500)  # queries, and sets of keys: r² softmaxes a dimension
    relation = slope(gap=0.1)  # the mean of 22500 norms, seldom large, is known to 2 % a size

    def given(self, rng: Generator) -> Given:
        """Normal queries and keys."""
        dims = (64, 128, 256, 512, 1024)
        return Given(dims, tuple(attention_scores(d, self.n, self.r, rng=rng) for d in dims))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No scale."""
        sizes = [float(s.square().mean()) / d for d, s in zip(*given, strict=True)]
        bare = all(0.8 < v < 1.25 for v in sizes)
        yield Hypothesis("scores have variance d", bare, f"variance/d {sizes[-1]:.3g}")

    def predict(self, given: Given) -> float:
        """One over the root."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """The mean norm in each dimension."""
        return Series(given.dims, [float(jacobian_norms(s).mean()) for s in given.scores])

    def counterexample(self, rng: Generator) -> Given:
        """Scores that are divided by the root of d: the norm does not fall."""
        given = self.given(rng)
        scaled = tuple(s / d**0.5 for d, s in zip(*given, strict=True))
        return given._replace(scores=scaled)

    def figure(self, given: Given) -> Figure:
        """The norm with and without the scale."""
        norms = [jacobian_norms(s) for s in given.scores]
        scaled = [jacobian_norms(s / d**0.5) for d, s in zip(*given, strict=True)]
        c = gap_density(given.scores[0].shape[1])
        asymptote = [c / d**0.5 for d in given.dims]
        marks = (
            Curve(asymptote, given.dims, label="cₙ/√d", role="predicted"),
            _spread(given.dims, norms, "softmax(q·k)", "measured"),
            _spread(given.dims, scaled, "softmax(q·k/√d)", "other"),
        )
        return Figure(
            "Without the scale no gradient passes the softmax", x="dimension d", y="mean ‖J‖",
            marks=marks, log_x=True, log_y=True,
        )  # fmt: skip


def _spread(dims: tuple[int, ...], norms: list[Tensor], label: str, role: str) -> Points:
    """Means with three standard errors."""
    mean = [float(v.mean()) for v in norms]
    half = [3 * float(v.std()) / len(v) ** 0.5 for v in norms]
    low = [max(m - h, m / 10) for m, h in zip(mean, half, strict=True)]
    high = [m + h for m, h in zip(mean, half, strict=True)]
    return Points(dims, mean, label=label, role=role, low=low, high=high)
