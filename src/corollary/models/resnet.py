r"""Residual networks of convolutions: basic block, bottleneck, and the layouts made of them.

.. math:: x\mapsto\operatorname{ReLU}\big(s(x)+\mathrm{BN}\,\mathrm{conv}(\operatorname{ReLU}(
   \mathrm{BN}\,\mathrm{conv}(x)))\big),

with the shortcut s the identity, or a 1 x 1 convolution with the same stride and BN where the shape
changes. The bottleneck has three convolutions, 1 x 1, 3 x 3 and 1 x 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.2, Figure 10.15; He, Zhang, Ren and
    Sun (2016), "Deep residual learning for image recognition".
"""

from functools import partial

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.errors import InputError
from corollary.models.residual import Residual
from corollary.theory.prerequisites.wellformed import check_at_least
from corollary.theory.seeding import as_generator

LAYOUTS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3)}  # blocks of the four stages


def conv_bn(
    in_channels: int,
    out_channels: int,
    kernel: int = 3,
    *,
    stride: int = 1,
    bias: bool = False,
    rng: Generator,
    dtype: torch.dtype = torch.float64,
) -> nn.Sequential:
    """A convolution that keeps the size up to its stride, and batch normalisation.

    Example:
        >>> parts = conv_bn(3, 8, rng=torch.Generator().manual_seed(0))
        >>> sum(p.numel() for p in parts.parameters())  # 9 * 3 * 8 + 2 * 8
        232
    """
    check_at_least("stride", stride, 1)
    how = {"stride": stride, "padding": kernel // 2, "bias": bias}
    conv: nn.Conv2d = skip_init(
        nn.Conv2d, in_channels, out_channels, kernel, **how, dtype=dtype, device=rng.device
    )
    nn.init.kaiming_normal_(conv.weight, mode="fan_out", nonlinearity="relu", generator=rng)
    if conv.bias is not None:
        nn.init.zeros_(conv.bias)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels, dtype=dtype, device=rng.device))


class _Block(nn.Module):
    """ReLU of shortcut plus branch."""

    def __init__(
        self, branch: nn.Module, shortcut: nn.Module | None, zero_last: bool, out_channels: int
    ) -> None:
        super().__init__()
        self.sum = Residual(branch, shortcut, subtract_at_zero=False)
        self.out_channels = out_channels
        if zero_last:
            norms = [part for part in branch.modules() if isinstance(part, nn.BatchNorm2d)]
            nn.init.zeros_(norms[-1].weight)

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n k h2 w2"]:
        """The block's output."""
        return torch.relu(self.sum(x))


class BasicBlock(_Block):
    """Two 3 x 3 convolutions and a shortcut; ``zero_last`` starts it as ReLU of the shortcut.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> block, x = BasicBlock(4, 4, zero_last=True, rng=rng), torch.randn(2, 4, 6, 6).double()
        >>> torch.equal(block(x), torch.relu(x))
        True

    :covers: basic-residual-block
    """

    expansion = 1

    def __init__(
        self,
        in_channels: int,
        width: int,
        *,
        stride: int = 1,
        zero_last: bool = False,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        conv = partial(conv_bn, rng=rng, dtype=dtype)
        branch = nn.Sequential(
            *conv(in_channels, width, stride=stride), nn.ReLU(), conv(width, width)
        )
        change = stride != 1 or in_channels != width
        shortcut = conv(in_channels, width, 1, stride=stride) if change else None
        super().__init__(branch, shortcut, zero_last, width)


class Bottleneck(_Block):
    """1 x 1 to ``width`` channels, 3 x 3, and 1 x 1 to four times as many, with a shortcut.

    Example:
        >>> block = Bottleneck(64, 16, rng=torch.Generator().manual_seed(0))
        >>> sum(p.numel() for p in block.parameters())  # 64*16 + 9*16*16 + 16*64 + 2*(16+16+64)
        4544
    """

    expansion = 4

    def __init__(
        self,
        in_channels: int,
        width: int,
        *,
        stride: int = 1,
        zero_last: bool = False,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        conv = partial(conv_bn, rng=rng, dtype=dtype)
        out_channels = self.expansion * width
        branch = nn.Sequential(
            *conv(in_channels, width, 1),
            nn.ReLU(),
            *conv(width, width, stride=stride),
            nn.ReLU(),
            conv(width, out_channels, 1),
        )
        change = stride != 1 or in_channels != out_channels
        shortcut = conv(in_channels, out_channels, 1, stride=stride) if change else None
        super().__init__(branch, shortcut, zero_last, out_channels)


class ResNet(nn.Module):
    """A stem, stages of blocks that halve the size and double the width, and a linear classifier.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> net = ResNet(BasicBlock, (1, 1), 3, 10, width=8, small_images=True, rng=rng)
        >>> net(torch.zeros(2, 3, 8, 8, dtype=torch.float64)).shape
        torch.Size([2, 10])
    """

    def __init__(
        self,
        block: type[BasicBlock] | type[Bottleneck],
        depths: tuple[int, ...],
        channels: int = 3,
        k: int = 1000,
        *,
        width: int = 64,
        small_images: bool = False,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if not depths or min(depths) < 1:
            raise InputError(f"every stage needs at least one block, got depths={depths}")
        kernel, stride = (3, 1) if small_images else (7, 2)
        stem = conv_bn(channels, width, kernel, stride=stride, rng=rng, dtype=dtype)
        pool = [] if small_images else [nn.MaxPool2d(3, 2, padding=1)]
        parts, in_channels = [*stem, nn.ReLU(), *pool], width
        for stage, depth in enumerate(depths):
            for i in range(depth):
                step = 2 if stage > 0 and i == 0 else 1
                parts.append(
                    block(in_channels, width * 2**stage, stride=step, rng=rng, dtype=dtype)
                )
                in_channels = parts[-1].out_channels
        self.features = nn.Sequential(*parts)
        self.classifier: nn.Linear = skip_init(
            nn.Linear, in_channels, k, dtype=dtype, device=rng.device
        )
        nn.init.normal_(self.classifier.weight, std=in_channels**-0.5, generator=rng)
        nn.init.zeros_(self.classifier.bias)

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n k"]:
        """Logits."""
        logits: Tensor = self.classifier(self.features(x).mean(dim=(2, 3)))
        return logits


def resnet(
    depth: int,
    channels: int = 3,
    k: int = 1000,
    *,
    small_images: bool = False,
    rng: int | Generator = 0,
    dtype: torch.dtype = torch.float32,
) -> ResNet:
    """The networks of 18, 34 and 50 layers; ``small_images`` has a 3 x 3 stem and no first pool."""
    rng = as_generator(rng)
    if depth not in LAYOUTS:
        raise InputError(f"expected a depth among {sorted(LAYOUTS)}, got {depth}")
    block = BasicBlock if depth < 50 else Bottleneck
    return ResNet(
        block, LAYOUTS[depth], channels, k, small_images=small_images, rng=rng, dtype=dtype
    )
