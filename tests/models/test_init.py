import numpy as np
import pytest
import torch
from scipy.stats import kstest
from torch import nn

from corollary.errors import InputError
from corollary.models.init import fans, kaiming_, lecun_, normal_, orthogonal_, uniform_, xavier_


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def empty(*shape):
    return torch.empty(shape, dtype=torch.float64)


def test_normal_and_uniform_weights_have_the_same_variance():
    for draw in (normal_, uniform_):
        W = draw(empty(500, 500), 0.3, rng=rng())
        assert float(W.std()) == pytest.approx(0.3, rel=0.01)
        assert float(W.mean()) == pytest.approx(0, abs=0.003)
    edge = 0.3 * 3**0.5
    assert kstest(W.flatten()[:5000].numpy(), "uniform", args=(-edge, 2 * edge)).pvalue > 1e-3


@pytest.mark.parametrize("std", [0.0, -1.0, float("nan"), float("inf")])
def test_a_standard_deviation_must_be_positive(std):
    for draw in (normal_, uniform_):
        with pytest.raises(InputError, match="positive"):
            draw(empty(2, 2), std, rng=rng())


@pytest.mark.parametrize("shape", [(30, 50), (8, 3, 5, 5)])
def test_the_fans_and_limits_are_those_of_torch(shape):
    ours = xavier_(empty(*shape), 1.5, "uniform", rng=rng())
    theirs = nn.init.xavier_uniform_(empty(*shape), 1.5, generator=rng())
    torch.testing.assert_close(ours, theirs)
    ours = kaiming_(empty(*shape), rng=rng())
    torch.testing.assert_close(
        ours, nn.init.kaiming_normal_(empty(*shape), nonlinearity="relu", generator=rng())
    )
    ours = kaiming_(empty(*shape), slope=0.2, law="uniform", rng=rng())
    torch.testing.assert_close(
        ours, nn.init.kaiming_uniform_(empty(*shape), a=0.2, generator=rng())
    )
    ours = lecun_(empty(*shape), rng=rng())
    torch.testing.assert_close(
        ours, nn.init.kaiming_normal_(empty(*shape), nonlinearity="linear", generator=rng())
    )
    assert fans(empty(*shape)) == nn.init._calculate_fan_in_and_fan_out(empty(*shape))


@pytest.mark.parametrize("law", ["normal", "uniform"])
def test_lecuns_start_keeps_the_variance_of_centred_inputs_through_linear_layers(law):
    h = 3 * torch.randn(400, 400, generator=rng(), dtype=torch.float64)
    for layer in range(5):
        h = h @ lecun_(empty(400, 400), law, rng=rng(layer + 1)).T
    assert float(h.square().mean()) == pytest.approx(9, rel=0.1)


def test_xavier_keeps_both_variances_only_in_square_layers():
    x, delta = (torch.randn(500, k, generator=rng(), dtype=torch.float64) for k in (300, 100))
    W = xavier_(empty(100, 300), rng=rng(5))
    assert float((x @ W.T).square().mean()) == pytest.approx(2 * 300 / 400, rel=0.06)
    assert float((delta @ W).square().mean()) == pytest.approx(2 * 100 / 400, rel=0.06)


def test_kaimings_start_keeps_mean_squares_through_fifty_layers_and_lecuns_does_not():
    for fill, expected in ((kaiming_, 1.0), (lecun_, 2.0**-50)):
        h = torch.randn(4, 400, generator=rng(), dtype=torch.float64)
        h = h / h.square().mean().sqrt()
        for layer in range(50):
            h = (h @ fill(empty(400, 400), rng=rng(layer)).T).relu()
        assert 0.3 * expected < float(h.square().mean()) < 3 * expected


@pytest.mark.parametrize("shape", [(6, 6), (3, 7), (7, 3), (4, 3, 2, 2)])
def test_orthogonal_weights_have_singular_values_one(shape):
    W = orthogonal_(empty(*shape), 2.0, rng=rng())
    s = torch.linalg.svdvals(W.flatten(1))
    torch.testing.assert_close(s, torch.full_like(s, 2.0))


def test_the_orthogonal_law_is_uniform():
    """Signs fixed: the trace of a Haar matrix is symmetric with variance 1 in every dimension."""
    trace = np.array([float(orthogonal_(empty(3, 3), rng=rng(s)).trace()) for s in range(2000)])
    assert trace.mean() == pytest.approx(0, abs=0.08)
    assert trace.var() == pytest.approx(1, abs=0.12)
    first = [float(orthogonal_(empty(3, 3), rng=rng(s))[0, 0]) for s in range(500)]
    assert kstest(first, "uniform", args=(-1, 2)).pvalue > 1e-3  # Archimedes: uniform in R³


def test_single_precision_weights_and_parameters_can_be_filled():
    layer = nn.Linear(4, 3)
    assert orthogonal_(layer.weight, rng=rng()) is layer.weight
    assert layer.weight.dtype is torch.float32 and layer.weight.requires_grad
