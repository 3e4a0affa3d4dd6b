import pytest
import torch

from corollary.claims.tricks.born_dead import BornDead
from corollary.claims.tricks.gradient_depth import GradientDepth
from corollary.claims.tricks.kaiming import Kaiming
from corollary.claims.tricks.lecun import Lecun
from corollary.claims.tricks.orthogonal_depth import Given, OrthogonalDepth
from corollary.claims.tricks.xavier import Xavier
from corollary.core import Verdict


def test_lecun_holds_for_uniform_weights_and_fails_for_inputs_with_a_mean():
    assert Lecun(law="uniform").check(1).verdict is Verdict.HOLDS
    assert Lecun().refute(0).broken == ("the inputs have mean 0",)


def test_inputs_of_deviation_three_give_outputs_of_variance_nine():
    """Erratum: the notes end with gamma where gamma squared is meant."""
    claim = Lecun(gamma=3.0, L=1)
    sample = claim.measure(claim.given(torch.Generator().manual_seed(0)))[0]
    assert 9 * sample.read(0.99).value == pytest.approx(9, rel=0.2)


def test_xavier_keeps_both_variances_of_a_square_layer():
    result = Xavier(n=30, m=30).check(0)
    assert result.verdict is Verdict.HOLDS and result.predicted == pytest.approx((1.0, 1.0))


def test_xavier_and_kaiming_hold_for_other_seeds():
    assert Xavier(n=10, m=50).check(2).verdict is Verdict.HOLDS
    assert Kaiming(L=30).check(2).verdict is Verdict.HOLDS
    assert GradientDepth(d=16, L=3).check(2).verdict is Verdict.HOLDS


def test_a_quarter_turn_keeps_lengths_with_eigenvalues_plus_and_minus_i():
    """Erratum: the eigenvalues of an orthogonal matrix need not be +-1."""
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    x = torch.tensor([3.0, 4.0], dtype=torch.float64)
    result = OrthogonalDepth(n=2, L=7).check_given(Given(turn.expand(7, 2, 2), x, x))
    assert result.verdict is Verdict.HOLDS
    values = torch.linalg.eigvals(turn)
    assert float(values.real.abs().max()) < 1e-15 and float(values.imag.abs().min()) == 1.0
    assert torch.linalg.svdvals(turn).tolist() == [1.0, 1.0]


def test_gaussian_weights_lose_lengths_in_deep_networks():
    assert OrthogonalDepth().refute(0).fails


def test_a_network_of_one_unit_per_layer_survives_each_layer_by_a_fair_coin():
    result = BornDead(n=1, L=3).check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (0.5, 0.75, 0.875)
    assert BornDead().refute(0).broken == ("no unit has a bias",)


def test_no_gradient_reaches_a_network_that_is_dead():
    claim = BornDead(n=1, L=4, draws=100)
    given = claim.given(torch.Generator().manual_seed(0))
    W = given.W.clone().requires_grad_()
    h = given.x
    for layer in W:
        h = (layer @ h[..., None])[..., 0].relu()
    h.sum().backward()
    dead = (h == 0).all(dim=1)
    assert 0 < dead.sum() < 100 and not W.grad[:, dead].any() and W.grad[:, ~dead].any()
