import pytest
import torch

from corollary.claims.networks.residual_jacobian import Given, ResidualJacobian, extremes
from corollary.core import Verdict, generator


def test_scalar_layers_at_the_origin_attain_both_bounds():
    W = torch.tensor([0.5, -0.5], dtype=torch.float64)[:, None, None]
    result = ResidualJacobian().check_given(Given(W, torch.zeros(1).double(), True))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(result.predicted[0]) == 1.5
    assert 1 / result.measured[3].value == pytest.approx(0.75)  # 1.5 * 0.5


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("L", [2, 10, 200])
def test_it_holds_for_drawn_stacks(seed, L):
    assert ResidualJacobian(L=L, c=1.5).check(seed).verdict is Verdict.HOLDS


def test_the_singular_values_are_those_of_the_jacobian_by_autograd():
    given = ResidualJacobian(L=5, n=4).given(generator(0, "autograd"))

    def stack(x: torch.Tensor) -> torch.Tensor:
        for W in given.W:
            x = x + torch.tanh(W @ x)
        return x

    s = torch.linalg.svdvals(torch.func.jacrev(stack)(given.x))
    high, low = extremes(given)
    torch.testing.assert_close(torch.stack([high[-1], low[-1]]), torch.stack([s[0], s[-1]]))


def test_without_shortcuts_the_gradient_vanishes():
    refuted = ResidualJacobian().refute(0)
    assert refuted.fails
    assert refuted.broken == ("every layer has a shortcut with the identity",)
