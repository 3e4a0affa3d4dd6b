import pytest
import torch

from corollary.claims.prerequisites.smooth_spectrum import Given, SmoothSpectrum
from corollary.core import Verdict


def test_the_bound_is_attained_at_the_crest():
    a = torch.tensor([2.0], dtype=torch.float64)
    points = torch.tensor([[torch.pi / 4], [0.0]], dtype=torch.float64)
    result = SmoothSpectrum().check_given(Given(a, points, 4.0))
    assert result.verdict is Verdict.HOLDS and result.measured[0].value == pytest.approx(4.0)


def test_an_understated_constant_is_detected():
    refuted = SmoothSpectrum().refute(0)
    assert refuted.fails and refuted.broken == ("the gradient is L-Lipschitz",)


@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_frequencies(seed):
    assert SmoothSpectrum(n=20).check(seed).verdict is Verdict.HOLDS
