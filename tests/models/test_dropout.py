import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.dropout import HIDDEN_RATE, INPUT_RATE, Dropout


@pytest.mark.parametrize("p", [0.0, 0.2, 0.5, 0.75])
def test_with_the_same_masks_it_is_nn_dropout(p):
    x = torch.randn(50, 20, dtype=torch.float64)
    torch.manual_seed(3)
    theirs = nn.Dropout(p)(x)
    kept = theirs != 0
    layer = Dropout(p)
    layer.mask = lambda x: kept.to(x.dtype)
    torch.testing.assert_close(layer(x), theirs)


@pytest.mark.parametrize("p", [0.2, 0.5])
def test_mean_and_variance_are_those_of_the_formula_and_of_nn_dropout(p):
    n, x = 200_000, 1.7
    layer = Dropout(p, rng=torch.Generator().manual_seed(0))
    torch.manual_seed(0)
    for dropped in (layer(torch.full((n,), x)), nn.Dropout(p)(torch.full((n,), x))):
        assert dropped.mean().item() == pytest.approx(x, rel=0.02)
        assert dropped.var().item() == pytest.approx(p / (1 - p) * x**2, rel=0.05)


def test_every_unit_of_every_example_has_its_own_mask():
    mask = Dropout(0.5, rng=torch.Generator().manual_seed(0)).mask(torch.ones(2000, 6))
    correlation = torch.corrcoef(mask.T) - torch.eye(6)
    assert correlation.abs().max() < 0.1
    assert len({tuple(row) for row in mask.tolist()}) == 64


def test_evaluation_is_the_identity_and_the_plain_form_shrinks_there():
    x = torch.randn(4, 3)
    assert Dropout(0.4).eval()(x) is x
    torch.testing.assert_close(Dropout(0.4, inverted=False).eval()(x), 0.6 * x)
    plain = Dropout(0.4, inverted=False, rng=torch.Generator().manual_seed(0))(torch.ones(1000))
    assert set(plain.tolist()) == {0.0, 1.0}


def test_gradients_pass_through_what_is_kept():
    x = torch.ones(100, requires_grad=True)
    out = Dropout(0.5, rng=torch.Generator().manual_seed(0))(x)
    out.sum().backward()
    torch.testing.assert_close(x.grad, out.detach())


@pytest.mark.parametrize("p", [1.0, -0.1, float("nan")])
def test_a_rate_outside_zero_to_one_is_refused(p):
    with pytest.raises(InputError, match=r"\[0, 1\)"):
        Dropout(p)


def test_customary_rates_and_what_is_shown():
    assert (1 - INPUT_RATE, 1 - HIDDEN_RATE) == (0.8, 0.5)
    assert "p=0.5, inverted=True" in repr(Dropout())
