import pytest
import torch

from corollary.claims.prerequisites.taylor_remainder import Given, TaylorRemainder
from corollary.core import Verdict


@pytest.mark.parametrize("function", ["exp", "sin", "1/(1+x)"])
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4])
def test_it_holds_for_every_function_and_order(function, k):
    assert TaylorRemainder(k=k, function=function).check(0).verdict is Verdict.HOLDS


def test_a_cube_leaves_exactly_its_cube():
    given = Given(lambda x: x**3, 0.0)
    measured = TaylorRemainder(k=2).measure(given)
    assert measured.values == pytest.approx([s**3 for s in measured.sizes])
    assert TaylorRemainder(k=2).check_given(given).verdict is Verdict.HOLDS


@pytest.mark.parametrize("k", [1, 2, 3])
def test_with_k_derivatives_only_the_exponent_is_smaller(k):
    refuted = TaylorRemainder(k=k).refute(0)
    assert refuted.fails and refuted.broken == ("f has k + 1 continuous derivatives near a",)


@pytest.mark.parametrize("seed", range(5))
def test_it_holds_at_drawn_centres(seed):
    assert TaylorRemainder().check(seed).verdict is Verdict.HOLDS


def test_functions_work_on_tensors_of_any_shape():
    assert torch.isfinite(TaylorRemainder().given(torch.Generator()).f(torch.zeros(2, 3))).all()
