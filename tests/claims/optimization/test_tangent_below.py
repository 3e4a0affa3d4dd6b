import pytest
import torch

from corollary.claims.optimization.tangent_below import Given, TangentBelow
from corollary.core import Verdict


def at(*values):
    return torch.tensor(values, dtype=torch.float64)[:, None]


def test_a_parabola_lies_the_squared_distance_above_its_tangents():
    given = Given(lambda x: (x**2).sum(), at(3.0, 0.0), at(1.0, 1.0))
    result = TangentBelow().check_given(given)
    assert result.verdict is Verdict.HOLDS
    gaps = [m.value - p for m, p in zip(result.measured, result.predicted, strict=True)]
    assert gaps == pytest.approx([4.0, 1.0])


def test_a_cube_is_above_some_tangents_and_below_others():
    given = Given(lambda x: (x**3).sum(), at(-2.0), at(0.5))
    assert TangentBelow().check_given(given).verdict is Verdict.INAPPLICABLE
    assert TangentBelow().measure(given)[0] < TangentBelow().predict(given)[0]


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_functions(seed):
    assert TangentBelow(d=5, m=3).check(seed).verdict is Verdict.HOLDS
