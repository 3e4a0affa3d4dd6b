import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.stochastic.descent import random_iterate, sgd
from corollary.theory.optimization.stochastic.finite_sums import cosines, squares
from corollary.theory.optimization.stochastic.schedules import (
    constant,
    power,
    satisfies_robbins_monro,
)


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=rng(seed), dtype=torch.float64)


def noisy_mean(n=20):
    """The mean of numbers of variance 1: targets y, minimiser 0."""
    y = draw(n)
    y = (y - y.mean()) / y.std(correction=0)
    return squares(torch.ones(n, 1, dtype=torch.float64), y)


def errors(problem, schedule, steps, *, runs=300, keep=None, start=2.0, mean=False):
    x0 = torch.full((runs, 1), start, dtype=torch.float64)
    found = sgd(problem, x0, schedule, steps, keep=keep or [steps], rng=rng(1))
    x = found.mean if mean else found.x
    return (x - problem.minimiser).square().mean(dim=(1, 2))


def test_a_full_batch_without_replacement_is_gradient_descent():
    problem, x0 = cosines(draw(8, 3), draw(8, seed=1)), draw(3, seed=2)
    runs = sgd(problem, x0[None], 0.3, 40, batch=8, replacement=False, rng=rng())
    exact = gradient_descent(problem.value, x0, 0.3, 40)
    torch.testing.assert_close(runs.x[:, 0], exact.x, rtol=1e-12, atol=1e-12)


def test_it_takes_the_steps_of_torch_optim_with_a_schedule():
    X, y = draw(6, 2), draw(6, seed=1)
    problem = squares(X, y)
    runs = sgd(problem, torch.zeros(1, 2).double(), power(0.2, 0.6), 60, rng=rng(5))
    again, w = rng(5), torch.zeros(2, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.2)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: (k + 1) ** -0.6)
    for k in range(60):
        i = torch.randint(6, (1, 1), generator=again)[0, 0]
        optimizer.zero_grad()
        (0.5 * (X[i] @ w - y[i]) ** 2).backward()
        optimizer.step()
        scheduler.step()
        torch.testing.assert_close(runs.x[k + 1, 0], w.detach(), rtol=1e-12, atol=1e-12)


def test_a_seed_gives_the_same_runs_and_another_seed_others():
    problem, x0 = noisy_mean(), torch.zeros(5, 1).double()
    a, b, c = (sgd(problem, x0, 0.1, 30, rng=rng(s)).x for s in (0, 0, 1))
    assert torch.equal(a, b) and not torch.equal(a, c)


def test_the_running_mean_is_the_arithmetic_mean():
    problem, x0 = noisy_mean(), torch.ones(4, 1).double()
    runs = sgd(problem, x0, 0.3, 50, rng=rng())
    for k in (1, 2, 17, 50):
        torch.testing.assert_close(runs.mean[k], runs.x[1 : k + 1].mean(dim=0))
    tail = sgd(problem, x0, 0.3, 50, burn_in=20, rng=rng())
    torch.testing.assert_close(tail.mean[50], runs.x[21:].mean(dim=0))
    torch.testing.assert_close(tail.mean[20], runs.x[20])


def test_kept_steps_are_those_of_the_whole_run():
    problem, x0 = noisy_mean(), torch.ones(4, 1).double()
    whole, some = (sgd(problem, x0, 0.3, 50, keep=k, rng=rng()) for k in (None, (0, 7, 50)))
    assert some.steps == (0, 7, 50) and whole.steps == tuple(range(51))
    assert torch.equal(some.x, whole.x[[0, 7, 50]])


def test_it_stops_where_all_gradients_are_short():
    X = draw(10, 2)
    problem = squares(X, X @ torch.ones(2).double())
    runs = sgd(problem, torch.zeros(3, 2).double(), 0.1, 5000, tol=1e-6, rng=rng())
    lengths = problem.gradient(runs.x).norm(dim=-1).amax(dim=1)
    assert len(runs.steps) < 5000 and float(lengths[-1]) <= 1e-6 < float(lengths[-2])


@pytest.mark.parametrize("a", [0.6, 0.75, 1.0])
def test_steps_of_robbins_and_monro_make_the_error_vanish(a):
    assert satisfies_robbins_monro(a)
    found = errors(noisy_mean(), power(1.0, a), 2000, keep=[100, 2000])
    assert float(found[1]) < 0.35 * float(found[0]) and float(found[1]) < 0.02


def test_a_constant_step_stops_at_a_height_proportional_to_it():
    for eta in (0.05, 0.1, 0.2):
        plateau = float(errors(noisy_mean(), constant(eta), 400, runs=3000))
        assert plateau == pytest.approx(eta / (2 - eta), rel=0.12)


@pytest.mark.parametrize("a", [1.5, 2.0])
def test_steps_that_shrink_too_fast_stall_on_the_way(a):
    assert not satisfies_robbins_monro(a)
    found = errors(noisy_mean(), power(0.25, a), 2000, keep=[1000, 2000])
    assert float(found[1]) > 0.9 * float(found[0]) > 0.3


def test_averaging_gains_an_order_over_the_last_iterate():
    k, a = 1500, 0.6
    last, mean = (
        float(errors(noisy_mean(), power(0.7, a), k, start=1.0, mean=m)) for m in (False, True)
    )
    assert mean < 0.3 * last
    assert mean == pytest.approx(1 / k, rel=0.4)  # the variance of a mean of k draws


def test_a_random_iterate_has_the_average_as_its_mean():
    history = draw(30, 4).square()
    many = history.repeat_interleave(20_000, dim=1)
    I, chosen = random_iterate(many, rng=rng())
    assert set(I.tolist()) == set(range(30))
    for r in range(4):
        part = chosen[20_000 * r : 20_000 * (r + 1)]
        error = 4 * float(part.std()) / 20_000**0.5
        assert float(part.mean()) == pytest.approx(float(history[:, r].mean()), abs=error)


def test_the_last_iterate_settles_only_under_interpolation():
    X = draw(15, 2)
    ends = []
    for y in (X.sum(dim=1) + draw(15, seed=3), X.sum(dim=1)):
        problem = squares(X, y)
        runs = sgd(problem, torch.zeros(200, 2).double(), 0.05, 1000, keep=[500, 1000], rng=rng())
        ends.append(problem.gradient(runs.x).square().sum(dim=-1).mean(dim=1))
    noisy, clean = ends
    assert float(noisy[1]) == pytest.approx(float(noisy[0]), rel=0.3)
    assert float(noisy[1]) > 1e-3 and float(clean[1]) < 1e-12


@pytest.mark.parametrize("eta", [0.0, -0.1, lambda k: 0.1 - 0.1 * k])
def test_a_step_that_is_not_positive_is_refused(eta):
    with pytest.raises(InputError, match="positive"):
        sgd(noisy_mean(), torch.zeros(1, 1).double(), eta, 5, rng=rng())


@pytest.mark.parametrize("options", [{"steps": 0}, {"steps": 5, "burn_in": -1}])
def test_counts_out_of_range_are_refused(options):
    with pytest.raises(InputError, match="expected steps"):
        sgd(noisy_mean(), torch.zeros(1, 1).double(), 0.1, rng=rng(), **options)


def test_wrong_schedules_and_steps_to_keep_are_refused():
    with pytest.raises(InputError, match="keep"):
        sgd(noisy_mean(), torch.zeros(1, 1).double(), 0.1, 5, keep=[9], rng=rng())
    with pytest.raises(InputError, match="negative"):
        power(1.0, -0.5)
    with pytest.raises(InputError, match="positive"):
        constant(float("inf"))
