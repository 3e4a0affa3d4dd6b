import pytest
import torch
from torch import nn

from corollary.claims.robustness.crown_and_intervals import CrownAndIntervals
from corollary.claims.robustness.lipschitz_margin import Given, LipschitzMargin
from corollary.claims.robustness.smoothing_radius import SmoothingRadius
from corollary.claims.robustness.torus_norm import TorusNorm
from corollary.core import Verdict, generator

HOLDS, INAPPLICABLE = Verdict.HOLDS, Verdict.INAPPLICABLE


@pytest.mark.parametrize(
    "claim",
    [
        CrownAndIntervals(sigma="tanh", d=4, m=8, L=1, radii=2),
        CrownAndIntervals(sigma="gelu", d=4, m=8, L=2, radii=2),
        LipschitzMargin(d=4, L=1, n=5),
        LipschitzMargin(d=4, L=5, n=5, gain=2.0),
        SmoothingRadius(d=2, sigma=2.0, draws=100, trials=4000),
        TorusNorm(size=5, stride=2, kernels=3),
        TorusNorm(size=6, channels=1, k=1),
    ],
    ids=repr,
)
def test_it_holds_for_other_options(claim):
    for seed in (1, 2):
        assert claim.check(seed).verdict is HOLDS


def test_margin_over_constant_is_attained_by_a_linear_classifier():
    net = nn.Linear(2, 2, bias=False).double()
    with torch.no_grad():
        net.weight.copy_(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
    x = torch.tensor([[1.0, 0.0]]).double()
    result = LipschitzMargin().check_given(Given(net, x, torch.tensor([0])))
    assert result.verdict is HOLDS
    assert result.predicted[0] == pytest.approx(0.6)  # 3 / |(3, -4)|
    assert result.measured[0].value == pytest.approx(0.6, rel=0.01)


def test_constants_that_are_too_small_are_a_broken_hypothesis():
    claim = LipschitzMargin(n=3)
    given = claim.given(generator(0))
    assert claim.check_given(given._replace(factor=0.5)).verdict is INAPPLICABLE


def test_narrow_intervals_are_a_broken_hypothesis():
    claim = CrownAndIntervals(d=4, m=8, L=1, radii=2)
    given = claim.given(generator(0))
    narrow = given._replace(known=given.eps / 2)
    assert claim.check_given(narrow).verdict is INAPPLICABLE


def test_noise_of_another_size_is_a_broken_hypothesis():
    claim = SmoothingRadius(trials=100)
    given = claim.given(generator(0))
    assert claim.check_given(given._replace(noise=given.sigma * 0.9)).verdict is INAPPLICABLE


def test_a_kernel_of_one_entry_has_its_matrix_norm_on_every_torus():
    claim = TorusNorm(k=1, kernels=2)
    given = claim.given(generator(0))
    for bound, norm in zip(claim.predict(given), claim.measure(given), strict=True):
        assert bound == pytest.approx(norm)
