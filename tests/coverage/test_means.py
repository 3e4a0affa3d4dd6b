"""Means of independent draws, in every form that the library states them in."""

import math

import numpy as np
import pytest
import torch

from corollary.core import Sample
from corollary.core.measurement import readings
from corollary.exams.risks import LEVEL, Risk
from corollary.theory.generalization.risk import generalization_gap, monte_carlo_risk

LAWS = {  # name: (draw, mean)
    "normal": (lambda rng, shape: rng.standard_normal(shape), 0.0),
    "uniform": (lambda rng, shape: rng.random(shape), 0.5),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "minus exponential": (lambda rng, shape: -rng.exponential(size=shape), -1.0),
    "squared normal": (lambda rng, shape: rng.standard_normal(shape) ** 2, 1.0),
    "lognormal": (lambda rng, shape: rng.lognormal(0.0, 0.5, shape), math.exp(0.125)),
    "Student's, 3 degrees": (lambda rng, shape: rng.standard_t(3, shape), 0.0),
}
# As few as the interval is said to hold from; of the long ones the law no longer matters.
SIZES = {law: (10, 40) for law in LAWS} | {"normal": (3, 10, 40), "squared normal": (20, 100)}
CASES = [(law, n, level) for law in LAWS for n in SIZES[law] for level in (0.95, 0.99)]


def drawn(law, *shape):
    draw, truth = LAWS[law]
    return draw(np.random.default_rng(len(law) + sum(shape)), shape), truth


def within(truth, reading):
    return reading.low <= truth <= reading.high


@pytest.mark.parametrize(("law", "n", "level"), CASES)
def test_the_mean_of_a_sample(draws, covers, law, n, level):
    rows, truth = drawn(law, draws, n)
    covers(f"mean of {n}, {law}", level, (within(truth, Sample(r).read(level)) for r in rows))


def test_five_means_together(draws, covers):
    rows, truth = drawn("exponential", draws, 5, 40)
    together = (readings([Sample(v) for v in five], 0.95) for five in rows)
    covers("five means of 40 together", 0.95, (all(within(truth, r) for r in t) for t in together))


def squared(output, y):
    return (output - y).square()


def test_the_gap_between_training_and_expected_risk(draws, covers):
    rows, _ = drawn("normal", draws, 30)
    seen = (torch.zeros(5), torch.zeros(5))
    gaps = (generalization_gap(torch.zeros_like, seen, (y, y), squared) for y in torch.tensor(rows))
    covers("gap of risks, 30 test samples", 0.95, (within(-1.0, gap) for gap in gaps))


def test_the_risk_of_a_law_that_can_be_drawn_from(draws, covers):
    def law(n, rng):
        y = torch.randn(n, generator=rng, dtype=torch.float64)
        return y, y

    risks = (monte_carlo_risk(torch.zeros_like, law, squared, 50, rng=k) for k in range(draws))
    ends = (risk.interval(0.95) for risk in risks)
    covers("Monte Carlo risk, 50 samples", 0.95, (low <= 1.0 <= high for low, high in ends))


@pytest.mark.parametrize("answers", [1, 4])
def test_the_risk_that_an_examination_reads_of_answers(draws, covers, answers):
    rng = torch.Generator().manual_seed(answers)
    wrong = torch.rand(draws, 50, answers, generator=rng) < 0.2
    read = (Risk(each, 0.5, classes=True).reading() for each in wrong.double().mean(2))
    name = f"risk of an examination, {answers} answers a sample"
    covers(name, LEVEL, (within(0.2, r) for r in read))


def test_the_risk_that_an_examination_reads_of_squared_errors(draws, covers):
    rows, truth = drawn("squared normal", draws, 50)
    read = (Risk(torch.tensor(each), 1.0, classes=False).reading() for each in rows)
    covers("risk of an examination, squared errors", LEVEL, (within(truth, r) for r in read))
