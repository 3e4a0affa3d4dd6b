r"""More sets help only with enough latent numbers.

Sets of :math:`M` numbers are described by :math:`d` sums :math:`\sum_m\varphi_k(x_m)`, and the
maximum is learned from :math:`n` examples by the best means there is without knowing more: the
mean of the nearest examples in the space of these sums. For :math:`d<M` the error stays where it
is, however large :math:`n`; for :math:`d\ge M` it falls. With maxima in place of sums it falls
already for one latent number. Measured is the error with few over that with many examples for
:math:`d<M` (at most ``floor``), and the other way round for :math:`d\ge M` (at most ``drop``).

:source: Perez Jensen (2025), Deep Learning, Section 7.2; Wagstaff, Fuchs, Engelcke, Posner and
    Osborne (2019), "On the limitations of representing functions on sets", Section 5.
:kind: experiment
:cost: instant
:covers: deep-sets-latent-dimension
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, at_most, option
from corollary.models.deep_sets import Pool, pooled


class Given(NamedTuple):
    """Sets to learn from and to be asked about, and how elements are put together."""

    x: Tensor  # (n, M)
    asked: Tensor  # (t, M)
    few: int  # examples in the short run
    pool: Pool


class LearningAMaximum(Claim[Given]):
    M: int = option(3, low=2, high=4)  # numbers in a set
    few: int = option(500, low=50, high=10_000)  # examples of the short run
    many: int = option(16_000, low=1000, high=500_000)  # examples of the long run
    floor: float = option(1.25, low=1.0, high=2.0)  # allowed gain below d = M
    drop: float = option(0.6, low=0.0, high=1.0)  # share of the error that may be left above
    relation = at_most()  # the ratios are far from the limits

    def given(self, rng: Generator) -> Given:
        """Uniform numbers."""
        x = 2 * torch.rand(self.many + 500, self.M, generator=rng, dtype=torch.float64) - 1
        return Given(x[: self.many], x[self.many :], self.few, "sum")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A sum."""
        yield Hypothesis("elements are added up", given.pool == "sum")

    def predict(self, given: Given) -> list[float]:
        """Floors below M, drops from M on."""
        M = given.x.shape[1]
        return [self.floor] * (M - 1) + [self.drop] * (M + 1)

    def measure(self, given: Given) -> list[float]:
        """Ratios of errors."""
        M = given.x.shape[1]
        out = []
        for d in range(1, 2 * M + 1):
            few, many = (learned_error(given, d, n) for n in (given.few, len(given.x)))
            out.append(few / many if d < M else many / few)
        return out

    def counterexample(self, rng: Generator) -> Given:
        """A maximum over the elements."""
        return self.given(rng)._replace(pool="max")

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Error by the number of examples, and by the latent dimension."""
        M = given.x.shape[1]
        sizes = [n for n in (250, 1000, 4000, 16_000) if n <= len(given.x)]
        curves = []
        for d in range(1, 2 * M):
            errors = [learned_error(given, d, n) for n in sizes]
            role = "other" if d < M else "measured"
            words = f"d = {d}" + (" < M" if d < M else "")
            curves.append(Curve(errors, x=sizes, label=words, role=role, dashed=d < M))
        control = [learned_error(given._replace(pool="max"), 1, n) for n in sizes]
        curves.append(Curve(control, x=sizes, label="maximum, d = 1", role="predicted"))
        by_size = Figure(
            f"Learning the maximum of M = {M} numbers",
            x="n, examples",
            y="root mean squared error",
            log_x=True,
            log_y=True,
            marks=tuple(curves),
        )
        sizes_d = list(range(1, 2 * M + 1))
        marks = (
            Points(sizes_d, [learned_error(given, d, given.few) for d in sizes_d],
                   label=f"{given.few} examples", role="other"),
            Points(sizes_d, [learned_error(given, d, len(given.x)) for d in sizes_d],
                   label=f"{len(given.x)} examples"),
            Level(M, label="d = M", axis="x"),
        )  # fmt: skip
        by_d = Figure(
            "The error drops at d = M",
            x="d, latent numbers",
            y="root mean squared error",
            log_y=True,
            marks=marks,
        )
        return by_size, by_d


def learned_error(given: Given, d: int, n: int, *, nearest: int = 4) -> float:
    """The error of the mean of the nearest of n examples, seen through d pooled powers."""
    from scipy.spatial import cKDTree

    x = torch.cat([given.x[:n], given.asked])
    powers = x[..., None].expand(*x.shape, d).cumprod(dim=-1)
    z = pooled(powers, given.pool)
    z = z - z.mean(dim=0)
    variances, axes = torch.linalg.eigh(z.T @ z / len(z))
    z = z @ axes / variances.clamp(min=1e-12).sqrt()  # all directions count alike
    _, near = cKDTree(z[:n].numpy()).query(z[n:].numpy(), k=nearest)
    guess = x[:n].max(dim=1).values[torch.from_numpy(near)].mean(dim=1)
    return float((guess - given.asked.max(dim=1).values).square().mean().sqrt())
