import pytest
import torch
from torch import nn

from corollary.errors import InputTypeError
from corollary.models.attention.mixing import mixing_matrix
from corollary.models.attention.multi_head import MultiHeadAttention
from corollary.models.attention.single_head import SharedAttention
from corollary.theory.connectionism.linearity import is_linear


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def convolution(**options) -> nn.Conv1d:
    layer = nn.Conv1d(2, 3, 3, dtype=torch.float64, **options)
    with torch.no_grad():
        layer.weight.copy_(normal(*layer.weight.shape))
    return layer


def test_a_convolution_mixes_with_the_same_toeplitz_matrix_for_every_input():
    layer = convolution(padding=1)
    W = mixing_matrix(layer, normal(6, 2))
    assert W.shape == (3, 2, 6, 6)
    assert torch.equal(W, mixing_matrix(layer, normal(6, 2, seed=1)))
    assert torch.allclose(W[..., 1:, 1:], W[..., :-1, :-1])  # constant along diagonals


def test_the_matrix_does_what_the_convolution_does():
    layer, X = convolution(stride=2, padding=1), normal(7, 2)
    want = layer(X.T[None])[0]
    got = torch.einsum("oist,ti->os", mixing_matrix(layer, X), X) + layer.bias[:, None]
    assert torch.allclose(got, want, atol=1e-12)


def test_attention_mixes_with_rows_that_sum_to_one_and_change_with_the_input():
    layer = MultiHeadAttention(4, 2, rng=torch.Generator().manual_seed(0))
    A, B = (mixing_matrix(layer, normal(6, 4, seed=s)) for s in (0, 1))
    assert A.shape == (2, 6, 6) and not torch.allclose(A, B, atol=0.01)
    assert torch.allclose(A.sum(dim=-1), torch.ones(2, 6, dtype=torch.float64))


def test_a_convolution_is_linear_and_attention_is_not():
    layer = convolution(padding=1, bias=False)
    rng = torch.Generator().manual_seed(0)

    def convolve(rows):
        return layer(rows.view(-1, 2, 6)).detach().flatten(start_dim=1)

    shared = SharedAttention(0.1 * normal(2, 2))

    def attend(rows):
        return shared(rows.view(-1, 6, 2)).detach().flatten(start_dim=1)

    assert is_linear(convolve, 12, rng=rng)
    assert not is_linear(attend, 12, rng=rng)


def test_other_layers_are_refused_by_name():
    with pytest.raises(InputTypeError, match="got Linear"):
        mixing_matrix(nn.Linear(2, 2), normal(3, 2))
