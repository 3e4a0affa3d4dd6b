import pytest
import torch

from corollary.data.xor import xor
from corollary.errors import InputError
from corollary.models.xor_network import XorNetwork
from corollary.theory.connectionism.separability import linear_separability


@pytest.mark.parametrize("activation", ["threshold", "relu"])
def test_two_hidden_units_solve_xor_with_margin_one(activation):
    x, y = xor()
    assert (y * XorNetwork(activation)(x)).tolist() == [1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("activation", ["threshold", "relu"])
def test_the_hidden_layer_makes_the_classes_separable(activation):
    x, y = xor()
    assert not linear_separability(x, y)
    assert linear_separability(XorNetwork(activation).hidden(x).detach(), y)


def test_no_single_unit_solves_xor():
    x, y = xor()
    answer = linear_separability(x, y)
    assert not answer.separable
    rows = y[:, None] * torch.cat([x, torch.ones(4, 1, dtype=x.dtype)], dim=1)
    assert (answer.certificate @ rows).abs().max() < 1e-12


def test_other_activations_are_refused():
    with pytest.raises(Exception, match="activation") as caught:
        XorNetwork("sine")
    assert isinstance(caught.value, InputError | TypeError)
