import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from corollary.errors import InputError, InputTypeError
from corollary.theory.geometry.symmetry import check_equivariance, permutations_of
from corollary.theory.sequences.attention import (
    attention_weights,
    dot_attention,
    scaled_dot_product_attention,
)
from corollary.theory.sequences.masks import causal_mask


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_dot_attention_is_the_double_sum_of_the_notes():
    X = normal(4, 3)
    for n in range(4):
        e = [math.exp(float(X[n] @ X[m])) for m in range(4)]
        y = sum(e[m] / sum(e) * X[m] for m in range(4))
        assert torch.allclose(dot_attention(X)[n], y, atol=1e-12)


def test_dot_attention_is_permutation_equivariant():
    perms = permutations_of(6, 4, rng=torch.Generator().manual_seed(0))
    assert check_equivariance(dot_attention, normal(6, 3), perms, tolerance=1e-12)


def test_outputs_lie_between_the_least_and_the_largest_value():
    X = normal(20, 3)
    Y = dot_attention(X)
    assert bool((Y.amax(dim=0) <= X.amax(dim=0)).all() and (Y.amin(dim=0) >= X.amin(dim=0)).all())


@settings(max_examples=25, deadline=None)
@given(
    t=st.integers(1, 6),
    s=st.integers(1, 6),
    d=st.integers(1, 5),
    seed=st.integers(0, 99),
    masked=st.sampled_from(["no", "bool", "float"]),
)
def test_it_equals_torchs_function(t, s, d, seed, masked):
    Q, K, V = normal(2, t, d, seed=seed), normal(2, s, d, seed=seed + 1), normal(2, s, 3)
    mask = None
    if masked != "no":
        mask = normal(t, s, seed=seed + 2)
        mask = mask if masked == "float" else mask > -0.5
        if masked == "bool":
            mask[:, 0] = True
    ours = scaled_dot_product_attention(Q, K, V, mask=mask)
    assert torch.allclose(ours.output, F.scaled_dot_product_attention(Q, K, V, attn_mask=mask))
    assert torch.allclose(ours.weights.sum(dim=-1), torch.ones(2, t, dtype=torch.float64))
    assert ours.weights.shape == (2, t, s)


def test_queries_may_have_a_batch_that_keys_lack():
    Q, K = normal(2, 4, 5, 3), normal(6, 3)
    assert attention_weights(Q, K).shape == (2, 4, 5, 6)


def test_a_row_that_may_read_nothing_reads_zero_and_has_a_finite_gradient():
    Q, K, V = (normal(2, 3, seed=k).requires_grad_() for k in range(3))
    mask = torch.tensor([[True, True], [False, False]])
    read = scaled_dot_product_attention(Q, K, V, mask=mask)
    assert read.output[1].tolist() == [0, 0, 0] and read.weights[1].tolist() == [0, 0]
    for gradient in torch.autograd.grad(read.output.sum(), (Q, K, V)):
        assert bool(gradient.isfinite().all())
    assert torch.allclose(read.output, F.scaled_dot_product_attention(Q, K, V, attn_mask=mask))


def test_the_printed_sum_over_v_i_gives_back_v_i():
    """The misprint of the notes: weights that sum to one times the vector of the row itself."""
    X = normal(4, 3)
    A = attention_weights(X, X)
    printed = torch.stack([sum(A[i, t] * X[i] for t in range(4)) for i in range(4)])
    assert torch.allclose(printed, X, atol=1e-12)
    assert not torch.allclose(scaled_dot_product_attention(X, X, X).output, X, atol=0.1)


def test_frozen_weights_make_attention_linear_in_the_values():
    Q, K, V, W = (normal(4, 3, seed=k) for k in range(4))
    both = scaled_dot_product_attention(Q, K, 2 * V + 3 * W).output
    one, other = (scaled_dot_product_attention(Q, K, U).output for U in (V, W))
    assert torch.allclose(both, 2 * one + 3 * other, atol=1e-12)


def test_large_scores_do_not_overflow():
    A = attention_weights(torch.full((1, 1), 1e15), torch.tensor([[1e15], [0.0]]))
    assert A.tolist() == [[1.0, 0.0]]


def test_shapes_that_do_not_meet_are_refused():
    Q, K = normal(4, 3), normal(5, 2)
    with pytest.raises(InputError, match="got 3 and"):
        attention_weights(Q, K)
    with pytest.raises(InputError, match="for 4 keys"):
        scaled_dot_product_attention(Q, Q, K)
    with pytest.raises(InputError, match="does not fit scores"):
        attention_weights(Q, Q, mask=causal_mask(3))
    with pytest.raises(InputTypeError, match="boolean"):
        attention_weights(Q, Q, mask=torch.ones(4, 4, dtype=torch.int64))
    with pytest.raises(InputError, match="at least one key"):
        attention_weights(Q, normal(0, 3))
