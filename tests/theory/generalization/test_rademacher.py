import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core import Sample, generator
from corollary.errors import InputError
from corollary.theory.generalization.rademacher import (
    contraction,
    massart_bound,
    rademacher_complexity,
    rademacher_deviation,
    random_signs,
    sign_suprema,
    sign_vectors,
    sum_of_classes,
    threshold_complexity,
)
from corollary.theory.generalization.shattering import thresholds

SMOOTH = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "ramp": lambda t: t.clamp(0, 1),
    "abs": torch.abs,
    "shifted": lambda t: 7 + torch.sin(t),
}


def values(k, m, seed=0):
    return torch.randn(k, m, generator=generator(seed, "values", k, m), dtype=torch.float64)


def test_one_function_has_no_complexity_and_all_signs_have_the_largest():
    assert rademacher_complexity(values(1, 7)) == pytest.approx(0, abs=1e-15)
    assert rademacher_complexity(sign_vectors(6)) == 1.0


def test_two_opposite_functions_are_worked_by_hand():
    f = torch.ones(1, 3, dtype=torch.float64)
    assert rademacher_complexity(torch.cat([f, -f])) == 0.5  # E|S_3| / 3 = 1.5 / 3


def test_random_signs_agree_with_all_signs():
    F = values(6, 10)
    found = Sample(sign_suprema(F, random_signs(4000, 10, rng=generator(0, "signs")))).read(0.999)
    assert found.low <= rademacher_complexity(F) <= found.high


def test_a_support_function_gives_the_same_as_its_extreme_points():
    m = 5
    cube = rademacher_complexity(lambda s: s.abs().sum(dim=1), m)  # all f with |f| <= 1
    assert cube == rademacher_complexity(sign_vectors(m)) == 1.0
    with pytest.raises(InputError, match="needs m"):
        rademacher_complexity(lambda s: s.sum(dim=1))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 8), st.integers(0, 10**6))
def test_it_is_monotone_homogeneous_shift_free_and_adds_up(a, b, m, seed):
    F, G = values(a, m, seed), values(b, m, seed + 1)
    R, S = rademacher_complexity(F), rademacher_complexity(G)
    both = rademacher_complexity(torch.cat([F, G]))
    assert both >= max(R, S) - 1e-12
    assert rademacher_complexity(-3 * F) == pytest.approx(3 * R, abs=1e-12)
    assert rademacher_complexity(F + G[:1]) == pytest.approx(R, abs=1e-12)
    assert rademacher_complexity(sum_of_classes(F, G)) == pytest.approx(R + S, abs=1e-12)
    assert R <= massart_bound(F) + 1e-12


def test_some_of_the_sums_have_less_complexity():
    F, G = values(4, 6), values(4, 6, seed=1)
    assert rademacher_complexity(F + G) < rademacher_complexity(F) + rademacher_complexity(G)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("seed", range(5))
def test_lipschitz_functions_contract(name, seed):
    after, bound = contraction(2 * values(5, 7, seed), SMOOTH[name], 1.0)
    assert after <= bound * (1 + 1e-12)


def test_a_jump_does_not_contract():
    after, bound = contraction(values(5, 7) / 100, lambda t: (t > 0).double(), 1.0)
    assert after > 10 * bound


@pytest.mark.parametrize("m", range(1, 13))
def test_the_complexity_of_thresholds_is_the_mean_maximum_of_a_walk(m):
    table = thresholds(torch.arange(float(m))[:, None]).double()
    assert threshold_complexity(m) == pytest.approx(rademacher_complexity(table), rel=1e-12)


def test_the_complexity_of_thresholds_decays_like_the_root():
    assert threshold_complexity(100_000) * math.sqrt(100_000) == pytest.approx(
        math.sqrt(2 / math.pi), rel=0.01
    )


def test_the_slack_of_the_notes_is_larger_by_the_root_of_two():
    sharp = rademacher_deviation(0.0, 100, 0.05)
    assert math.sqrt(math.log(1 / 0.05) / 100) / sharp == pytest.approx(math.sqrt(2))
    assert rademacher_deviation(0.0, 100, 0.05, empirical=True) > sharp


def test_wrong_input_is_refused():
    for call in (
        lambda: sign_vectors(21),
        lambda: sign_suprema(values(2, 3), sign_vectors(4)),
        lambda: rademacher_deviation(-1.0, 10, 0.1),
        lambda: rademacher_deviation(0.1, 0, 0.1),
        lambda: rademacher_deviation(0.1, 10, 0.0),
        lambda: rademacher_complexity(torch.full((1, 2), math.nan)),
    ):
        with pytest.raises(InputError):
            call()
