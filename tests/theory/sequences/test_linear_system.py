"""Diagonal form, stability and the parametrisation of eigenvalues."""

import numpy as np
import pytest
import torch
from scipy.signal import dlsim, dlti

from corollary.errors import InputError
from corollary.theory.prerequisites.orthogonal import random_orthogonal
from corollary.theory.sequences.linear_system import (
    dense_states,
    diagonal_states,
    diagonalised,
    is_diagonalisable,
    is_stable,
)
from corollary.theory.sequences.stable_eigenvalues import (
    distance_to_circle,
    lru_init,
    nu_of,
    stable_eigenvalues,
)


def drawn(m=5, n=2, T=60, seed=0):
    rng = torch.Generator().manual_seed(seed)
    A = 0.95 * random_orthogonal(m, rng=rng)
    B = torch.randn(m, n, generator=rng, dtype=torch.float64)
    return A, B, torch.randn(T, n, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize("seed", range(3))
def test_the_diagonal_form_has_the_same_states(seed):
    A, B, x = drawn(seed=seed)
    system = diagonalised(A, B)
    z = diagonal_states(system, x) @ system.P.T
    torch.testing.assert_close(z.real, dense_states(A, B, x), rtol=1e-9, atol=1e-9)
    assert z.imag.abs().max() < 1e-9


def test_the_dense_form_is_the_discrete_system_of_scipy():
    """Scipy's z_{t+1} = A z_t + B x_t starts one step later."""
    A, B, x = drawn()
    system = dlti(A.numpy(), B.numpy(), np.eye(5), np.zeros((5, 2)), dt=1)
    _, later, _ = dlsim(system, np.vstack([x.numpy(), np.zeros((1, 2))]))
    np.testing.assert_allclose(dense_states(A, B, x).numpy(), later[1:], rtol=1e-10)


def test_a_defective_matrix_is_refused():
    J = torch.tensor([[0.5, 1.0], [0.0, 0.5]], dtype=torch.float64)
    assert not is_diagonalisable(J)
    with pytest.raises(InputError, match="linearly dependent"):
        diagonalised(J, J)


def test_stability_is_modulus_below_one_or_semi_simple_on_the_circle():
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    jordan = torch.tensor([[1.0, 1.0], [0.0, 1.0]], dtype=torch.float64)
    assert is_stable(turn) and is_stable(0.5 * jordan)
    assert not is_stable(jordan) and not is_stable(1.1 * turn)


def test_moduli_are_those_that_were_drawn():
    rng, again = (torch.Generator().manual_seed(3) for _ in range(2))
    nu, phi = lru_init(50, 0.2, 0.9, rng=rng)
    r = 0.2 + 0.7 * torch.rand(2, 50, generator=again, dtype=torch.float64)[0]
    torch.testing.assert_close(stable_eigenvalues(nu, phi).abs(), r)
    assert bool(((phi >= 0) & (phi < 2 * torch.pi)).all())


@pytest.mark.parametrize("step", [1e-3, 1.0, 30.0])
def test_no_step_leaves_the_disc(step):
    rng = torch.Generator().manual_seed(0)
    nu, phi = (p.requires_grad_() for p in lru_init(20, 0.9, 0.999, rng=rng))
    loss = -stable_eigenvalues(nu, phi).abs().sum()  # wants to leave
    g_nu, g_phi = torch.autograd.grad(loss, (nu, phi))
    noise = torch.randn(20, generator=rng, dtype=torch.float64)
    moved = nu.detach() - step * (g_nu + noise)
    assert bool((stable_eigenvalues(moved, phi - step * g_phi).abs() <= 1).all())
    assert bool((distance_to_circle(moved) > 0).all())


def test_the_gradient_goes_through_both_numbers():
    nu, phi = (p.requires_grad_() for p in lru_init(4, rng=torch.Generator().manual_seed(0)))
    assert torch.autograd.gradcheck(stable_eigenvalues, (nu, phi))


@pytest.mark.parametrize("ends", [(0.0, 0.5), (0.5, 1.0), (0.6, 0.5)])
def test_moduli_of_zero_and_one_are_refused(ends):
    with pytest.raises(InputError, match="0 < r_min"):
        lru_init(3, *ends, rng=torch.Generator())
    with pytest.raises(InputError, match="strictly between"):
        nu_of(torch.tensor([0.5, 1.0]))
