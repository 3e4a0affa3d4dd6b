r"""Dense connectivity: every layer reads all that was computed before it.

.. math:: x_l=H_l([x_0,x_1,\dots,x_{l-1}]),

where the brackets join channels. If :math:`x_0` has :math:`k_0` channels and every layer adds
:math:`k`, the growth rate, layer :math:`l` reads :math:`k_0+(l-1)k` of them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.2, Figure 10.16; Perez Jensen
    (2025), Deep Learning, Section 2.3; Huang, Liu, van der Maaten and Weinberger (2017), "Densely
    connected convolutional networks".
:erratum: [typo] Section 2.3 of Perez Jensen (2025) refers DenseNet to Zhu and Newsam (2017), who
    apply it to optical flow; the architecture is due to Huang et al. (2017).
"""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.errors import InputError
from corollary.theory.seeding import as_generator

MakeLayer = Callable[[int, int], nn.Module]  # (channels read, channels given) -> H


def bn_relu_conv(
    read: int, give: int, *, kernel: int = 3, rng: Generator, dtype: torch.dtype = torch.float64
) -> nn.Sequential:
    """Batch normalisation, ReLU and a convolution that keeps the size; ``read * (9 give + 2)``.

    Example:
        >>> H = bn_relu_conv(4, 2, rng=torch.Generator().manual_seed(0))
        >>> sum(p.numel() for p in H.parameters())
        80
    """
    options = {"padding": kernel // 2, "bias": False, "dtype": dtype, "device": rng.device}
    conv: nn.Conv2d = skip_init(nn.Conv2d, read, give, kernel, **options)
    nn.init.kaiming_normal_(conv.weight, nonlinearity="relu", generator=rng)
    norm = nn.BatchNorm2d(read, device=rng.device, dtype=dtype)
    return nn.Sequential(norm, nn.ReLU(), conv)


class DenseBlock(nn.Module):
    """Layers that each read the input and all earlier layers' outputs, joined along axis 1.

    Args:
        channels: Channels of the input, ``k_0``.
        layers: Number of layers.
        growth: Channels each layer gives, ``k``.
        H: Makes a layer from the numbers of channels it reads and gives;
            :func:`bn_relu_conv` without it.
        rng: Draws the weights of the default layers.

    Example:
        >>> block = DenseBlock(4, 3, 2, H=partial(nn.Linear, bias=False))
        >>> [layer.in_features for layer in block.layers], block(torch.zeros(5, 4)).shape[1]
        ([4, 6, 8], 10)

    :covers: densenet-connectivity
    """

    def __init__(
        self,
        channels: int,
        layers: int,
        growth: int,
        H: MakeLayer | None = None,
        *,
        rng: Generator | None = None,
    ) -> None:
        super().__init__()
        if min(channels, layers, growth) < 1:
            raise InputError(
                "a dense block needs channels, layers and growth >= 1, got "
                f"channels={channels}, layers={layers}, growth={growth}"
            )
        if H is None:
            if rng is None:
                raise InputError("the default layers draw random weights; pass rng, or H")
            H = partial(bn_relu_conv, rng=rng)
        self.layers = nn.ModuleList(H(channels + i * growth, growth) for i in range(layers))
        self.channels, self.out_channels = channels, channels + layers * growth

    def forward(self, x: Float[Tensor, "n k *size"]) -> Float[Tensor, "n m *size"]:
        """The input and all layers' outputs, joined."""
        if x.shape[1] != self.channels:
            raise InputError(f"expected {self.channels} channels, got shape {tuple(x.shape)}")
        for layer in self.layers:
            x = torch.cat([x, layer(x)], dim=1)
        return x


class DenseNet(nn.Module):
    """A convolution, dense blocks with transitions between them, and a linear classifier.

    A transition is BN, ReLU, a 1 x 1 convolution that keeps the share ``compression`` of the
    channels, and 2 x 2 averaging.

    Example:
        >>> net = DenseNet(1, 10, blocks=(2, 2), growth=4, rng=torch.Generator().manual_seed(0))
        >>> net(torch.zeros(3, 1, 8, 8, dtype=torch.float64)).shape
        torch.Size([3, 10])
    """

    def __init__(
        self,
        channels: int,
        k: int,
        *,
        blocks: tuple[int, ...] = (4, 4),
        growth: int = 8,
        stem: int = 16,
        compression: float = 0.5,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if not 0 < compression <= 1:
            raise InputError(f"compression must lie in (0, 1], got {compression:g}")
        H = partial(bn_relu_conv, rng=rng, dtype=dtype)
        parts: list[nn.Module] = [H(channels, stem)[2]]  # the convolution alone
        width = stem
        for i, layers in enumerate(blocks):
            if i > 0:
                narrow = max(1, int(compression * width))
                parts += [H(width, narrow, kernel=1), nn.AvgPool2d(2)]
                width = narrow
            block = DenseBlock(width, layers, growth, H)
            parts.append(block)
            width = block.out_channels
        parts += [nn.BatchNorm2d(width, device=rng.device, dtype=dtype), nn.ReLU()]
        self.features = nn.Sequential(*parts)
        self.classifier: nn.Linear = skip_init(nn.Linear, width, k, device=rng.device, dtype=dtype)
        nn.init.normal_(self.classifier.weight, std=width**-0.5, generator=rng)
        nn.init.zeros_(self.classifier.bias)

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n k"]:
        """Logits."""
        logits: Tensor = self.classifier(self.features(x).mean(dim=(2, 3)))
        return logits


def dense_block_parameters(channels: int, layers: int, growth: int) -> int:
    r"""Parameters of a block of :func:`bn_relu_conv`: :math:`\sum_l(k_0+(l-1)k)(9k+2)`.

    Example:
        >>> dense_block_parameters(4, 1, 2)
        80
    """
    read = layers * channels + growth * layers * (layers - 1) // 2
    return read * (9 * growth + 2)
