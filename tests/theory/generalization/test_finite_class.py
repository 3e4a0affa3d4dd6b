import math

import pytest
import torch
from scipy import stats

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.generalization.deviations import hoeffding_deviation
from corollary.theory.generalization.finite_class import (
    class_deviation,
    erm,
    erm_excess,
    finite_class_deviation,
    finite_class_probability,
    largest_deviation,
)


def test_one_function_gives_hoeffding():
    assert finite_class_deviation(1, 100, 0.05) == hoeffding_deviation(100, 0.05)


def test_the_probability_at_the_deviation_is_delta():
    eps = finite_class_deviation(30, 200, 0.05)
    assert finite_class_probability(30, 200, eps) == pytest.approx(0.05)
    one = finite_class_deviation(30, 200, 0.05, sides=1)
    assert finite_class_probability(30, 200, one, sides=1) == pytest.approx(0.05)
    assert one < eps


@pytest.mark.parametrize(("N", "n"), [(1, 50), (20, 100), (500, 400)])
def test_the_exact_probability_for_independent_functions_is_below_the_bound(N, n):
    """All risks 1/2: 1 - (1 - tail)^N with the exact binomial tail."""
    eps = finite_class_deviation(N, n, 0.05)
    k = torch.arange(n + 1).double()
    tail = stats.binom.pmf(k.numpy(), n, 0.5)[((k / n - 0.5).abs() > eps).numpy()].sum()
    assert 0 < 1 - (1 - tail) ** N <= 0.05


def test_classes_too_large_to_write_down_go_by_their_logarithm():
    assert class_deviation(math.log(1000), 50, 0.1) == finite_class_deviation(1000, 50, 0.1)
    assert class_deviation(1e5, 10**6, 0.05) == pytest.approx(math.sqrt((1e5 + math.log(40)) / 2e6))
    with pytest.raises(InputError, match=">= 0"):
        class_deviation(-1.0, 10, 0.1)


def test_the_minimiser_is_found_and_its_excess_is_at_most_twice_the_deviation_on_every_draw():
    rng = generator(0, "erm")
    risks = torch.rand(40, generator=rng, dtype=torch.float64)
    losses = (torch.rand(300, 50, 40, generator=rng, dtype=torch.float64) < risks).double()
    best, risk = erm(losses)
    empirical = losses.mean(dim=1)
    assert torch.equal(risk, empirical.amin(dim=1))
    excess = risks[best] - risks.min()
    assert bool((excess <= 2 * largest_deviation(risks, empirical) + 1e-12).all())
    assert float(excess.max()) > 0
    assert float(risk.mean()) < float(risks.min())  # optimism


def test_without_its_probability_clause_theorem_59_is_false():
    """Risks 0.1 and 0.9 on five samples: sometimes the worse one looks better."""
    bound = erm_excess(2, 5, 0.99)
    k = range(6)
    good, bad = stats.binom.pmf(k, 5, 0.1), stats.binom.pmf(k, 5, 0.9)
    chance = sum(good[i] * bad[j] for i in k for j in k if j < i)
    assert bound < 0.8
    assert chance == pytest.approx(1.469e-4, rel=1e-3)
