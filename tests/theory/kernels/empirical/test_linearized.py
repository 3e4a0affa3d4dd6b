"""Linearised networks: second-order agreement, constant kernel, and the closed-form fit."""

import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.theory.kernels.empirical import (
    Linearized,
    TangentOperator,
    empirical_ntk,
    fit_linearized,
    kernel_drift,
    lazy_gap,
)
from corollary.theory.kernels.empirical.products import outputs_at, trainable
from corollary.train import fit

D = torch.float64


def net(inside: nn.Module | None = None) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        layers = nn.Linear(3, 16), inside or nn.Tanh(), nn.Linear(16, 2)
        return nn.Sequential(*layers).to(D)


def points(n: int = 5) -> torch.Tensor:
    return torch.randn(n, 3, generator=torch.Generator().manual_seed(2), dtype=D)


def test_the_expansion_agrees_to_second_order():
    model, x = net(), points()
    lin, names = Linearized(model), list(trainable(model))
    steps = [torch.randn_like(t) for t in lin.theta]
    gaps = []
    for h in (1e-2, 1e-3):
        moved = {
            k: p.detach() + h * s for k, p, s in zip(names, model.parameters(), steps, strict=True)
        }
        with torch.no_grad():
            for t, k in zip(lin.theta, names, strict=True):
                t.copy_(moved[k])
            gaps.append(float((lin(x) - outputs_at(model, moved, x)).norm()))
    assert gaps[0] / gaps[1] == pytest.approx(100, rel=0.1)


def test_a_linear_model_is_its_own_expansion():
    model, x = nn.Linear(3, 2).to(D), points()
    lin = Linearized(model)
    with torch.no_grad():
        for t in lin.theta:
            t.add_(7.0)
        moved = {k: p + 7.0 for k, p in model.named_parameters()}
        assert torch.allclose(lin(x), outputs_at(model, moved, x), atol=1e-12)


def test_the_kernel_of_the_expansion_is_constant_along_training():
    model, x = net(), points()
    start = empirical_ntk(model, x, mode="full")
    lin = Linearized(model)
    y = torch.ones(5, 2, dtype=D)
    history = fit(
        lin, (x, y), nn.functional.mse_loss, lambda p: torch.optim.SGD(p, lr=0.2), steps=60
    )
    assert history.losses[-1] < 0.3 * history.losses[0]
    after = empirical_ntk(lin, x, mode="full")
    assert torch.allclose(after, start, atol=1e-10)


def test_the_fit_interpolates_and_keeps_the_offset():
    model, x = net(), points()
    y = torch.randn(5, 2, generator=torch.Generator().manual_seed(3), dtype=D)
    found = fit_linearized(model, x, y)
    assert torch.allclose(found(x), y, atol=1e-9)
    with torch.no_grad():
        f = model(x)
    printed = found(x) - f  # the notes' predictor, without the offset
    assert torch.allclose(printed, y - f, atol=1e-9)
    assert float((printed - y).abs().max()) > 0.05


def test_the_fit_is_where_gradient_descent_on_the_expansion_ends():
    model, x = net(), points(3)
    y = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=D)
    found, lin, at = fit_linearized(model, x, y), Linearized(model), points(8)
    make = lambda p: torch.optim.SGD(p, lr=0.1)  # noqa: E731
    fit(lin, (x, y), lambda a, b: ((a - b) ** 2).sum() / 2, make, steps=3000)
    with torch.no_grad():
        assert torch.allclose(lin(at), found(at), atol=1e-5)


def test_other_minimisers_differ_by_the_null_space():
    model, x = net(), points(2)
    y = torch.zeros(2, 2, dtype=D)
    found = fit_linearized(model, x, y)
    noise = [torch.randn_like(b) for b in found.beta]
    lin = Linearized(model)
    with torch.no_grad():
        for t, b, e in zip(lin.theta, found.beta, noise, strict=True):
            t.add_(b + e)
    rest = fit_linearized(lin, x, y)  # removes what the noise did at the training inputs
    assert torch.allclose(rest(x), y, atol=1e-9)
    change = sum(
        ((b + e + r) ** 2).sum() for b, e, r in zip(found.beta, noise, rest.beta, strict=True)
    )
    assert change > sum((b**2).sum() for b in found.beta)


@pytest.mark.parametrize("inside", [nn.Tanh(), nn.ReLU()])
def test_the_operator_is_the_matrix(inside):
    model, x = net(inside), points()
    k = empirical_ntk(model, x, mode="full").permute(0, 2, 1, 3).reshape(10, 10)
    operator = TangentOperator(model, x, block=2)
    v = torch.randn(10, generator=torch.Generator().manual_seed(4), dtype=D)
    assert torch.allclose(operator @ v, k @ v, atol=1e-12)
    assert torch.allclose(torch.as_tensor(operator.scipy() @ v.numpy()), k @ v, atol=1e-12)
    with pytest.raises(InputError, match="entries"):
        operator @ v[:3]


def test_layers_without_forward_derivatives_go_by_double_reverse():
    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell = nn.GRU(3, 4, batch_first=True)

        def forward(self, x):
            return self.cell(x)[0][:, -1]

    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = Recurrent().to(D)
    x = torch.randn(3, 2, 3, generator=torch.Generator().manual_seed(1), dtype=D)
    k = empirical_ntk(model, x, mode="full").permute(0, 2, 1, 3).reshape(12, 12)
    v = torch.ones(12, dtype=D)
    assert torch.allclose(TangentOperator(model, x) @ v, k @ v, atol=1e-10)


def test_wider_networks_are_lazier():
    x, y = points(), torch.ones(5, 1, dtype=D)
    gaps = []
    for width in (16, 1024):
        with torch.random.fork_rng():
            torch.manual_seed(0)
            layers = nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 1)
        gaps.append(lazy_gap(nn.Sequential(*layers).to(D), x, y))
    assert gaps[1] < 0.2 * gaps[0]
    assert kernel_drift(torch.eye(2), torch.eye(2)) == 0
