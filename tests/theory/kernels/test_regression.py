import pytest
import torch
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.kernels.gaussian_process import GP
from corollary.theory.kernels.infinite import Dense, Erf, network
from corollary.theory.kernels.kernel import RBFKernel
from corollary.theory.kernels.regression import (
    kernel_regression,
    outside_span,
    representer_coefficients,
)


def draw(*shape):
    return torch.randn(*shape, generator=generator(0, "regression", *shape), dtype=torch.float64)


def test_the_fit_interpolates_and_is_the_minimum_norm_solution():
    phi, y = draw(8, 20), draw(8)
    fit = kernel_regression(phi @ phi.T, y)
    assert torch.allclose(fit(phi @ phi.T), y)
    assert torch.allclose(phi.T @ fit.alpha, torch.linalg.pinv(phi) @ y)
    assert fit.rank == 8 and fit.condition > 1


def test_a_ridge_gives_sklearns_kernel_ridge():
    x, y = draw(15, 2), draw(15, 3)
    theirs = KernelRidge(alpha=0.3, kernel="precomputed").fit(RBFKernel()(x).numpy(), y.numpy())
    ours = kernel_regression(RBFKernel()(x), y, ridge=0.3)
    assert torch.allclose(ours.alpha, torch.from_numpy(theirs.dual_coef_))


def test_a_singular_kernel_is_refused_or_pseudo_inverted_on_demand():
    phi, y = draw(6, 3), draw(6)
    with pytest.raises(InputError, match="6 inputs has rank 3"):
        kernel_regression(phi @ phi.T, y)
    fit = kernel_regression(phi @ phi.T, y, singular="pinv")
    assert torch.allclose(fit(phi @ phi.T), phi @ (torch.linalg.pinv(phi) @ y))


def test_bad_targets_and_ridges_are_named():
    with pytest.raises(InputError, match="at least one input"):
        kernel_regression(draw(0, 0), draw(0))
    with pytest.raises(InputError, match="ridge"):
        kernel_regression(draw(2, 2), draw(2), ridge=-1.0)
    with pytest.raises(InputError, match="positive"):
        representer_coefficients(draw(2, 2), draw(2), 0.0)


def test_a_null_space_vector_keeps_the_loss_and_leaves_the_span():
    phi, y = draw(4, 9), draw(4)
    theta = torch.linalg.pinv(phi) @ y
    v = draw(9)
    v = v - torch.linalg.pinv(phi) @ (phi @ v)
    assert torch.allclose(phi @ (theta + v), y)
    assert outside_span(theta, phi) < 1e-12 and outside_span(theta + v, phi) > 0.1


def test_the_posterior_and_evidence_are_sklearns():
    x, y, new = draw(10, 2), draw(10), draw(4, 2)
    theirs = GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None).fit(x.numpy(), y.numpy())
    mean, cov = GP(RBFKernel()).posterior(x, y, new, noise=0.1)
    their_mean, their_cov = theirs.predict(new.numpy(), return_cov=True)
    assert torch.allclose(mean, torch.from_numpy(their_mean))
    assert torch.allclose(cov, torch.from_numpy(their_cov))
    evidence = GP(RBFKernel()).log_evidence(x, y, noise=0.1)
    assert evidence.item() == pytest.approx(theirs.log_marginal_likelihood_value_)


def test_values_at_fewer_points_have_the_marginal_law():
    gp, x = GP(RBFKernel()), draw(6, 1)
    assert torch.equal(gp.covariance(x)[:3, :3], gp.covariance(x[:3]))
    f = gp.sample(x, 20_000, rng=generator(0, "marginal"))
    assert (f.T @ f / len(f) - gp.covariance(x)).abs().max() < 0.06


def test_the_posterior_is_the_conditional_of_the_joint_gaussian():
    gp, x, new, y = GP(RBFKernel()), draw(3, 1), draw(2, 1), draw(3)
    joint = gp.covariance(torch.cat([x, new]))
    a, b, c = joint[:3, :3], joint[:3, 3:], joint[3:, 3:]
    mean, cov = gp.posterior(x, y, new)
    assert torch.allclose(mean, b.T @ torch.linalg.solve(a, y))
    assert torch.allclose(cov, c - b.T @ torch.linalg.solve(a, b), atol=1e-9)


def test_what_is_no_covariance_is_refused():
    with pytest.raises(InputError, match="positive semi-definite"):
        GP(lambda x, y: -x @ y.T).covariance(draw(3, 2))
    with pytest.raises(InputError, match="symmetric"):
        GP(lambda x, y: x @ y.T + x[:, :1]).covariance(draw(3, 2))
    with pytest.raises(InputError, match="add noise"):
        GP(RBFKernel()).posterior(torch.zeros(2, 1).double(), draw(2), draw(1, 1))


def test_a_network_of_infinite_width_is_a_process_whose_evidence_has_a_gradient_in_sigma():
    x, y = draw(6, 3), draw(6)
    s = torch.tensor(1.2, dtype=torch.float64, requires_grad=True)

    def evidence(sigma):
        net = network(Dense(sigma, 0.3), Erf(), Dense(sigma, 0.3))
        return GP(lambda a, b: net.kernel(a, b).nngp).log_evidence(x, y, noise=0.1)

    evidence(s).backward()
    difference = (evidence(1.2 + 1e-5) - evidence(1.2 - 1e-5)) / 2e-5
    assert s.grad.item() == pytest.approx(difference.item(), rel=1e-5)
