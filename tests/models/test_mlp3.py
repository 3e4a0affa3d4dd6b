import numpy as np
import pytest
import torch

from corollary.errors import InputError
from corollary.models.mlp3 import MLP3, sgd
from corollary.models.scratch import MLP3 as Listing


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def case(s=8, n=3, m=5):
    x = torch.randn(s, n, generator=rng(1), dtype=torch.float64)
    y = torch.randn(s, generator=rng(2), dtype=torch.float64)
    return MLP3(n, m, rng=rng()), x, y


def test_the_output_is_the_formula_and_bounded_by_the_output_weights():
    net, x, _ = case()
    by_hand = [
        sum(b / (1 + (-w @ p).exp()) for b, w in zip(net.beta, net.w, strict=True)) for p in x
    ]
    torch.testing.assert_close(net(x), torch.stack(by_hand))
    h = net.hidden(100 * x)
    assert bool((h >= 0).all()) and bool((h <= 1).all())
    assert bool((net(x).abs() <= net.beta.abs().sum()).all())


def test_the_gradients_by_hand_are_those_of_autograd():
    net, x, y = case()
    net.loss(x, y).backward()
    found = net.analytic_gradients(x, y)
    torch.testing.assert_close(found.beta, net.beta.grad, rtol=0, atol=1e-10)
    torch.testing.assert_close(found.w, net.w.grad, rtol=0, atol=1e-10)


def test_finite_differences_agree():
    net, x, y = case()
    found, h = net.analytic_gradients(x, y), 1e-6

    def moved(name, shift):
        twin = MLP3.of(net.beta, net.w)
        getattr(twin, name).data.flatten()[2] += shift
        return twin.loss(x, y).item()

    for name in ("beta", "w"):
        slope = (moved(name, h) - moved(name, -h)) / (2 * h)
        assert slope == pytest.approx(getattr(found, name).flatten()[2].item(), rel=1e-6)


def test_a_small_step_lowers_the_loss_by_eta_times_the_squared_gradient():
    net, x, y = case(s=1)
    drop = net.analytic_gradients(x, y).squared_norm()
    eta = 1e-6
    before = net.sgd_step(x, y, eta)
    assert before - net.loss(x, y).item() == pytest.approx(eta * drop, rel=1e-4)


def test_stochastic_descent_learns_a_curve():
    x = torch.linspace(-1, 1, 21, dtype=torch.float64)[:, None]
    inputs = torch.cat([x, torch.ones_like(x)], 1)  # the constant stands for a bias
    net = MLP3(2, 10, rng=rng())
    losses = sgd(net, inputs, torch.tanh(3 * x[:, 0]), eta=0.5, epochs=40, rng=rng(1))
    assert losses[-1] < 0.1 * losses[0]


def test_the_listing_gives_the_same_numbers_and_the_sum_not_the_mean():
    net, x, y = case()
    listing = Listing(3, 5, rng=np.random.default_rng(0))
    listing.theta, listing.beta = net.w.detach().numpy(), net.beta.detach().numpy()[None]
    f = listing.forward(x.numpy().T)
    np.testing.assert_allclose(f.out[0], net(x).detach().numpy(), atol=1e-14)
    assert f.hid.shape == (5, 8) and f.out.shape == (1, 8)
    g = listing.gradient(f, x.numpy().T, y.numpy()[None])
    net.loss(x, y).backward()  # 1/2 sum (f - y)^2
    np.testing.assert_allclose(g.bet[0], net.beta.grad.numpy(), atol=1e-10)
    np.testing.assert_allclose(g.tet, net.w.grad.numpy(), atol=1e-10)


def test_the_start_is_uniform_within_its_bounds():
    listing = Listing(4, 500, rng=np.random.default_rng(0))
    assert abs(listing.theta).max() <= 1 / 4 and abs(listing.beta).max() <= 1 / 500
    net = MLP3(4, 500, rng=rng())
    assert 0.24 < net.w.abs().max() <= 1 / 4 and net.beta.abs().max() <= 1 / 500


def test_bad_input_is_refused():
    net, x, y = case()
    with pytest.raises(InputError, match="learning rate must be positive"):
        net.sgd_step(x, y, 0.0)
    with pytest.raises(InputError, match=r"\(8, 3\) and \(7,\)"):
        net.analytic_gradients(x, y[:7])
    with pytest.raises(InputError, match="points with 3 features"):
        net(x[:, :2])
    with pytest.raises(InputError, match=r"targets must have shape \(1, 2\)"):
        listing = Listing(3, 5, rng=np.random.default_rng(0))
        listing.gradient(listing.forward(np.ones((3, 2))), np.ones((3, 2)), np.ones(2))
