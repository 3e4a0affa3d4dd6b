import pytest
import torch

from corollary.errors import InputError
from corollary.theory.optimization.methods.adagrad import AdaGrad
from corollary.theory.optimization.methods.adam import Adam, uncorrected_first_step
from corollary.theory.optimization.methods.heavy_ball import HeavyBall, effective_lr
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.optimization.methods.nesterov import (
    Nesterov,
    accelerated_rate,
    convex_momentum,
    nesterov_momentum,
)

TO_TORCH = 1e-12  # hundreds of steps of rounding, in another order


def draw(*shape, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


A = draw(6, 4)


def h(x):
    """Not convex, smooth."""
    return (1 + torch.cos(A @ x)).sum() + 0.5 * x.square().sum()


def gradient(x):
    p = x.detach().requires_grad_()
    return torch.autograd.grad(h(p), p)[0]


def torch_path(make, x0, steps):
    p = x0.clone().requires_grad_()
    optimizer, path = make([p]), [x0]
    for _ in range(steps):
        optimizer.zero_grad()
        h(p).backward()
        optimizer.step()
        path.append(p.detach().clone())
    return torch.stack(path)


PAIRS = {
    "gradient descent": (HeavyBall(0.05, 0.0), lambda p: torch.optim.SGD(p, lr=0.05)),
    "heavy ball": (HeavyBall(0.02, 0.9), lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9)),
    "AdaGrad": (AdaGrad(0.1, 1e-8), lambda p: torch.optim.Adagrad(p, lr=0.1, eps=1e-8)),
    "Adam": (Adam(0.05), lambda p: torch.optim.Adam(p, lr=0.05)),
    "Adam (0.5, 0.9)": (
        Adam(0.002, (0.5, 0.9), 1e-3),
        lambda p: torch.optim.Adam(p, lr=0.002, betas=(0.5, 0.9), eps=1e-3),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_each_method_takes_the_steps_of_torch_optim(name):
    method, make = PAIRS[name]
    path = trajectory(method, gradient, draw(4, seed=1), 200)
    torch.testing.assert_close(path, torch_path(make, path[0], 200), rtol=TO_TORCH, atol=TO_TORCH)


def test_torch_keeps_the_point_ahead_in_nesterovs_method():
    beta = 0.8
    path = trajectory(Nesterov(0.03, beta), gradient, draw(4, seed=1), 100)
    theirs = torch_path(
        lambda p: torch.optim.SGD(p, lr=0.03, momentum=beta, nesterov=True), path[0], 100
    )
    ahead = path[1:] + beta * (path[1:] - path[:-1])
    torch.testing.assert_close(ahead, theirs[1:], rtol=TO_TORCH, atol=TO_TORCH)


def test_with_a_changing_step_size_torch_rescales_what_it_remembers():
    x0 = torch.zeros(1, dtype=torch.float64)
    p = x0.clone().requires_grad_()
    optimizer = torch.optim.SGD([p], lr=1.0, momentum=0.5)
    for lr in (1.0, 0.1):
        optimizer.param_groups[0]["lr"] = lr
        p.grad = torch.ones_like(p)
        optimizer.step()
    first, kept = HeavyBall(1.0, 0.5).step(x0, torch.ones_like, x0)
    second, _ = HeavyBall(0.1, 0.5).step(first, torch.ones_like, kept)
    assert p.item() == pytest.approx(-1.0 - 0.1 * 1.5)
    assert second.item() == pytest.approx(-1.0 - 0.1 - 0.5)


def test_nesterov_is_its_two_lines():
    eta, beta = 0.03, 0.7
    path = trajectory(Nesterov(eta, beta), gradient, draw(4, seed=2), 20)
    before, now = path[0], path[0]
    for t in range(20):
        chi = now + beta * (now - before)
        before, now = now, chi - eta * gradient(chi)
        torch.testing.assert_close(path[t + 1], now, rtol=1e-13, atol=1e-13)


def test_without_momentum_nesterov_and_the_heavy_ball_are_gradient_descent():
    paths = [
        trajectory(m, gradient, draw(4), 30) for m in (Nesterov(0.05, 0.0), HeavyBall(0.05, 0.0))
    ]
    x = draw(4)
    for t in range(30):
        assert torch.equal(paths[1][t], x)
        torch.testing.assert_close(paths[0][t], x)
        x = x - 0.05 * gradient(x)


@pytest.mark.parametrize("kappa", [100.0, 900.0])
def test_nesterov_needs_about_the_root_of_the_iterations_of_descent(kappa):
    values = torch.logspace(0, 1, 20, base=kappa, dtype=torch.float64)

    def steps(method):
        x, memory, t = torch.ones_like(values), method.init(values), 0
        while (values * x.square()).sum() > 1e-8 * values.sum():
            x, memory = method.step(x, lambda x: values * x, memory)
            t += 1
        return t

    fast = steps(Nesterov(1 / kappa, nesterov_momentum(kappa)))
    slow = steps(HeavyBall(1 / kappa, 0.0))
    assert 0.3 < slow / fast / kappa**0.5 < 1.5


def test_a_schedule_of_momentum_is_followed():
    path = trajectory(Nesterov(0.1, convex_momentum), lambda x: x, torch.ones(1).double(), 2)
    chi = path[1] + 0.25 * (path[1] - path[0])
    torch.testing.assert_close(path[2], 0.9 * chi)
    assert accelerated_rate(100.0, 2) == pytest.approx(0.81)


def test_under_a_constant_gradient_the_heavy_ball_reaches_its_speed():
    path = trajectory(HeavyBall(0.1, 0.9), torch.ones_like, torch.zeros(1).double(), 400)
    moves = -(path[1:] - path[:-1])[:, 0]
    assert moves[:3].tolist() == pytest.approx([0.1, 0.19, 0.271])
    assert moves.tolist() == pytest.approx([effective_lr(0.1, 0.9, t) for t in range(400)])
    assert float(moves[-1]) == pytest.approx(effective_lr(0.1, 0.9)) == pytest.approx(1.0)


def test_the_steps_of_adagrad_per_gradient_only_shrink():
    x0, seen = draw(4), []

    def g(x):
        seen.append(gradient(x))
        return seen[-1]

    path = trajectory(AdaGrad(0.1, 1e-10), g, x0, 100)
    rate = -(path[1:] - path[:-1]) / torch.stack(seen)
    assert bool((rate[1:] <= rate[:-1] * (1 + 1e-9)).all()) and bool((rate > 0).all())


def test_adagrad_does_not_see_the_units_of_the_gradient():
    c = torch.tensor([1.0, 1e-3, 50.0, 1e6], dtype=torch.float64)
    plain = trajectory(AdaGrad(0.1, 0.0), lambda x: x, draw(4), 50)
    scaled = trajectory(AdaGrad(0.1, 0.0), lambda x: c * x, draw(4), 50)
    torch.testing.assert_close(plain, scaled, rtol=1e-12, atol=1e-12)


def test_in_rescaled_coordinates_adagrad_needs_rescaled_steps():
    d = 5.0  # theta = d z, so h has the gradient d h'(d z) in z
    theta = trajectory(AdaGrad(0.1, 0.0), gradient, draw(4), 50)
    z = trajectory(AdaGrad(0.1 / d, 0.0), lambda z: d * gradient(d * z), draw(4) / d, 50)
    torch.testing.assert_close(theta, d * z, rtol=1e-10, atol=1e-10)
    same = trajectory(AdaGrad(0.1, 0.0), lambda z: d * gradient(d * z), draw(4) / d, 50)
    assert float((theta - d * same).abs().max()) > 0.1  # with one step size they part


@pytest.mark.parametrize("method", [AdaGrad(0.1, 0.0), Adam(0.1, eps=0.0)])
def test_a_coordinate_without_gradient_stays(method):
    path = trajectory(method, torch.zeros_like, draw(3), 5)
    assert torch.equal(path[-1], path[0])


def test_the_first_step_of_adam_is_the_learning_rate_and_uncorrected_it_is_longer():
    x = draw(50)
    first = [
        (trajectory(Adam(0.01, bias_correction=on), torch.sin, x, 1)[1] - x).abs()
        for on in (True, False)
    ]
    torch.testing.assert_close(first[0], torch.full_like(x, 0.01), rtol=1e-4, atol=0)
    ratio = first[1] / first[0]
    torch.testing.assert_close(ratio, torch.full_like(x, 10**0.5), rtol=1e-3, atol=0)
    assert uncorrected_first_step(0.9, 0.999) == pytest.approx(10**0.5)


def test_many_runs_at_once_are_the_runs_one_by_one():
    x0 = draw(7, 4)
    for method in (HeavyBall(0.1), Nesterov(0.1), AdaGrad(0.1), Adam(0.1)):
        together = trajectory(method, torch.sin, x0, 20)
        alone = torch.stack([trajectory(method, torch.sin, x, 20) for x in x0], dim=1)
        torch.testing.assert_close(together, alone)


@pytest.mark.parametrize(
    "make",
    [
        lambda: HeavyBall(0.1, 1.0),
        lambda: HeavyBall(0.1, -0.1),
        lambda: HeavyBall(0.0, 0.9),
        lambda: Nesterov(0.1, 1.5),
        lambda: Nesterov(-0.1),
        lambda: AdaGrad(0.0),
        lambda: AdaGrad(0.1, -1.0),
        lambda: Adam(0.1, (0.9, 1.0)),
        lambda: Adam(0.1, eps=-1.0),
        lambda: Adam(float("nan")),
        lambda: effective_lr(0.1, 1.0),
        lambda: effective_lr(0.1, 0.5, -1),
        lambda: nesterov_momentum(0.5),
        lambda: accelerated_rate(4.0, -1),
        lambda: trajectory(HeavyBall(0.1), torch.sin, torch.ones(2), 0),
    ],
)
def test_parameters_out_of_range_are_refused(make):
    with pytest.raises(InputError, match="must"):
        make()
