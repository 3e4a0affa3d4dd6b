import pytest
import torch

from corollary.errors import InputError
from corollary.theory.sequences.attention import attention_weights, scaled_dot_product_attention
from corollary.theory.sequences.masks import additive, causal_mask, combine, padding_mask


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_causal_weights_are_lower_triangular_and_rows_sum_to_one():
    A = attention_weights(normal(6, 3), normal(6, 3, seed=1), mask=causal_mask(6))
    assert torch.equal(A.triu(1), torch.zeros(6, 6, dtype=torch.float64))  # exactly zero
    assert torch.allclose(A.sum(dim=1), torch.ones(6, dtype=torch.float64))
    assert A[0].tolist() == [1.0, 0, 0, 0, 0, 0]  # the first position reads itself alone


def test_no_output_changes_with_a_later_input():
    def f(x):
        return scaled_dot_product_attention(x, x, x, mask=causal_mask(5)).output

    J = torch.autograd.functional.jacobian(f, normal(5, 3)).abs().amax(dim=(1, 3))  # (i, j)
    assert torch.equal(J.triu(1), torch.zeros(5, 5, dtype=torch.float64))
    assert bool((J.tril() + torch.ones(5, 5).triu(1) > 0).all())


def test_numbers_to_add_are_the_same_as_booleans():
    Q, K, mask = normal(5, 3), normal(5, 3, seed=1), causal_mask(5)
    assert torch.equal(
        attention_weights(Q, K, mask=additive(mask)), attention_weights(Q, K, mask=mask)
    )


def test_padding_is_not_read_and_combines_with_the_causal_mask():
    mask = combine(causal_mask(4), None, padding_mask([2, 4]))
    assert mask.shape == (2, 4, 4)
    A = attention_weights(normal(2, 4, 3), normal(2, 4, 3, seed=1), mask=mask)
    assert float(A[0, :, 2:].abs().max()) == 0.0
    assert torch.allclose(A.sum(dim=2), torch.ones(2, 4, dtype=torch.float64))
    assert combine(None, None) is None


def test_lengths_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="does not fit into n=2"):
        padding_mask([3], 2)
    with pytest.raises(InputError, match="one length >= 0"):
        padding_mask([-1, 2])
