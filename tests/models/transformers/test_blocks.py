import pytest
import torch
from torch import nn

from corollary.errors import InputError
from corollary.models.transformers.blocks import DecoderBlock, EncoderBlock
from corollary.theory.geometry.symmetry import check_equivariance, permutations_of
from corollary.theory.sequences.masks import causal_mask, padding_mask


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def filled(layer: nn.Module) -> nn.Module:
    """A layer in evaluation with weights that no generator of torch's own has touched."""
    with torch.no_grad():
        for k, p in enumerate(layer.parameters()):
            p.copy_(normal(*p.shape, seed=k))
    return layer.eval()


OPTIONS = [
    {"norm_first": False, "activation": "relu", "bias": True},
    {"norm_first": True, "activation": "gelu", "bias": True},
    {"norm_first": False, "activation": "gelu", "bias": False},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_the_encoder_block_equals_torchs_layer(options):
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dtype=torch.float64, **options)
    theirs, x = filled(layer), normal(3, 5, 8).requires_grad_()  # a gradient: not the fast path
    ours = EncoderBlock.from_torch(theirs)
    assert torch.allclose(ours(x), theirs(x), atol=1e-11)
    padded = padding_mask([5, 2, 3])
    theirs_padded = theirs(x, src_key_padding_mask=~padded[:, 0])
    assert torch.allclose(ours(x, mask=padded), theirs_padded, atol=1e-11)


@pytest.mark.parametrize("options", OPTIONS)
def test_the_decoder_block_equals_torchs_layer(options):
    layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True, dtype=torch.float64, **options)
    theirs, x, memory = filled(layer), normal(3, 5, 8), normal(3, 7, 8, seed=1)
    want = theirs(x, memory, tgt_mask=~causal_mask(5))
    assert torch.allclose(DecoderBlock.from_torch(theirs)(x, memory), want, atol=1e-11)


@pytest.mark.parametrize("norm", ["post", "pre", "none"])
def test_an_encoder_block_is_permutation_equivariant(norm):
    block, x = EncoderBlock(8, 2, norm=norm, rng=rng()), normal(6, 8)
    assert check_equivariance(block, x, permutations_of(6, 4, rng=rng()))


def test_without_norm_and_with_zero_weights_the_block_is_the_identity():
    block = EncoderBlock(8, 2, norm="none", alpha1=0.0, alpha2=0.0, rng=rng())
    x = normal(2, 5, 8)
    assert torch.equal(block(x), x)


def test_without_norm_the_block_is_the_formula_of_the_notes():
    block = EncoderBlock(4, 1, 6, norm="none", alpha1=0.5, alpha2=0.25, bias=False, rng=rng())
    X, a = normal(5, 4), block.attention
    A = ((X @ a.W_q.W.T) @ (X @ a.W_k.W.T).T / 2).softmax(dim=1)
    Z = 0.5 * A @ X @ a.W_v.W.T @ a.W_o.W.T + X
    Y = torch.relu(Z @ block.mlp.inner.W.T) @ block.mlp.outer.W.T
    assert torch.allclose(block(X), 0.25 * Y + Z, atol=1e-12)


@pytest.mark.parametrize("cross", [True, False])
def test_no_output_of_a_decoder_block_depends_on_a_later_input(cross):
    block, x = DecoderBlock(8, 2, cross_attention=cross, rng=rng()), normal(5, 8)
    memory = (normal(7, 8, seed=1),) if cross else ()
    J = torch.func.jacrev(lambda x: block(x, *memory)[:, 0])(x).abs().amax(dim=2)
    assert torch.equal(J.triu(1), torch.zeros(5, 5, dtype=torch.float64))
    assert bool((J.diagonal() > 0).all())


def test_the_order_of_the_memory_does_not_matter_to_a_decoder_block():
    block, x, memory = DecoderBlock(8, 2, rng=rng()), normal(5, 8), normal(7, 8, seed=1)
    assert torch.allclose(block(x, memory.flip(0)), block(x, memory), atol=1e-12)


def test_a_padded_memory_is_not_read():
    block, x, memory = DecoderBlock(8, 2, rng=rng()), normal(2, 5, 8), normal(2, 7, 8, seed=1)
    mask = padding_mask([4, 4], 7)
    assert torch.allclose(block(x, memory, memory_mask=mask), block(x, memory[:, :4]), atol=1e-12)


def test_dropout_acts_in_training_only():
    block = EncoderBlock(8, 2, dropout=0.5, rng=rng())
    x = normal(5, 8)
    assert not torch.equal(block(x), block(x))
    block.eval()
    assert torch.equal(block(x), block(x))


def test_the_decoder_listing_of_the_notes_is_an_encoder_block():
    """Without mask and memory: the same numbers, and the last token changes the first output."""
    listing = DecoderBlock(8, 1, cross_attention=False, causal=False, rng=rng())
    encoder, x = EncoderBlock(8, 1, rng=rng()), normal(5, 8)
    encoder.load_state_dict(listing.state_dict())
    assert torch.equal(listing(x), encoder(x))
    other = torch.cat([x[:-1], normal(1, 8, seed=9)])
    assert bool((listing(other) - listing(x))[0].abs().max() > 0.01)
    masked = DecoderBlock(8, 1, cross_attention=False, rng=rng())
    assert torch.allclose(masked(other)[:-1], masked(x)[:-1], atol=1e-14)


def test_a_memory_is_needed_exactly_by_cross_attention():
    x = normal(5, 8)
    with pytest.raises(InputError, match="a memory"):
        DecoderBlock(8, 2, rng=rng())(x)
    with pytest.raises(InputError, match="no memory"):
        DecoderBlock(8, 2, cross_attention=False, rng=rng())(x, x)


def test_an_unknown_norm_is_refused():
    with pytest.raises(InputError, match="'post', 'pre' or 'none'"):
        EncoderBlock(8, 2, norm="batch", rng=rng())
