"""Claims that are wrong on purpose: the contract has to reject each, and for the right reason."""

import math
from typing import NamedTuple

import pytest
import torch
from torch import Generator, Tensor

from corollary.core import (
    Along,
    Claim,
    Count,
    Over,
    Series,
    Suppose,
    Verdict,
    at_least,
    at_most,
    equals,
    instead,
    slope,
)
from corollary.core.contract import Case, complaints
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.perceptron import margin, mistake_count, radius

HEAD = {"kind": "bound", "cost": "instant"}


class Cloud(NamedTuple):
    x: Tensor
    y: Tensor
    u: Tensor


class LooseConstant(Claim[Cloud]):
    """The perceptron makes at most forty times the mistakes that Novikoff allows."""

    relation = at_most()
    supposes = (
        Suppose(
            "u separates the points",
            lambda g: margin(*g),
            without=instead("All labels are flipped.", y=lambda g: -g.y, x=lambda g: g.x * 1e3),
        ),
    )
    symbols = "40 (R/γ)²", "mistakes"
    shows = (Along("Mistakes", x="entry"),)

    def given(self, rng: Generator) -> Cloud:
        return Cloud(*separable_cloud(100, 10, 0.1, rng=rng))

    def predict(self, given: Cloud) -> float:
        return 40 * float((radius(given.x) / margin(*given)) ** 2)

    def measure(self, given: Cloud) -> float:
        return float(mistake_count(given.x, given.y, max_updates=10_000)[-1])


class Flagged(NamedTuple):
    value: float
    true: bool


class PredictsItsMeasurement(Claim[Flagged]):
    """Whatever is measured is predicted."""

    relation = equals(ulps=1)
    supposes = (
        Suppose("it is true", lambda g: g.true, without=instead("It is not true.", true=False)),
    )
    symbols = "value", "value"
    shows = (Along("A value", x="entry"),)

    def given(self, rng: Generator) -> Flagged:
        return Flagged(float(torch.rand((), generator=rng)), True)

    def predict(self, given: Flagged) -> float:
        return self.measure(given._replace(true=True))

    def measure(self, given: Flagged) -> float:
        return given.value if given.true else given.value + 1


class Radius(NamedTuple):
    r: float


class HiddenTolerance(Claim[Radius]):
    """The area of the disc is 3.142 r²."""

    relation = equals(ulps=2**41)
    supposes = (
        Suppose("r is positive", lambda g: g.r, without=instead("A negative radius.", r=-1.0)),
    )
    symbols = "3.142 r²", "area"
    shows = (Along("Areas", x="entry"),)

    def given(self, rng: Generator) -> Radius:
        return Radius(1.0 + float(torch.rand((), generator=rng)))

    def predict(self, given: Radius) -> float:
        return 3.142 * given.r * abs(given.r)

    def measure(self, given: Radius) -> float:
        return math.pi * given.r**2


class Draws(NamedTuple):
    x: Tensor


class HiddenGap(Claim[Draws]):
    """Means of n numbers converge like n^-2."""

    relation = slope(gap=1.8)
    supposes = (
        Suppose(
            "the mean is 0",
            lambda g: bool(abs(g.x.mean()) < 0.02),
            without=instead("The mean is 1.", x=lambda g: g.x + 1),
        ),
    )
    symbols = "n^-2", "size of the mean"
    shows = (Over("Means", x="n"),)

    def given(self, rng: Generator) -> Draws:
        return Draws(torch.randn(400, 1600, generator=rng, dtype=torch.float64))

    def predict(self, given: Draws) -> float:
        return -2.0

    def measure(self, given: Draws) -> Series:
        sizes = (25, 100, 400, 1600)
        return Series(sizes, [float(given.x[:, :n].mean(dim=1).abs().mean()) for n in sizes])


class Matrix(NamedTuple):
    A: Tensor


class ConclusionAsHypothesis(Claim[Matrix]):
    """Gaussian matrices have positive determinants."""

    relation = at_least()
    supposes = (
        Suppose(
            "the determinant is positive",
            lambda g: torch.linalg.det(g.A),
            without=instead("Two rows are exchanged.", A=lambda g: g.A.flip(0)),
        ),
    )
    symbols = "0", "det A"
    shows = (Along("Determinants", x="entry"),)

    def given(self, rng: Generator) -> Matrix:
        return Matrix(torch.randn(3, 3, generator=rng, dtype=torch.float64))

    def predict(self, given: Matrix) -> float:
        return 0.0

    def measure(self, given: Matrix) -> float:
        return float(torch.linalg.det(given.A))


class BreaksNothing(Claim[Draws]):
    """Half of all uniform numbers lie below a half."""

    relation = at_most()
    supposes = (
        Suppose(
            "the numbers lie in [0, 1]",
            lambda g: bool(((g.x >= 0) & (g.x <= 1)).all()),
            without=instead("The numbers are doubled.", x=lambda g: 2 * g.x),
        ),
    )
    symbols = "0.53", "share below a half"
    shows = (Along("Shares", x="entry"),)

    def given(self, rng: Generator) -> Draws:
        return Draws(torch.rand(100_000, generator=rng, dtype=torch.float64))

    def predict(self, given: Draws) -> float:
        return 0.53

    def measure(self, given: Draws) -> Count:
        return Count(int((given.x < 0.5).sum()), len(given.x))


WRONG = {
    LooseConstant: "attained only up to",
    PredictsItsMeasurement: "`predict` calls `measure`",
    HiddenTolerance: "wrong prediction still holds",
    HiddenGap: "wrong prediction still holds",
    ConclusionAsHypothesis: "the hypothesis does not hold",
    BreaksNothing: "the conclusion does not fail",
}


@pytest.mark.parametrize("kind", WRONG, ids=lambda kind: kind.__name__)
def test_a_wrong_claim_is_rejected_for_the_right_reason(kind):
    assert any(WRONG[kind] in text for text in complaints(kind(), HEAD)), complaints(kind(), HEAD)


@pytest.mark.parametrize("kind", WRONG, ids=lambda kind: kind.__name__)
def test_at_one_seed_with_its_own_tolerance_a_wrong_claim_looks_right(kind):
    seed = next(s for s in range(20) if kind().check(s, draw=False).verdict is Verdict.HOLDS)
    assert Case(kind(), HEAD).claim.check(seed).verdict is Verdict.HOLDS
