import math

import pytest
import torch
from scipy import stats

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.random_two_layer import RandomTwoLayer, on_sphere, random_two_layer
from corollary.theory.networks.activations import RELU, activation
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.danskin import cube_vertices, danskin_gradient
from corollary.theory.robustness.single_step import (
    excess_kurtosis,
    gradient_norm_bound,
    gradient_square,
    output_variance,
    single_step_attack,
)


@pytest.mark.parametrize("phi", ["relu", "tanh", "linear"])
def test_the_variance_is_that_of_scipys_quadrature(phi):
    sigma = activation(phi)

    def square(z):
        return float(sigma(torch.tensor(z, dtype=torch.float64))) ** 2

    expected = stats.norm.expect(square, lb=0) + stats.norm.expect(square, ub=0)
    assert output_variance(sigma) == pytest.approx(expected, rel=1e-6)


def test_moments_of_random_networks_are_exact_at_every_width():
    rng, t = generator(0, "moments"), 40_000
    x = on_sphere(t, 3, rng=rng)
    for k in (1, 3):
        with torch.no_grad():
            out = RandomTwoLayer(3, k, t=t, rng=rng)(x)
        assert float(out.square().mean()) == pytest.approx(0.5, abs=0.03)
        found = float((out**4).mean() / out.square().mean() ** 2) - 3
        assert found == pytest.approx(excess_kurtosis(RELU, k), rel=0.2)


def test_wide_random_networks_pass_a_test_of_normality():
    rng, t = generator(0, "normal"), 2000
    with torch.no_grad():
        out = RandomTwoLayer(4, 200, t=t, rng=rng)(on_sphere(t, 4, rng=rng))
    assert stats.kstest(out.numpy(), stats.norm(scale=0.5**0.5).cdf).pvalue > 0.01


def test_the_squared_gradient_of_a_network_has_the_predicted_mean():
    phi = activation("tanh")
    rng, t, d = generator(0, "gradient"), 4000, 3
    net = RandomTwoLayer(d, 5, phi, t=t, rng=rng)
    found = batch_gradient(net, on_sphere(t, d, rng=rng)).square().sum(dim=1).mean()
    assert float(found) == pytest.approx(gradient_square(phi, phi.derivative, d), rel=0.05)


@pytest.mark.parametrize("d", [50, 500, 5000])
def test_the_gradient_is_above_its_bound_in_every_dimension(d):
    gamma, rng = 0.1, generator(0, "bound", d)
    fails, trials = 0, 60
    for _ in range(trials):
        net, x = random_two_layer(d, 20, rng=rng), on_sphere(1, d, rng=rng)
        slopes = net.phi.derivative(net.preactivations(x)).detach()
        fails += int(batch_gradient(net, x).norm() < gradient_norm_bound(slopes, d, gamma)[0])
    assert fails <= gamma * trials
    trivial = d <= 25 * math.log(2 / gamma)
    assert bool(gradient_norm_bound(torch.ones(1), d, gamma) <= 0) == trivial


def test_gamma_must_be_below_two_over_e():
    with pytest.raises(InputError, match="2/e"):
        gradient_norm_bound(torch.ones(3), 100, 0.8)


def test_for_the_identity_a_positive_factor_never_flips_a_positive_output():
    """The notes' eta > 0: with sigma = id the value only grows."""
    rng = generator(0, "identity")
    net = random_two_layer(20, 10, "linear", rng=rng)
    x = on_sphere(200, 20, rng=rng)
    up = single_step_attack(net, x, reach=-2.0)
    positive = up.before > 0
    assert 60 < int(positive.sum()) < 140
    assert not bool(up.flipped[positive].any()) and bool((up.eta[positive] > 0).all())
    down = single_step_attack(net, x)
    assert bool(down.flipped.all()) and bool((down.eta * down.before < 0).all())
    torch.testing.assert_close(down.after, -down.before)


def test_success_grows_with_width_and_dimension_and_the_step_does_not():
    shares, sizes = [], []
    for d, k in ((2, 2), (20, 20), (300, 100)):
        rng = generator(0, "success", d)
        net = RandomTwoLayer(d, k, "tanh", t=150, rng=rng)
        found = single_step_attack(net, on_sphere(150, d, rng=rng))
        shares.append(float(found.flipped.double().mean()))
        sizes.append(float(found.size.median()))
    assert shares == sorted(shares) and shares[-1] == 1
    assert max(sizes[1:]) < 3 and sizes[2] < 2 * sizes[1]


def test_a_flat_network_is_refused():
    with pytest.raises(InputError, match="zero"):
        single_step_attack(lambda x: 0 * x.sum(1), torch.ones(1, 3))


# Danskin.


def adversarial(w, delta):
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
    return torch.nn.functional.softplus(-(w @ (x + delta)))


def test_at_a_unique_maximiser_differences_equal_the_formula():
    corners = cube_vertices(3, 0.3)
    w = torch.tensor([1.0, -0.7, 0.2], dtype=torch.float64)
    at = danskin_gradient(adversarial, w, corners)
    assert at.is_differentiable and len(at.maximisers) == 1
    for i in range(3):
        h = 1e-6 * torch.eye(3, dtype=torch.float64)[i]
        ahead, behind = (danskin_gradient(adversarial, w + s * h, corners).value for s in (1, -1))
        assert (ahead - behind) / 2e-6 == pytest.approx(float(at.gradient[i]), rel=1e-6)


def test_at_a_tie_only_directional_derivatives_exist():
    corners = cube_vertices(3, 0.3)
    w = torch.tensor([1.0, 0.0, 0.2], dtype=torch.float64)
    at = danskin_gradient(adversarial, w, corners)
    assert len(at.maximisers) == 2 and not at.is_differentiable
    with pytest.raises(InputError, match="not differentiable"):
        _ = at.gradient
    for sign in (1.0, -1.0):
        v = torch.tensor([0.3, sign, -0.2], dtype=torch.float64)
        ahead = danskin_gradient(adversarial, w + 1e-7 * v, corners).value
        assert (ahead - at.value) / 1e-7 == pytest.approx(at.derivative(v), rel=1e-5)


def test_the_absolute_value_has_two_candidates_at_zero():
    signs = torch.tensor([-1.0, 1.0], dtype=torch.float64)
    at = danskin_gradient(lambda w, s: (w * s).sum(), torch.zeros(1, dtype=torch.float64), signs)
    assert sorted(at.gradients.flatten().tolist()) == [-1.0, 1.0]
    assert (
        at.derivative(torch.tensor([1.0]).double()) == at.derivative(-torch.ones(1).double()) == 1
    )
