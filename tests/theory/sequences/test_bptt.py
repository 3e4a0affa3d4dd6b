"""Backpropagation through time against autograd."""

import inspect

import pytest
import torch

from corollary.errors import InputError
from corollary.theory.networks.activations import HYPERBOLIC, LINEAR, LOGISTIC
from corollary.theory.sequences.bptt import elman_run, rnn_bptt
from corollary.theory.sequences.state_jacobians import (
    jacobian_bound,
    rnn_jacobian_norms,
    state_jacobians,
    step_jacobians,
)

EXACT = {"rtol": 1e-10, "atol": 1e-12}


def drawn(T=7, n=2, m=4, q=3, seed=0):
    rng = torch.Generator().manual_seed(seed)
    shapes = [(m, m), (m, n), (q, m), (T, n), (T, q)]
    return [torch.randn(*s, generator=rng, dtype=torch.float64) for s in shapes]


@pytest.mark.parametrize("phi", [HYPERBOLIC, LOGISTIC, LINEAR])
@pytest.mark.parametrize("psi", [LINEAR, LOGISTIC])
def test_the_written_out_gradients_are_those_of_autograd(phi, psi):
    U, V, W, x, y = drawn()
    leaves = [a.clone().requires_grad_() for a in (U, V, W)]
    run = elman_run(*leaves, x, phi=phi, psi=psi)
    loss = (run.y - y).square().sum() / 2
    wanted = torch.autograd.grad(loss, leaves)
    found = rnn_bptt(U, V, W, x, y, phi=phi, psi=psi)
    for a, b in zip(found[:3], wanted, strict=True):
        torch.testing.assert_close(a, b, **EXACT)


def test_the_run_is_that_of_torch():
    U, V, W, x, _ = drawn()
    rnn = torch.nn.RNN(2, 4, bias=False, dtype=torch.float64)
    with torch.no_grad():
        rnn.weight_hh_l0.copy_(U)
        rnn.weight_ih_l0.copy_(V)
        torch.testing.assert_close(elman_run(U, V, W, x).z, rnn(x)[0], **EXACT)


@pytest.mark.parametrize("window", [0, 1, 3])
def test_a_window_is_the_sum_of_losses_that_see_a_few_steps_each(window):
    U, V, W, x, y = drawn()
    z = elman_run(U, V, W, x).z
    wanted = [torch.zeros_like(a) for a in (U, V)]
    for i in range(len(x)):
        leaves = [a.clone().requires_grad_() for a in (U, V)]
        start = max(0, i - window)  # the state before the first step that is followed
        state = z[start - 1] if start else torch.zeros(4, dtype=torch.float64)
        for t in range(start, i + 1):
            state = torch.tanh(leaves[0] @ state + leaves[1] @ x[t])
        loss = (W @ state - y[i]).square().sum() / 2
        for total, g in zip(wanted, torch.autograd.grad(loss, leaves), strict=True):
            total += g
    found = rnn_bptt(U, V, W, x, y, window=window)
    torch.testing.assert_close(found.U, wanted[0], **EXACT)
    torch.testing.assert_close(found.V, wanted[1], **EXACT)


def test_a_window_of_the_whole_length_changes_nothing():
    U, V, W, x, y = drawn()
    for a, b in zip(rnn_bptt(U, V, W, x, y), rnn_bptt(U, V, W, x, y, window=99), strict=True):
        torch.testing.assert_close(a, b, **EXACT)


def test_state_jacobians_are_those_of_autograd_and_the_order_matters():
    U, V, W, x, _ = drawn()
    start = torch.zeros(4, dtype=torch.float64)

    def last(z):
        for u in x:
            z = torch.tanh(U @ z + V @ u)
        return z

    wanted = torch.func.jacrev(last)(start)
    J = step_jacobians(U, V, x)
    torch.testing.assert_close(state_jacobians(J)[-1], wanted, **EXACT)
    assert (state_jacobians(J, order="reversed")[-1] - wanted).abs().max() > 1e-2


@pytest.mark.parametrize(("phi", "alpha"), [(HYPERBOLIC, 1.0), (LOGISTIC, 0.25)])
def test_norms_stay_under_the_bound_and_decay_below_the_threshold(phi, alpha):
    U, V, _, x, _ = drawn(T=40, m=6)
    U = U * (0.9 / alpha) / torch.linalg.matrix_norm(U, ord=2)
    norms = rnn_jacobian_norms(U, V, x, phi=phi)
    assert bool((norms <= jacobian_bound(U, 40, alpha=alpha) * (1 + 1e-12)).all())
    assert norms[-1] <= 0.9**40 * (1 + 1e-9)


def test_the_notes_condition_is_reversed():
    """Identity activation, alpha = 1: sigma_1 = 2 >= 1 explodes, sigma_1 = 1/2 vanishes."""
    eye, x = torch.eye(3, dtype=torch.float64), torch.zeros(20, 3, dtype=torch.float64)
    assert rnn_jacobian_norms(2 * eye, eye, x, phi=LINEAR)[-1] == 2.0**20
    assert rnn_jacobian_norms(eye / 2, eye, x, phi=LINEAR)[-1] == 2.0**-20


def test_wrong_shapes_are_named():
    U, V, W, x, y = drawn()
    with pytest.raises(InputError, match="U \\(m, m\\)"):
        inspect.unwrap(elman_run)(U, V[:, :1], W, x)
    with pytest.raises(InputError, match="window"):
        rnn_bptt(U, V, W, x, y, window=-1)
    with pytest.raises(InputError, match="between 0 and T"):
        state_jacobians(step_jacobians(U, V, x), 8)
