import pytest
import torch

from corollary.errors import InputError
from corollary.models.attention.multi_head import MultiHeadAttention
from corollary.models.transformers.positions import LearnedPE, SinusoidalPE
from corollary.theory.geometry.symmetry import check_equivariance, permutations_of


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_sinusoidal_positions_are_added_in_the_dtype_of_the_sequence():
    x = torch.ones(3, 5, 8)
    out = SinusoidalPE(8)(x)
    assert out.dtype == torch.float32
    assert torch.allclose(out - x, SinusoidalPE(8).table(5).float().expand(3, 5, 8), atol=1e-6)


def test_an_odd_width_is_refused_when_the_layer_is_made():
    with pytest.raises(InputError, match="even"):
        SinusoidalPE(7)


def test_the_shift_of_the_layer_carries_its_table():
    positions = SinusoidalPE(6, base=50.0)
    assert torch.allclose(positions.table(9)[:5] @ positions.shift(4).T, positions.table(9)[4:])


def test_only_used_rows_of_a_learned_table_get_a_gradient():
    positions = LearnedPE(6, 4, rng=rng())
    positions(torch.randn(2, 3, 4, generator=rng()).double()).square().sum().backward()
    used = positions.P.grad.abs().sum(dim=1) > 0
    assert used.tolist() == [True] * 3 + [False] * 3


def test_a_sequence_beyond_the_table_is_refused():
    with pytest.raises(InputError, match="positions for 6 tokens, but the sequence has 7"):
        LearnedPE(6, 4, rng=rng())(torch.zeros(7, 4, dtype=torch.float64))


@pytest.mark.parametrize("positions", [SinusoidalPE(8), LearnedPE(6, 8, std=1.0, rng=rng())])
def test_positions_break_the_permutation_equivariance_of_attention(positions):
    attention = MultiHeadAttention(8, 2, rng=rng())
    x = torch.randn(6, 8, generator=rng(), dtype=torch.float64)
    perms = permutations_of(6, 3, rng=rng())
    assert check_equivariance(attention, x, perms)
    assert not check_equivariance(lambda x: attention(positions(x)), x, perms)
