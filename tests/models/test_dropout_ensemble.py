import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.dropout import Dropout
from corollary.models.dropout_ensemble import dropout_ensemble, mc_dropout, weight_scaled
from corollary.theory.tricks.dropout_ensemble import all_masks, mask_probabilities


def points(m=3, n=4):
    return torch.randn(m, n, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def softmax_regression(p=0.3):
    return nn.Sequential(nn.Dropout(p), nn.Linear(4, 3)).double()


def test_the_probabilities_of_all_masks_sum_to_one():
    keep = torch.tensor([0.1, 0.5, 0.99, 1.0, 0.0], dtype=torch.float64)
    weights = mask_probabilities(all_masks(5), keep)
    assert float(weights.sum()) == pytest.approx(1) and len(weights) == 32
    torch.testing.assert_close(weights @ all_masks(5), keep)


def test_a_linear_network_is_its_scaled_self_on_average():
    net = nn.Sequential(nn.Dropout(0.3), nn.Linear(4, 3), nn.Dropout(0.6), nn.Linear(3, 2)).double()
    torch.testing.assert_close(dropout_ensemble(net, points()).mean(), weight_scaled(net, points()))


def test_the_geometric_mean_of_a_softmax_regression_is_its_scaled_self():
    net = softmax_regression()
    found = dropout_ensemble(net, points())
    scaled = torch.softmax(weight_scaled(net, points()), dim=1)
    torch.testing.assert_close(found.geometric(), scaled)
    assert float((found.probabilities() - scaled).abs().max()) > 1e-4  # the gap that remains
    torch.testing.assert_close(found.probabilities().sum(dim=1), torch.ones(3).double())


def test_sampled_masks_come_near_the_exact_ensemble():
    net = softmax_regression()
    exact = dropout_ensemble(net, points()).probabilities()
    drawn = mc_dropout(net, points(), 800, rng=torch.Generator().manual_seed(0)).probabilities()
    assert float((exact - drawn).abs().max()) < 0.06


def test_the_plain_form_of_the_layer_scales_in_evaluation():
    net = nn.Sequential(Dropout(0.25, inverted=False), nn.Linear(4, 2)).double()
    torch.testing.assert_close(dropout_ensemble(net, points()).mean(), weight_scaled(net, points()))


def test_the_network_comes_back_as_it_was():
    net = softmax_regression().train()
    before = torch.get_rng_state()
    dropout_ensemble(net, points())
    mc_dropout(net, points(), 3, rng=torch.Generator())
    assert net.training and net[0].training and not net[0]._forward_hooks
    assert torch.equal(torch.get_rng_state(), before)


def test_networks_without_dropout_or_with_too_many_units_are_refused():
    with pytest.raises(InputError, match="no dropout"):
        dropout_ensemble(nn.Linear(4, 2).double(), points())
    with pytest.raises(InputError, match="mc_dropout"):
        dropout_ensemble(nn.Sequential(nn.Dropout(0.5), nn.Linear(40, 1)), torch.ones(1, 40))
    with pytest.raises(InputError, match="sample"):
        mc_dropout(softmax_regression(), points(), 0, rng=torch.Generator())
