import jaxtyping
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from corollary.errors import InputError, InputTypeError
from corollary.models.modern_hopfield import ModernHopfield


def draw(N, d, seed=0):
    return torch.randn(N, d, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize(("N", "d"), [(1, 1), (7, 3), (100, 64)])
def test_an_update_is_pytorchs_attention_at_its_default_scale(N, d):
    K, q = draw(N, d), draw(20, d, seed=1)
    memory = ModernHopfield(K)
    expected = scaled_dot_product_attention(q[None], K[None], K[None])[0]
    assert memory.beta == d**-0.5
    assert torch.allclose(memory.update(q), expected, atol=1e-12)


@pytest.mark.parametrize("beta", [0.1, 1.0, 9.0])
def test_the_memory_as_attention_gives_the_same_reads(beta):
    memory, q = ModernHopfield(draw(12, 6), beta), draw(10, 6, seed=1).reshape(2, 5, 6)
    assert torch.allclose(memory.as_attention()(q), memory(q), atol=1e-12)


def test_energy_falls_along_a_retrieval():
    memory = ModernHopfield(draw(12, 6), 0.5)
    found = memory.retrieve(draw(10, 6, seed=1), max_steps=2000)
    assert found.converged
    assert bool((found.energies.diff(dim=0) <= 1e-12).all())


def test_well_separated_patterns_are_read_in_one_step():
    K = 4 * torch.eye(8, dtype=torch.float64)
    memory = ModernHopfield(K, beta=3.0)
    noisy = K + 0.2 * draw(8, 8)
    assert float((memory.update(noisy) - K).norm(dim=1).max()) < 1e-10


def test_a_warm_memory_gives_the_mean_of_all_patterns():
    K = draw(10, 5)
    found = ModernHopfield(K, beta=1e-4).retrieve(draw(4, 5, seed=1))
    assert torch.allclose(found.state, K.mean(0).expand(4, 5), atol=1e-3)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ModernHopfield(torch.zeros(0, 3)), InputError, "at least one pattern"),
        (lambda: ModernHopfield(torch.zeros(3)), InputError, "matrix"),
        (lambda: ModernHopfield(torch.full((2, 2), torch.nan)), InputError, "finite"),
        (lambda: ModernHopfield(torch.ones(2, 2), beta=0.0), InputError, "positive"),
        (lambda: ModernHopfield(torch.ones(2, 2), beta=float("nan")), InputError, "positive"),
        (lambda: ModernHopfield(torch.ones(2, 2).int()), InputTypeError, "int32"),
        (lambda: ModernHopfield(torch.ones(2, 2)).update(torch.ones(3)), InputError, "2 entries"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(monkeypatch, call, error, words):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    with pytest.raises(error, match=words):
        call()
