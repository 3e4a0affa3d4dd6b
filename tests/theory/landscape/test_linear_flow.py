import pytest
import torch

from corollary.errors import InputError
from corollary.theory.landscape.deep_linear import product
from corollary.theory.landscape.linear_flow import (
    MatrixSensing,
    aligned_svd,
    balanced_layers,
    balancedness,
    end_to_end_flow,
    end_to_end_velocity,
    layer_flow,
    singular_mode,
)


def draw(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


TARGET = draw(0, 3, 4) / 2
SENSING = MatrixSensing(TARGET)
ROUGH = [draw(1, 3, 4) / 2, draw(2, 3, 3) / 2, draw(3, 3, 3) / 2]
BALANCED = balanced_layers(draw(4, 3, 4) / 2, 3, rng=torch.Generator().manual_seed(0))


def test_gradients_agree_with_autograd_and_the_loss_falls_along_the_flow():
    Ws = [w.clone().requires_grad_() for w in ROUGH]
    auto = torch.autograd.grad(SENSING.loss(Ws), Ws)
    for mine, theirs in zip(SENSING.gradients(ROUGH), auto, strict=True):
        torch.testing.assert_close(mine, theirs)
    losses = [SENSING.loss(Ws).item() for Ws in SENSING.flow(ROUGH, 2.0, steps=50)]
    assert all(b <= a + 1e-12 for a, b in zip(losses, losses[1:], strict=False))


def test_measurements_see_the_squared_distance():
    A = SENSING.measurements(40_000, rng=torch.Generator().manual_seed(0))
    assert SENSING.empirical_loss(ROUGH, A).item() == pytest.approx(
        SENSING.loss(ROUGH).item(), rel=0.03
    )


def test_differences_are_conserved_by_the_flow_and_drift_with_the_step():
    start = balancedness(ROUGH)
    end = balancedness(SENSING.flow(ROUGH, 1.0, steps=400)[-1])
    assert max((a - b).norm().item() for a, b in zip(start, end, strict=True)) < 1e-8
    assert start[0].norm() > 0.1  # (6.48) would make it zero
    drift = []
    for eta in (0.04, 0.02, 0.01):
        moved = balancedness(SENSING.descent(ROUGH, eta, steps=round(1 / eta))[-1])
        drift.append((moved[0] - start[0]).norm().item())
    assert drift[0] / drift[1] == pytest.approx(2, rel=0.2)
    assert drift[1] / drift[2] == pytest.approx(2, rel=0.2)


def test_a_balanced_start_stays_balanced_and_aligned():
    torch.testing.assert_close(product(BALANCED), draw(4, 3, 4) / 2)
    for Ws in SENSING.flow(BALANCED, 1.0, steps=100)[::25]:
        assert max(D.norm().item() for D in balancedness(Ws)) < 1e-7
        found = aligned_svd(Ws)
        assert found.unique
        for k in range(2):
            overlap = found.U[k].T @ found.V[k + 1]
            torch.testing.assert_close(overlap, torch.eye(3).double(), rtol=0, atol=1e-6)
        W = (found.U[-1] * found.s[0] ** 3) @ found.V[0].T
        torch.testing.assert_close(W, product(Ws), rtol=0, atol=1e-6)


def test_repeated_singular_values_are_reported():
    assert not aligned_svd(balanced_layers(torch.eye(3).double(), 2)).unique


def test_the_aligned_velocity_is_minus_the_gradient_for_every_layer():
    for mine, g in zip(layer_flow(BALANCED, TARGET), SENSING.gradients(BALANCED), strict=True):
        torch.testing.assert_close(mine, -g, rtol=1e-9, atol=1e-10)


def test_the_printed_last_factor_is_wrong():
    """With V_{k-1} in place of V_k the velocities of layers 2 and 3 are off by their size."""
    square = balanced_layers(draw(6, 3, 3) / 2, 3, rng=torch.Generator().manual_seed(1))
    target, V = draw(7, 3, 3), aligned_svd(square).V
    true = layer_flow(square, target)
    for k in (1, 2):
        printed = true[k] @ V[k] @ V[k - 1].T
        assert (printed - true[k]).norm() > 0.1 * true[k].norm()


def test_end_to_end_velocities_are_those_of_the_layers():
    f, b, W = SENSING.gradients(BALANCED), BALANCED, product(BALANCED)
    layers = -(f[2] @ b[1] @ b[0] + b[2] @ f[1] @ b[0] + b[2] @ b[1] @ f[0])
    torch.testing.assert_close(end_to_end_velocity(W, TARGET, 3), layers, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(end_to_end_velocity(W, TARGET, 1), TARGET - W)


def test_trajectories_agree_only_from_a_balanced_start():
    W = product(BALANCED)
    own = end_to_end_flow(W, TARGET, 3, 1.0, steps=150)[-1]
    layers = product(SENSING.flow(BALANCED, 1.0, steps=150)[-1])
    assert (own - layers).norm() < 1e-6
    uneven = [BALANCED[0] / 3, 3 * BALANCED[1], BALANCED[2]]
    path = [product(Ws) for Ws in SENSING.flow(uneven, 1.0, steps=150)]
    theory = end_to_end_flow(W, TARGET, 3, 1.0, steps=150)
    gaps = [(a - b).norm().item() for a, b in zip(path, theory, strict=True)]
    assert gaps[50] > 1e-3
    assert gaps[0] < 1e-12


def test_the_logistic_curve_solves_its_equation():
    from scipy.integrate import solve_ivp

    t = torch.linspace(0, 3, 7).double()
    one = torch.ones(1, dtype=torch.float64)
    curve = singular_mode(0.1 * one, 2 * one, t)[:, 0]
    tight = {"rtol": 1e-10, "atol": 1e-12}
    solved = solve_ivp(lambda _, s: s * (2 - s), (0, 3), [0.1], t_eval=t.numpy(), **tight)
    assert curve.tolist() == pytest.approx(solved.y[0].tolist(), rel=1e-6)


def test_impossible_requests_are_refused():
    with pytest.raises(InputError, match="at least one layer"):
        balanced_layers(TARGET, 0)
    with pytest.raises(InputError, match="T must be"):
        SENSING.flow(ROUGH, 0.0)
