"""Systems with kernels, against SciPy and scikit-learn."""

import pytest
import torch
from scipy.sparse.linalg import cg
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge

from corollary.errors import InputError
from corollary.theory.kernels.gaussian_process import GP
from corollary.theory.kernels.infinite import Dense, Erf, Relu, from_module, network
from corollary.theory.kernels.kernel import RBFKernel
from corollary.theory.kernels.learning import (
    cholesky,
    conjugate_gradients,
    ntk_regress,
    wide_ensemble,
)

D = torch.float64


def kernel(n: int = 30, d: int = 4) -> tuple[torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(n, d, generator=rng, dtype=D)
    return network(Dense(2**0.5, 0.2), Relu(), Dense(2**0.5)).ntk(x), torch.randn(
        n, 2, generator=rng, dtype=D
    )


def test_ridge_regression_is_scikit_learns():
    k, y = kernel()
    peer = KernelRidge(alpha=0.1, kernel="precomputed").fit(k.numpy(), y.numpy())
    ours = cholesky(k, ridge=0.1)
    assert ours.jitter == 0.0
    assert torch.allclose(ours.solve(y), torch.as_tensor(peer.dual_coef_), atol=1e-10)


def test_conjugate_gradients_agree_with_cholesky_and_scipy():
    k, y = kernel()
    found = conjugate_gradients(k, y, ridge=0.1, tolerance=1e-10, diagonal=k.diagonal())
    assert found.residual <= 1e-10 and found.steps <= 60
    assert torch.allclose(found.solution, cholesky(k, ridge=0.1).solve(y), atol=1e-7)
    peer, _ = cg((k + 0.1 * torch.eye(len(k))).numpy(), y[:, 0].numpy(), rtol=1e-10)
    assert torch.allclose(found.solution[:, 0], torch.as_tensor(peer), atol=1e-7)


def test_jitter_is_added_only_as_needed_and_told():
    x = torch.linspace(0, 1, 40, dtype=D)[:, None]
    k = RBFKernel()(x, x)  # singular to rounding
    factor = cholesky(k)
    assert 0 < factor.jitter < 1e-9
    with pytest.raises(InputError, match="singular"):
        cholesky(torch.tensor([[1.0, 2.0], [2.0, 1.0]], dtype=D))
    with pytest.raises(InputError, match="at least one input"):
        cholesky(k[:0, :0])


def test_solved_right_hand_sides_rest():
    k, y = kernel()
    y[:, 1] = 0
    found = conjugate_gradients(k, y, ridge=1.0, tolerance=1e-9)
    assert float(found.solution[:, 1].abs().max()) == 0.0


def test_the_evidence_and_its_gradient_are_scikit_learns():
    rng = torch.Generator().manual_seed(1)
    x = torch.randn(12, 2, generator=rng, dtype=D)
    y = torch.randn(12, generator=rng, dtype=D)
    length = torch.tensor(0.8, dtype=D, requires_grad=True)

    def covariance(a, b):
        return torch.exp(-(torch.cdist(a, b) ** 2) / (2 * length**2))

    value = GP(covariance).log_evidence(x, y, noise=0.1)
    (slope,) = torch.autograd.grad(value, length)
    peer = GaussianProcessRegressor(RBF(0.8), alpha=0.1, optimizer=None).fit(x.numpy(), y.numpy())
    theirs, gradient = peer.log_marginal_likelihood(peer.kernel_.theta, eval_gradient=True)
    assert float(value.detach()) == pytest.approx(theirs, rel=1e-10)
    assert float(slope * 0.8) == pytest.approx(float(gradient[0]), rel=1e-6)  # theirs is in the log


def test_regression_interpolates_and_keeps_the_start():
    net = network(Dense(1.5, 0.3), Erf(), Dense(1.2))
    rng = torch.Generator().manual_seed(2)
    x, y, f0 = (torch.randn(*s, generator=rng, dtype=D) for s in ((6, 3), (6, 2), (6, 2)))
    found = ntk_regress(net, x, y, x, f0=f0, f0_at=f0)
    assert torch.allclose(found.prediction, y, atol=1e-9)
    printed = ntk_regress(net, x, y, x, f0=f0).prediction  # the notes' form, without f_0(x)
    assert torch.allclose(printed, y - f0, atol=1e-9)


def test_solvers_agree_and_tell_their_progress():
    net = network(Dense(1.5, 0.3), Relu(), Dense(1.2))
    rng = torch.Generator().manual_seed(3)
    x, y, at = (torch.randn(*s, generator=rng, dtype=D) for s in ((40, 3), (40,), (7, 3)))
    seen = []
    options = {"ridge": 0.1, "progress": lambda what, part: seen.append((what, part))}
    direct = ntk_regress(net, x, y, at, **options)
    iterated = ntk_regress(net, x, y, at, solver="cg", tolerance=1e-10, **options)
    assert torch.allclose(direct.prediction, iterated.prediction, atol=1e-7)
    assert {what for what, _ in seen} == {"kernel", "factorise", "solve", "predict"}
    assert ("kernel", 1.0) in seen and ("predict", 1.0) in seen
    assert all(0 <= part <= 1 for _, part in seen)


def test_bad_problems_are_refused_in_words():
    net = network(Dense(), Relu(), Dense())
    x = torch.eye(3, dtype=D)
    y = torch.ones(3, dtype=D)
    with pytest.raises(InputError, match="got none"):
        ntk_regress(net, x[:0], y[:0], x)
    with pytest.raises(InputError, match="one target per input"):
        ntk_regress(net, x, y[:2], x)
    with pytest.raises(InputError, match="new inputs"):
        ntk_regress(net, x, y, x[:, :2])
    with pytest.raises(InputError, match="singular"):
        ntk_regress(net, torch.ones(3, 3, dtype=D), y.cumsum(0), x)


def test_more_bad_problems_are_refused_in_words():
    x, y = torch.randn(6, 3, dtype=D), torch.randn(6, dtype=D)
    twice, other = torch.cat([x, x]), torch.randn(12, dtype=D)
    for words, problem, options in (
        ("conjugate gradients", (twice, other, x), {"solver": "cg"}),
        ("singular", (torch.zeros_like(x), y, x), {}),
        ("one new input", (x, y, x[:0]), {}),
        ("not finite", (x, y * torch.nan, x), {}),
        ("must have the same shape and dtype", (x, y, x.float()), {}),
        ("ridge must be at least 0", (x, y, x), {"ridge": -1.0}),
    ):
        with pytest.raises(InputError, match=words):
            ntk_regress(network(Dense(), Relu(), Dense()), *problem, **options)


def test_a_module_is_read_for_its_architecture():
    x, y = torch.randn(6, 3, dtype=D), torch.randn(6, dtype=D)
    linear = torch.nn.Linear(3, 1, bias=False)
    by_module, truth = (ntk_regress(n, x, y, x, ridge=1.0) for n in (linear, from_module(linear)))
    assert torch.equal(by_module.prediction, truth.prediction)


def test_the_spread_of_trained_networks_vanishes_at_the_data_only():
    net = network(Dense(1.5, 0.3), Relu(), Dense(1.2))
    rng = torch.Generator().manual_seed(4)
    x, y, at = (torch.randn(*s, generator=rng, dtype=D) for s in ((5, 3), (5,), (4, 3)))
    law = wide_ensemble(net, x, y, torch.cat([x, at]))
    spread = law.covariance.diagonal()
    assert float(spread[:5].abs().max()) < 1e-10 and float(spread[5:].min()) > 1e-3
    assert torch.allclose(law.mean[:5], y, atol=1e-9)
    start = wide_ensemble(net, x, y, at, t=0.0)
    assert torch.allclose(start.covariance, net.nngp(at)) and float(start.mean.abs().max()) == 0.0
