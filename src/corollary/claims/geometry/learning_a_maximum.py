r"""Learning a maximum from sets: more data help only with enough latent dimensions.

Sets of :math:`M` numbers are described by :math:`d` sums :math:`\sum_m\varphi_k(x_m)`, and the
maximum is learned from :math:`n` examples by the best means there is without knowing more: the
mean of the nearest examples in the space of these sums. For :math:`d<M` the error stays where it
is, however large :math:`n`; for :math:`d\ge M` it falls. With maxima in place of sums it falls
already for one latent number. Measured is the error with few over that with many examples for
:math:`d<M` (at most ``floor``), and the other way round for :math:`d\ge M` (at most ``drop``).

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Wagstaff, Fuchs, Engelcke, Posner and
    Osborne (2019), "On the limitations of representing functions on sets", Section 5.
:kind: experiment
:uses: latent_dimension, power_sum_embedding
:covers: deep-sets-latent-dimension
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Sample, Suppose, at_most, near, option, uniform


class Given(NamedTuple):
    x: Float[Tensor, "r n M"]  # sets to learn from, in several runs
    asked: Float[Tensor, "r t M"]  # sets to be asked about
    pool: Callable[[Tensor], Tensor]  # puts the elements together, along the last axis but one


def adds_up(g: Given) -> tuple[bool, str]:
    """Whether a set taken twice has twice the pooled numbers."""
    z = g.asked[..., None]
    return near(g.pool(torch.cat([z, z], dim=-2)), 2 * g.pool(z))


def learned_error(x: Tensor, asked: Tensor, z: Tensor, nearest: int = 4) -> float:
    """The error of the mean of the nearest examples, seen through pooled numbers z."""
    from scipy.spatial import cKDTree

    variances, axes = torch.linalg.eigh((z - z.mean(0)).T @ (z - z.mean(0)) / len(z))
    z = z @ axes / variances.clamp(min=1e-12).sqrt()  # all directions count alike
    _, near = cKDTree(z[: len(x)].numpy()).query(z[len(x) :].numpy(), k=nearest)
    guess = x.amax(dim=1)[torch.from_numpy(near)].mean(dim=1)
    return float((guess - asked.amax(dim=1)).square().mean().sqrt())


class LearningAMaximum(Claim[Given]):
    M: int = option(3, low=2, high=4)  # numbers in a set
    few: int = option(1000, low=50, high=10_000)  # examples of the short run
    many: int = option(16_000, low=1000, high=500_000)  # examples of the long run
    runs: int = option(12, low=2, high=100)  # repetitions
    floor: float = option(1.25, low=1.0, high=2.0)  # allowed gain below d = M
    drop: float = option(0.75, low=0.0, high=1.0)  # share of the error that may be left above

    relation = at_most()
    supposes = Suppose(
        "the network sums the features of the elements",
        adds_up,
        "If the network takes a maximum over elements, one latent dimension is enough.",
        pool=lambda g: lambda z: z.amax(dim=-2),
    )
    symbols = "floor for d < M, drop for d ≥ M", "ratio of errors, few to many or many to few"
    shows = Along("The error drops at d = M", x="d", y="ratio of errors", first=1, log="y")

    def given(self, rng: Generator) -> Given:
        x = 2 * uniform(rng, self.runs, self.many + 500, self.M) - 1
        return Given(x[:, : self.many], x[:, self.many :], lambda z: z.sum(dim=-2))

    def predict(self, given: Given) -> list[float]:
        return [self.floor] * (self.M - 1) + [self.drop] * (self.M + 1)

    def measure(self, given: Given) -> list[Sample]:
        def ratio(x: Tensor, asked: Tensor, d: int) -> float:
            def error(x: Tensor) -> float:
                both = torch.cat([x, asked])
                powers = both[..., None].expand(*both.shape, d).cumprod(dim=-1)
                return learned_error(x, asked, given.pool(powers))

            few, many = error(x[: self.few]), error(x)
            return few / many if d < self.M else many / few

        runs = list(zip(given.x, given.asked, strict=True))
        sizes = range(1, 2 * self.M + 1)
        return [Sample([ratio(x, asked, d) for x, asked in runs]) for d in sizes]
