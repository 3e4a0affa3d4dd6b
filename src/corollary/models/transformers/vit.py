r"""The vision transformer: an image as a sentence of patches.

The image is cut into :math:`(H/P)(W/P)` patches (:math:`P = 16` in the original), each flattened
and projected to :math:`d` numbers, which is a convolution with kernel and stride :math:`P`. A
learned ``[CLS]`` vector is prepended, positions are added, and after the encoder blocks the class
is read from ``[CLS]``: a sequence of :math:`HW/P^2 + 1` tokens.

:source: Perez Jensen (2025), Deep Learning, Section 6.6 and Figure 6.4; Lucchi (2025), Foundations
    of Deep Learning, Section 10.4.5 and Figure 10.24; Dosovitskiy, Beyer, Kolesnikov et al. (2020),
    An image is worth 16x16 words, Section 3.1.
:covers: vision-transformer
:test: tests/models/transformers/test_vit.py
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.layer_norm import LayerNorm
from corollary.models.mlp import LinearLayer
from corollary.models.transformers.blocks import EncoderBlock
from corollary.models.transformers.positions import LearnedPE
from corollary.theory.seeding import as_generator
from corollary.theory.sequences.patches import check_divisible, patches


class ViT(nn.Module):
    """Patches, ``[CLS]``, positions, pre-norm encoder blocks, and a linear map of ``[CLS]``.

    Args:
        image: Height and width, or one number for squares.
        patch: Side P of a patch; it must divide both.
        d: Numbers a token.
        layers: Encoder blocks.
        classes: Outputs.
        channels: Of the image.
        heads: Of each attention.
        positions: False leaves the positions out: the image is then a set of patches.
        dropout: Rate while training.
        rng: Draws the weights.
        dtype: Of the weights.

    Example:
        >>> vit = ViT(32, 16, 12, 2, 10, channels=3, heads=3, rng=torch.Generator().manual_seed(0))
        >>> x = torch.randn(5, 3, 32, 32).double()
        >>> vit(x).shape, vit.tokens(x).shape
        (torch.Size([5, 10]), torch.Size([5, 5, 12]))
    """

    def __init__(
        self,
        image: int | tuple[int, int],
        patch: int,
        d: int,
        layers: int,
        classes: int,
        *,
        channels: int = 1,
        heads: int = 4,
        positions: bool = True,
        dropout: float | int = 0.0,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        self.size = (image, image) if isinstance(image, int) else image
        self.patch, self.channels = patch, channels
        check_divisible(self.size, patch)
        if classes < 1 or layers < 0 or channels < 1:
            raise InputError(
                "expected classes, channels >= 1 and layers >= 0, got "
                f"{classes=}, {channels=}, {layers=}"
            )
        self.count = (self.size[0] // patch) * (self.size[1] // patch) + 1  # with [CLS]
        kind: dict[str, Any] = {"rng": rng, "dtype": dtype}
        self.project = LinearLayer(channels * patch**2, d, bias=True, **kind)
        first = torch.randn(d, generator=rng, device=rng.device, dtype=dtype)
        self.cls = nn.Parameter(0.02 * first)
        self.positions = LearnedPE(self.count, d, **kind) if positions else nn.Identity()
        self.blocks = nn.ModuleList(
            EncoderBlock(d, heads, norm="pre", phi="gelu", dropout=dropout, **kind)
            for _ in range(layers)
        )
        self.norm = LayerNorm(d, dtype=dtype)
        self.out = LinearLayer(d, classes, bias=True, **kind)

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b k"]:
        """Logits."""
        x = self.tokens(x)
        for block in self.blocks:
            x = block(x)
        logits: Tensor = self.out(self.norm(x[:, 0]))
        return logits

    def tokens(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b t d"]:
        """The sequence that enters the first block, ``[CLS]`` at its head."""
        wanted = (self.channels, *self.size)
        if tuple(x.shape[1:]) != wanted:
            raise InputError(f"expected images of shape {wanted}, got {tuple(x.shape[1:])}")
        embedded = self.project(patches(x, self.patch))
        first = self.cls.expand(len(x), 1, -1)
        placed: Tensor = self.positions(torch.cat([first, embedded], dim=1))
        return placed

    def as_convolution(self) -> nn.Conv2d:
        """The patch projection as a strided convolution, with a copy of its weights.

        Example:
            >>> vit = ViT(8, 4, 6, 0, 2, heads=2, rng=torch.Generator().manual_seed(0))
            >>> x = torch.randn(1, 1, 8, 8).double()
            >>> rows = vit.as_convolution()(x).flatten(2).mT
            >>> torch.allclose(rows, vit.project(patches(x, 4)))
            True
        """
        W = self.project.W
        sizes = (self.channels, len(W), self.patch, self.patch)
        layer: nn.Conv2d = nn.utils.skip_init(nn.Conv2d, *sizes, dtype=W.dtype, device=W.device)
        kernels = torch.unflatten(W, 1, (self.channels, self.patch, self.patch))
        layer.load_state_dict({"weight": kernels, "bias": self.project.b})
        return layer
