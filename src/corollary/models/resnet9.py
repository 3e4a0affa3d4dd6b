r"""ResNet9: eight convolutions and a linear layer, for small images.

conv(c, 64), conv(64, 128, pool), residual(128), conv(128, 256, pool), conv(256, 512, pool),
residual(512), global max pooling, linear(512, k); conv is a 3 x 3 convolution, batch normalisation
and ReLU, with 2 x 2 max pooling where it says so; residual(m) adds two of them to their input.

:source: Lucchi (2025), Foundations of Deep Learning, Listing 10.1.
:erratum: [code bug] The listing ends in MaxPool2d(4), said to aggregate the spatial dimensions to
    1 x 1. That is so for images of 32 to 39 pixels only: 28 x 28 raises (a 3 x 3 map), 40 to 63
    runs but drops the border of the map, 64 x 64 gives 2048 features in place of 512. Pooling to
    1 x 1 whatever the map's size takes all images from 8 pixels on.
:erratum: [possible OCR artefact] In the text at hand, forward is indented inside __init__; the
    listing is broken over a page, so the original may be right.
"""

from functools import partial

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.errors import InputError
from corollary.models.residual import Residual
from corollary.models.resnet import conv_bn
from corollary.theory.seeding import as_generator


def conv_block(
    in_channels: int,
    out_channels: int,
    *,
    pool: bool = False,
    rng: Generator,
    dtype: torch.dtype = torch.float64,
) -> nn.Sequential:
    """3 x 3 convolution with bias, batch normalisation, ReLU, and 2 x 2 max pooling if asked for.

    Example:
        >>> block = conv_block(3, 64, pool=True, rng=torch.Generator().manual_seed(0))
        >>> block(torch.zeros(2, 3, 8, 8, dtype=torch.float64)).shape
        torch.Size([2, 64, 4, 4])
    """
    parts = [*conv_bn(in_channels, out_channels, bias=True, rng=rng, dtype=dtype), nn.ReLU()]
    return nn.Sequential(*parts, *([nn.MaxPool2d(2)] if pool else []))


class ResNet9(nn.Module):
    """The network of the listing, for images of any size from 8 x 8 on.

    Example:
        >>> net = ResNet9(3, 10, rng=torch.Generator().manual_seed(0))
        >>> sum(p.numel() for p in net.parameters())
        6575370

    :covers: resnet9
    """

    def __init__(
        self,
        in_channels: int = 3,
        num_classes: int = 10,
        *,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if in_channels < 1 or num_classes < 1:
            raise InputError(
                "ResNet9 needs in_channels and num_classes >= 1, got "
                f"in_channels={in_channels}, num_classes={num_classes}"
            )
        conv = partial(conv_block, rng=rng, dtype=dtype)
        self.conv1, self.conv2 = conv(in_channels, 64), conv(64, 128, pool=True)
        self.res1 = _residual(conv(128, 128), conv(128, 128))
        self.conv3, self.conv4 = conv(128, 256, pool=True), conv(256, 512, pool=True)
        self.res2 = _residual(conv(512, 512), conv(512, 512))
        device = rng.device
        self.classifier: nn.Linear = skip_init(
            nn.Linear, 512, num_classes, dtype=dtype, device=device
        )
        nn.init.normal_(self.classifier.weight, std=512**-0.5, generator=rng)
        nn.init.zeros_(self.classifier.bias)

    def features(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n 512 h2 w2"]:
        """The last map, an eighth of the image's size."""
        if min(x.shape[2:]) < 8:
            raise InputError(f"ResNet9 needs images of 8 x 8 or more, got {tuple(x.shape)}")
        for part in (self.conv1, self.conv2, self.res1, self.conv3, self.conv4, self.res2):
            x = part(x)
        return x

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n k"]:
        """Logits."""
        logits: Tensor = self.classifier(self.features(x).amax(dim=(2, 3)))
        return logits


def _residual(*blocks: nn.Module) -> Residual:
    return Residual(nn.Sequential(*blocks), subtract_at_zero=False)
