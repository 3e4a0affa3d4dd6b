import pytest
import torch

from corollary.errors import InputError
from corollary.models.attention.multi_head import MultiHeadAttention
from corollary.models.attention.single_head import SharedAttention, SingleHeadSelfAttention
from corollary.theory.geometry.symmetry import check_equivariance, permutations_of
from corollary.theory.sequences.attention import dot_attention, scaled_dot_product_attention
from corollary.theory.sequences.masks import causal_mask


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(5)


def test_the_layer_of_the_listing_is_multi_head_attention_with_one_head():
    one, many, x = SingleHeadSelfAttention(6, rng=rng()), MultiHeadAttention(6, 1, rng=rng()), None
    many.load_state_dict(one.state_dict())
    x = normal(2, 5, 6)
    assert torch.allclose(one(x), many(x), atol=1e-12)
    mask = causal_mask(5)
    assert torch.allclose(one(x, mask=mask), many(x, mask=mask), atol=1e-12)
    assert torch.allclose(one.weights(x), many.weights(x)[:, 0], atol=1e-12)


def test_shared_scores_are_symmetric_and_positive_semidefinite():
    layer, x = SharedAttention(normal(4, 3)), normal(6, 4, seed=1)
    S = layer.scores(x).detach()
    assert torch.equal(S, S.T)
    assert float(torch.linalg.eigvalsh(S).min()) > -1e-12
    assert torch.linalg.matrix_rank(S) == 3
    A = layer.weights(x)
    assert not torch.allclose(A, A.T, atol=0.01)  # the softmax of rows is not symmetric


def test_a_shared_projection_is_attention_with_equal_queries_keys_and_values():
    U, x = normal(4, 4), normal(6, 4, seed=1)
    want = scaled_dot_product_attention(x @ U, x @ U, x @ U, scale=1.0).output
    assert torch.allclose(SharedAttention(U)(x), want, atol=1e-12)
    identity = SharedAttention(torch.eye(4, dtype=torch.float64))
    assert torch.allclose(identity(x), dot_attention(x), atol=1e-12)


def test_both_layers_are_permutation_equivariant():
    perms = permutations_of(6, 4, rng=rng())
    for layer in (SharedAttention(normal(4, 3)), SingleHeadSelfAttention(4, rng=rng())):
        assert check_equivariance(layer, normal(6, 4), perms, tolerance=1e-12)


def test_rows_of_another_width_are_refused():
    with pytest.raises(InputError, match="rows of 4 numbers"):
        SharedAttention(normal(4, 3))(normal(6, 5))
    with pytest.raises(InputError, match="rows and columns"):
        SharedAttention(normal(4, 0))
