import pytest
import torch

from corollary.errors import InputError
from corollary.theory.connectionism.hopfield.modern import (
    attention_energy,
    attention_update,
    one_step_error,
    separation,
)


def draw(N, d, seed=0):
    rng = torch.Generator().manual_seed(seed)
    return (torch.randn(k, d, generator=rng, dtype=torch.float64) for k in (N, 30))


def test_the_update_is_a_step_of_length_one_down_the_gradient():
    K, q = draw(9, 5)
    q.requires_grad_()
    (gradient,) = torch.autograd.grad(attention_energy(K, 0.7, q).sum(), q)
    assert torch.allclose(q - gradient, attention_update(K, 0.7, q), atol=1e-12)


@pytest.mark.parametrize("beta", [0.01, 1.0, 50.0])
def test_the_energy_is_never_negative(beta):
    K, q = draw(9, 5)
    assert float(attention_energy(K, beta, q).min()) >= 0


def test_separation_is_the_smallest_gap():
    K, _ = draw(6, 4)
    for i in range(6):
        gaps = [float(K[i] @ (K[i] - K[j])) for j in range(6) if j != i]
        assert separation(K)[i].item() == pytest.approx(min(gaps))


def test_two_opposite_patterns_attain_the_bound_up_to_the_softmax_denominator():
    K = torch.tensor([[1.0], [-1.0]], dtype=torch.float64)
    error = float((attention_update(K, 3.0, K[:1]) - K[:1]).norm())
    bound = float(one_step_error(K, 3.0, 0.0)[0])
    assert error <= bound
    assert error == pytest.approx(bound / (1 + float(torch.exp(torch.tensor(-6.0)))), rel=1e-7)


def test_one_pattern_has_no_separation():
    with pytest.raises(InputError, match="two patterns"):
        separation(torch.ones(1, 3))
