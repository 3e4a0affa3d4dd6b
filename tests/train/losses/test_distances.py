import pytest
import sklearn.metrics
import torch
from torch.nn import functional as F

from corollary.train.losses import brier, chebyshev, expectation, l1, squared
from corollary.train.losses.targets import one_hot


def outputs(n=40, k=5, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(n, k, generator=rng, dtype=torch.float64)


def classes(n=40, k=5):
    return torch.arange(n) % k


def of_class(p, y):
    return p.gather(1, y[:, None])[:, 0]


def test_l1_has_the_sign_as_subgradient_and_is_torchs_times_k():
    o, y = outputs().requires_grad_(True), classes()
    target = one_hot(o, y)
    (gradient,) = torch.autograd.grad(l1(o, y, reduction="sum"), o)
    assert torch.equal(gradient, torch.sign(o.detach() - target))
    torch.testing.assert_close(l1(o, y), 5 * F.l1_loss(o, target))


def test_the_median_minimises_l1_and_the_mean_the_squared_loss():
    y = outputs(41, 3)
    grid = torch.linspace(-6, 6, 4001, dtype=torch.float64)

    def best(loss, j):
        o = grid[:, None, None].expand(4001, 41, 1)
        values = loss(o.reshape(-1, 1), y[:, j : j + 1].repeat(4001, 1), reduction="none")
        return grid[values.reshape(4001, 41).sum(1).argmin()]

    for j in range(3):
        assert abs(best(l1, j) - y[:, j].median()) <= 0.0031
        assert abs(best(squared, j) - y[:, j].mean()) <= 0.0016
    o = y.mean(0, keepdim=True).expand_as(y).clone().requires_grad_(True)
    (gradient,) = torch.autograd.grad(squared(o, y), o)
    assert gradient.sum(0).abs().max() < 1e-10


def test_the_half_makes_the_gradient_the_error_and_torch_averages_over_outputs():
    o, y = outputs().requires_grad_(True), classes()
    error = (o - one_hot(o, y)).detach()
    (gradient,) = torch.autograd.grad(squared(o, y, reduction="sum"), o)
    torch.testing.assert_close(gradient, error)
    (gradient,) = torch.autograd.grad(squared(o, y, half=False, reduction="sum"), o)
    torch.testing.assert_close(gradient, 2 * error)
    torch.testing.assert_close(F.mse_loss(o, one_hot(o, y)), squared(o, y) * 2 / 5)


def test_expectation_is_twice_the_missing_probability_and_lies_between_0_and_2():
    o, y = outputs(), classes()
    p = torch.softmax(o, 1)
    rows = expectation(o, y, reduction="none")
    torch.testing.assert_close(rows, 2 * (1 - of_class(p, y)), rtol=0, atol=1e-12)
    assert bool((rows >= 0).all()) and bool((rows <= 2).all())


def test_brier_is_sklearns_score_and_its_expansion():
    o, y = outputs(), classes()
    p = torch.softmax(o, 1)
    expected = 1 - 2 * of_class(p, y) + (p**2).sum(1)
    torch.testing.assert_close(brier(o, y, reduction="none"), expected, rtol=0, atol=1e-12)
    score = sklearn.metrics.mean_squared_error(one_hot(o, y).numpy(), p.numpy()) * 5
    assert brier(o, y).item() == pytest.approx(score)
    assert bool((brier(o, y, reduction="none") < 2).all())


def test_chebyshev_is_half_the_expectation_loss_for_probabilities_only():
    o, y = outputs(), classes()
    rows = chebyshev(o, y, reduction="none")
    torch.testing.assert_close(rows, 1 - of_class(torch.softmax(o, 1), y), rtol=0, atol=1e-12)
    torch.testing.assert_close(rows, expectation(o, y, reduction="none") / 2, rtol=0, atol=1e-12)
    free, target = torch.sigmoid(o), one_hot(o, y)  # not normalised
    gap = (free - target).abs().amax(1) - (1 - of_class(free, y))
    assert gap.max() > 0.1
