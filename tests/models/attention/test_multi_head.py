import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.attention.multi_head import MultiHeadAttention
from corollary.theory.sequences.attention import scaled_dot_product_attention
from corollary.theory.sequences.masks import causal_mask, padding_mask


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def attention(heads: int = 2, d_model: int = 8, **options) -> MultiHeadAttention:
    return MultiHeadAttention(d_model, heads, rng=torch.Generator().manual_seed(1), **options)


def torchs(heads: int = 4, bias: bool = True, **options) -> nn.MultiheadAttention:
    layer = nn.MultiheadAttention(
        8, heads, bias=bias, batch_first=True, dtype=torch.float64, **options
    )
    with torch.no_grad():
        for k, p in enumerate(layer.parameters()):
            p.copy_(normal(*p.shape, seed=k))
    return layer


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("heads", [1, 2, 4])
def test_it_equals_torchs_layer_with_the_same_weights(heads, bias):
    theirs, x, memory = torchs(heads, bias), normal(3, 5, 8), normal(3, 7, 8, seed=1)
    ours = MultiHeadAttention.from_torch(theirs)
    for context in (x, memory):
        out, weights = theirs(x, context, context, average_attn_weights=False)
        assert torch.allclose(ours(x, context), out, atol=1e-12)
        assert torch.allclose(ours.weights(x, context), weights, atol=1e-12)


def test_it_equals_torchs_layer_under_masks_and_with_a_context_of_another_width():
    x = normal(3, 5, 8)
    theirs = torchs()
    ours, padded = MultiHeadAttention.from_torch(theirs), padding_mask([5, 2, 3])
    out = theirs(x, x, x, key_padding_mask=~padded[:, 0], attn_mask=~causal_mask(5))[0]
    assert torch.allclose(ours(x, mask=padded & causal_mask(5)), out, atol=1e-12)
    wide = torchs(kdim=6, vdim=6)
    memory = normal(3, 7, 6)
    twin = MultiHeadAttention.from_torch(wide)
    assert torch.allclose(twin(x, memory), wide(x, memory, memory)[0], atol=1e-12)


def test_layers_of_torch_with_keys_of_their_own_are_refused():
    with pytest.raises(InputError, match="add_bias_kv"):
        MultiHeadAttention.from_torch(nn.MultiheadAttention(8, 2, add_bias_kv=True))


def test_one_head_is_scaled_dot_product_attention_between_projections():
    net, x = attention(heads=1), normal(5, 8)
    read = scaled_dot_product_attention(net.W_q(x), net.W_k(x), net.W_v(x))
    assert torch.allclose(net(x), net.W_o(read.output), atol=1e-12)
    assert torch.allclose(net.weights(x)[0], read.weights, atol=1e-12)


def test_many_heads_are_single_heads_side_by_side():
    net, x = attention(heads=4, d_k=3, d_v=5), normal(6, 8)
    Q, K, V = net.W_q(x).chunk(4, -1), net.W_k(x).chunk(4, -1), net.W_v(x).chunk(4, -1)
    heads = [scaled_dot_product_attention(q, k, v).output for q, k, v in zip(Q, K, V, strict=True)]
    assert torch.allclose(net(x), net.W_o(torch.cat(heads, dim=-1)), atol=1e-12)
    assert net.W_o.W.shape == (8, 20)


def test_a_width_that_heads_cannot_share_is_refused():
    with pytest.raises(InputError, match="d_model=8 cannot be divided among 3 heads"):
        attention(heads=3)
    assert attention(heads=3, d_k=2, d_v=2)(normal(5, 8)).shape == (5, 8)
    with pytest.raises(InputError, match="heads >= 1"):
        attention(heads=0)


def test_rows_of_another_width_are_refused_by_name():
    with pytest.raises(InputError, match="context needs rows of 8"):
        attention()(normal(5, 8), normal(5, 6))


def test_reading_from_itself_is_self_attention():
    net, x = attention(), normal(3, 5, 8)
    assert torch.equal(net(x, x), net(x))


def test_the_context_is_read_as_a_set_and_queries_keep_their_rows():
    net, x, memory = attention(), normal(5, 8), normal(7, 8, seed=1)
    order, rows = torch.tensor([3, 0, 6, 1, 5, 2, 4]), torch.tensor([4, 2, 0, 1, 3])
    assert torch.allclose(net(x, memory[order]), net(x, memory), atol=1e-12)
    assert torch.allclose(net(x[rows], memory), net(x, memory)[rows], atol=1e-12)


@pytest.mark.parametrize("mask", [None, causal_mask(5)], ids=["none", "causal"])
def test_the_fused_kernel_gives_the_same_numbers(mask):
    x = normal(3, 5, 8)
    assert torch.allclose(attention(fused=True)(x, mask=mask), attention()(x, mask=mask))


def test_it_can_be_differentiated_twice_and_forward():
    net, x = attention(), normal(3, 8)
    H = torch.func.hessian(lambda x: net(x).square().sum())(x)
    assert torch.allclose(H.reshape(24, 24), H.reshape(24, 24).T, atol=1e-9)
    torch.func.vmap(torch.func.grad(lambda x: net(x).sum()))(normal(4, 3, 8))
