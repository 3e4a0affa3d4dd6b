r"""Critical batch size of linear regression.

For :math:`y=\langle x,w\rangle+s\,e` with standard normal :math:`x\in\mathbb R^d` and e, the
squared loss at weight 0 has the gradient noise scale

.. math:: \mathcal B=\frac{\operatorname{tr}\Sigma}{|G|^2}=d\Bigl(1+\frac{s^2}{|w|^2}\Bigr)+1,

the batch size beyond which more examples buy little. Squared lengths of single examples' gradients
and of batch gradients, averaged over independent batches, estimate both parts without bias, and the
95 % interval of their ratio contains :math:`\mathcal B` in 95 % of the runs.

:source: McCandlish, Kaplan, Amodei et al. (2018), "An empirical model of large-batch training",
    Eq. 2.8 and Appendix A.1; Fieller (1954), "Some problems in interval estimation".
:kind: theorem
:cost: seconds
:uses: sgd_step
:beyond: The notes say that larger batches have less noise; this claim says from which size on
    larger batches help little.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Count, Kept, Suppose, Trial, normal, option, within_interval
from corollary.core.picture import Level, Marks, Points, picture
from corollary.theory.landscape.curvature.interval import Estimate
from corollary.theory.landscape.curvature.noise_scale import ratio_interval, two_sizes

LEVEL = 0.95


class Given(NamedTuple):
    w: Float[Tensor, " d"]  # of the teacher
    s: float  # standard deviation of the labels' noise
    batches: int  # different ones among the readings of a run
    readings: int  # of a run

    @property
    def scale(self) -> float:
        """The closed form."""
        return len(self.w) * (1 + self.s**2 / float(self.w @ self.w)) + 1


class CriticalBatchSize(Claim[Given]):
    d: int = option(5, low=1, high=50)  # dimension
    s: float = option(0.5, low=0.0, high=5.0)  # noise of the labels
    size: int = option(32, low=2, high=512)  # examples of a batch
    readings: int = option(100, low=10, high=1000)  # batches per run
    runs: int = option(400, low=50, high=4000)  # intervals

    # 400 runs know a share near 0.95 to 0.03 on either side.
    relation = within_interval(level=0.99, resolution=0.05)
    supposes = (
        Suppose("the gradient is not zero", lambda g: float(g.w.norm())),
        Suppose(
            "every measurement uses another batch",
            lambda g: (g.batches == g.readings, f"{g.batches} batches, {g.readings} readings"),
            "Each batch is counted ten times, so the interval is three times too narrow.",
            batches=lambda g: max(1, g.readings // 10),
        ),
    )
    symbols = "level", "share of intervals that contain the closed form"
    predicts = LEVEL

    def given(self, rng: Generator) -> Given:
        w = normal(rng, self.d)
        return Given(w / w.norm(), self.s, self.readings, self.readings)

    def measure(self, given: Given, rng: Generator) -> Kept:
        found = [self._interval(given, rng) for _ in range(self.runs)]
        return Kept(Count(sum(given.scale in one for one in found), self.runs), found=found)

    def _interval(self, given: Given, rng: Generator) -> Estimate:
        d = len(given.w)
        x = normal(rng, given.batches, self.size, d)
        y = x @ given.w + given.s * normal(rng, given.batches, self.size)
        g = -2 * x * y[..., None]
        small, large = g.square().sum(2).mean(1), g.mean(1).square().sum(1)
        times = -(-given.readings // given.batches)
        noise, signal = two_sizes(small, large, 1, self.size)
        parts = torch.stack([noise, signal], 1).repeat(times, 1)[: given.readings]
        n = len(parts)
        mean, left_out = parts.mean(0), (parts.sum(0) - parts) / (n - 1)
        return ratio_interval(float(mean[0]), float(mean[1]), left_out, LEVEL)

    @picture("Critical batch size, forty runs", x="run", y="examples")
    def marks(self, trial: Trial[Given]) -> Marks:
        few = trial.kept.found[:40]
        yield Points(
            list(range(len(few))),
            [one.value for one in few],
            "95 % intervals",
            low=[one.low for one in few],
            high=[one.high for one in few],
        )
        yield Level(trial.given.scale, "d (1 + s²/|w|²) + 1")
