import pytest
import torch

from corollary.claims.networks.residual_jacobian import ResidualJacobian
from corollary.core import Verdict


def test_scalar_layers_at_the_origin_attain_the_bound():
    claim = ResidualJacobian()
    result = claim.check_given(claim.tight())
    assert result.verdict is Verdict.HOLDS
    assert result.measured[1].value == pytest.approx(result.predicted[1]) == 2.25


@pytest.mark.parametrize(("L", "seed"), [(2, 0), (2, 1), (10, 0), (10, 1), (10, 2), (100, 0)])
def test_it_holds_for_drawn_stacks(L, seed):
    assert ResidualJacobian(L=L, c=1.5).check(seed).verdict is Verdict.HOLDS


def test_the_singular_values_are_those_of_the_jacobian_by_autograd():
    claim = ResidualJacobian(L=5, n=4)
    given = claim.draw(0)
    stack = torch.nn.Sequential(*given.layers)
    s = torch.linalg.svdvals(torch.func.jacrev(stack)(given.x)[0, :, 0])
    high, low = claim.measure(given)[[4, 9]]
    torch.testing.assert_close(torch.stack([high, 1 / low]), s[[0, -1]].detach())


def test_without_shortcuts_the_gradient_vanishes():
    refuted = ResidualJacobian().refute(0)
    assert refuted.fails
    assert refuted.broken == ("every layer has a shortcut with the identity",)
