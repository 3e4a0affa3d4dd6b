r"""Attention without the scale 1/√d saturates.

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
:uses: dot_product_variance
:covers: attention-variance-scaling
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Series, Suppose, Trial, option, slope
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.sequences.saturation import attention_scores, gap_density, jacobian_norms

DIMS = (64, 128, 256, 512, 1024)


class Given(NamedTuple):
    """Scores of n keys, one query and set of keys per row, in each dimension."""

    dims: tuple[int, ...]
    scores: tuple[Float[Tensor, "r n"], ...]


def variances(given: Given) -> tuple[bool, str]:
    """The mean square of the scores over the dimension."""
    sizes = [float(s.square().mean()) / d for d, s in zip(*given, strict=True)]
    return all(0.8 < v < 1.25 for v in sizes), f"variance/d {sizes[-1]:.3g}"


class SoftmaxSaturation(Claim[Given]):
    n: int = option(3, low=2, high=50)  # keys
    r: int = option(150, low=20, high=500)  # queries, and sets of keys: r² softmaxes per dimension

    relation = slope(gap=0.1)  # the mean of 22500 norms, seldom large, is known to 2 % per size
    supposes = Suppose(
        "scores have variance d",
        variances,
        "If the scores are divided by √d, the norm does not fall.",
        scores=lambda g: tuple(s / d**0.5 for d, s in zip(*g, strict=True)),
    )
    symbols = "d^(-1/2)", "mean ‖J‖"
    predicts = -0.5

    def given(self, rng: Generator) -> Given:
        return Given(DIMS, tuple(attention_scores(d, self.n, self.r, rng=rng) for d in DIMS))

    def measure(self, given: Given) -> Series:
        return Series(given.dims, [float(jacobian_norms(s).mean()) for s in given.scores])

    @picture(
        "Without the scale no gradient passes the softmax", x="dimension d", y="mean ‖J‖", log="xy"
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        d, c = trial.given.dims, gap_density(trial.given.scores[0].shape[1])
        yield Curve([c / n**0.5 for n in d], d, label="cₙ/√d", role="predicted")
        yield Points(d, trial.measured.values, label="softmax(q·k)")
        for t in trial.without:
            yield Points(d, t.measured.values, "softmax(q·k/√d)", "other")
