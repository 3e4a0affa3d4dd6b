import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.regularization.scale_collapse import (
    bn_collapse_demo,
    bn_network,
    standardised,
)

X = torch.tensor([0.3, -1.2, 2.0, 0.7, 5.0], dtype=torch.float64)
PHIS = [torch.relu, torch.tanh, torch.sin, torch.exp]


@pytest.mark.parametrize("phi", PHIS)
def test_only_the_sign_of_the_first_weight_is_left(phi):
    found = bn_collapse_demo(phi, X, torch.tensor([0.1, 1.0, 50.0, -0.1, -3.0]).double(), w2=1.5)
    for row in found.outputs[1:3]:
        torch.testing.assert_close(row, found.outputs[0])
    torch.testing.assert_close(found.outputs[3], found.outputs[4])
    flipped = 1.5 * phi(-standardised(X))
    torch.testing.assert_close(found.outputs[3], flipped)
    assert float(found.slopes.abs().max()) < 1e-10


def test_a_positive_delta_keeps_a_trace_of_small_weights():
    w1 = torch.tensor([1e-3, 1.0]).double()
    found = bn_collapse_demo(torch.tanh, X, w1, delta=1e-5)
    assert float((found.outputs[0] - found.outputs[1]).abs().max()) > 0.1
    assert float(found.slopes[0].abs().max()) > 1 > float(found.slopes[1].abs().max())


def test_it_is_the_batch_normalisation_of_torch():
    layer = nn.BatchNorm1d(1, affine=False, eps=1e-5, dtype=torch.float64)
    theirs = layer(X[:, None])[:, 0]
    torch.testing.assert_close(standardised(X, delta=1e-5, correction=0), theirs)


@pytest.mark.parametrize("w1", [0.2, -4.0])
def test_gamma_and_beta_recover_the_family_without_normalisation(w1):
    gamma, beta = w1 * float(X.std()), w1 * float(X.mean())
    found = bn_network(X, torch.tensor(7.0).double(), 2.0, torch.tanh, gamma=gamma, beta=beta)
    torch.testing.assert_close(found, 2 * torch.tanh(w1 * X))


def test_weight_zero_and_batches_that_are_too_small_are_refused():
    with pytest.raises(InputError, match="whether a weight is 0"):
        bn_collapse_demo(torch.relu, X, torch.tensor([1.0, 0.0]).double())
    with pytest.raises(InputError, match="more than 1"):
        standardised(X[:1])
    assert bn_network(X, torch.tensor(0.0).double(), 1.0, torch.tanh, delta=1.0).abs().max() == 0
