import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.transformers.vit import ViT
from corollary.theory.sequences.patches import patches, unpatched


def model(**options):
    made = ViT((16, 24), 8, 12, 2, 5, channels=3, heads=3, rng=generator(0, "vit"), **options)
    with torch.no_grad():
        for p in made.parameters():  # no weight is zero by chance of its start
            p.add_(0.1 * torch.randn(p.shape, generator=generator(1), dtype=p.dtype))
    return made


def images(n=4):
    return torch.randn(n, 3, 16, 24, generator=generator(2, "images"), dtype=torch.float64)


def test_there_is_a_token_a_patch_and_one_more():
    assert model().tokens(images()).shape == (4, 16 * 24 // 8**2 + 1, 12)
    original = ViT(224, 16, 8, 0, 10, channels=3, heads=2, rng=generator(0))
    assert original.count == 197


def test_the_patch_projection_is_a_strided_convolution():
    vit, x = model(), images()
    convolved = vit.as_convolution()(x).flatten(2).mT
    torch.testing.assert_close(vit.project(patches(x, 8)), convolved, rtol=1e-12, atol=1e-12)


def shuffled(x):
    parts = patches(x, 8)
    order = torch.randperm(parts.shape[1], generator=generator(3))
    return unpatched(parts[:, order], 8, (16, 24))


def test_without_positions_the_order_of_patches_does_not_matter():
    vit, x = model(positions=False), images()
    torch.testing.assert_close(vit(shuffled(x)), vit(x), rtol=1e-10, atol=1e-10)


def test_with_positions_the_order_of_patches_matters():
    vit, x = model(), images()
    assert float((vit(shuffled(x)) - vit(x)).detach().abs().max()) > 1e-4


def test_it_is_torchs_encoder_on_the_tokens():
    layer = nn.TransformerEncoderLayer(
        12, 3, 48, 0.0, nn.functional.gelu, norm_first=True, batch_first=True, dtype=torch.float64
    )
    vit, x = model(), images()
    from corollary.models.transformers.blocks import EncoderBlock

    vit.blocks = nn.ModuleList([EncoderBlock.from_torch(layer)])
    expected = vit.out(vit.norm(layer(vit.tokens(x))[:, 0]))
    torch.testing.assert_close(vit(x), expected, rtol=1e-9, atol=1e-9)


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="do not cover"):
        ViT(20, 16, 8, 1, 2, rng=generator(0))
    with pytest.raises(InputError, match="images of shape"):
        model()(images()[:, :1])
