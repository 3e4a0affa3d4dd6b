import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.optimization.stochastic.descent import sgd
from corollary.theory.optimization.stochastic.finite_sums import squares
from corollary.train.batch_size import batch_size_study


def draw(*shape, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


def tiny(rng):
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)).double()
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(0.5 * torch.randn(p.shape, generator=rng, dtype=torch.float64))
    return net


def task(n, seed):
    x = draw(n, 2, seed=seed)
    return x, (x[:, :1] * x[:, 1:]).tanh()


def study(**options):
    base = {"batches": (2, 8, 64), "epochs": 2, "lr": 0.1, "seeds": 3, "draws": 60}
    return batch_size_study(
        tiny, task(64, 0), task(100, 1), nn.functional.mse_loss, **(base | options)
    )


def test_small_batches_come_further_in_the_same_passes_and_are_noisier():
    found = study(draws=300, seeds=2)
    assert [f.steps for f in found] == [64, 16, 2]
    assert found[0].train.value < found[2].train.value
    assert found[2].noise.value < 1e-20  # all rows: no noise
    n, (a, b) = 64, (2, 8)
    ratio = (n - a) / (n - b) * b / a  # variance (n - r)/(r(n - 1)) without replacement
    assert found[0].noise.value / found[1].noise.value == pytest.approx(ratio, rel=0.35)


def test_test_losses_come_with_intervals_and_the_study_is_reproducible():
    once, again = study(draws=2, epochs=1), study(draws=2, epochs=1)
    assert once == again
    assert all(f.test.low <= f.test.value <= f.test.high for f in once)
    assert any(f.test.high > f.test.low for f in once)


def test_the_step_may_depend_on_the_batch():
    seen = []

    def lr(batch):
        seen.append(batch)
        return 0.01 * batch**0.5

    study(lr=lr, epochs=1, draws=1, seeds=2)
    assert seen == [2, 8, 64]


def test_on_ridge_regression_descent_and_converged_sgd_generalise_alike():
    n, d, lam = 40, 4, 0.1
    X, w = draw(n, d), draw(d, seed=1)
    y = X @ w + draw(n, seed=2)
    root = torch.eye(d, dtype=torch.float64) * (n * lam) ** 0.5
    ridge = squares(torch.cat([X, root]), torch.cat([y, y.new_zeros(d)]))  # penalty as rows
    exact = torch.linalg.solve(X.T @ X + n * lam * torch.eye(d).double(), X.T @ y)
    torch.testing.assert_close(ridge.minimiser, exact)
    rng = torch.Generator().manual_seed(3)
    runs = sgd(ridge, torch.zeros(100, d).double(), 0.05, 2000, keep=[2000], burn_in=500, rng=rng)
    Xt, yt = draw(2000, d, seed=4), draw(2000, d, seed=4) @ w + draw(2000, seed=5)

    def loss(w):
        return 0.5 * (w @ Xt.T - yt).square().mean(dim=-1)

    stochastic = loss(runs.mean[0].mean(dim=0))  # of 150,000 iterates
    assert float(stochastic) == pytest.approx(float(loss(exact)), rel=1e-3)


@pytest.mark.parametrize(
    "options", [{"batches": (0,)}, {"batches": (65,)}, {"batches": ()}, {"seeds": 1}]
)
def test_sizes_out_of_range_are_refused(options):
    with pytest.raises(InputError, match="batch sizes must|expected seeds"):
        study(**options)
