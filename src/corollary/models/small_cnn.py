r"""A small convolutional classifier, and a multilayer perceptron with as many parameters.

Stages of convolution, ReLU and 2 x 2 max pooling, then a global pool and a linear layer; the
probabilities are :math:`1/(1+e^{-f(x)})` for one output and softmax for several. Convolution moves
with its input; only the global pool makes the output stay where it was. Train with
:func:`corollary.train.fit`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1, Figures 10.3, 10.9 and 10.12;
    Perez Jensen (2025), Deep Learning, Section 4.2.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.errors import InputError
from corollary.models.init import kaiming_, lecun_
from corollary.models.mlp import MLP
from corollary.theory.seeding import as_generator


class SmallCNN(nn.Module):
    """Convolutions of the given widths, a global pool and a linear layer.

    Args:
        in_channels: Channels of the images.
        classes: Outputs; 1 for two classes with a sigmoid.
        widths: Channels after each stage.
        kernel: Odd side of the kernels.
        pool: Whether each stage but the last ends in 2 x 2 max pooling. Without it and with
            circular padding, the output does not change when the image is shifted around.
        padding_mode: "zeros" or "circular".
        reduce: The global pool, "mean" or "max".
        rng: Draws the weights.
        dtype: Of the weights.

    Example:
        >>> net = SmallCNN(1, 3, (4, 8), rng=torch.Generator().manual_seed(0))
        >>> x = torch.zeros(5, 1, 8, 8, dtype=torch.float64)
        >>> net(x).shape, net.probabilities(x).sum(1).round(decimals=6).tolist()
        (torch.Size([5, 3]), [1.0, 1.0, 1.0, 1.0, 1.0])

    :covers: cnn-classifier
    """

    def __init__(
        self,
        in_channels: int,
        classes: int,
        widths: tuple[int, ...] = (16, 32),
        *,
        kernel: int = 3,
        pool: bool = True,
        padding_mode: Literal["zeros", "circular"] = "zeros",
        reduce: Literal["mean", "max"] = "max",
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if not widths or kernel % 2 == 0 or min(in_channels, classes, *widths) < 1:
            raise InputError(
                "SmallCNN needs at least one stage, positive channels and classes and an odd "
                f"kernel, got {in_channels=}, {classes=}, {widths=}, {kernel=}"
            )
        self.in_channels, self.reduce = in_channels, reduce
        how = {"dtype": dtype, "device": rng.device}
        pad = {"padding": kernel // 2, "padding_mode": padding_mode}
        parts: list[nn.Module] = []
        for i, (read, give) in enumerate(zip((in_channels, *widths), widths, strict=False)):
            conv: nn.Conv2d = skip_init(nn.Conv2d, read, give, kernel, **pad, **how)
            kaiming_(conv.weight, rng=rng)
            if conv.bias is not None:
                nn.init.zeros_(conv.bias)
            parts += [conv, nn.ReLU()]
            if pool and i + 1 < len(widths):
                parts.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*parts)
        self.classifier: nn.Linear = skip_init(nn.Linear, widths[-1], classes, **how)
        lecun_(self.classifier.weight, rng=rng)
        nn.init.zeros_(self.classifier.bias)

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n k"]:
        """Logits."""
        if x.shape[1] != self.in_channels:
            raise InputError(f"expected {self.in_channels} channels, got {tuple(x.shape)}")
        h = self.features(x)
        pooled = h.mean((2, 3)) if self.reduce == "mean" else h.amax((2, 3))
        logits: Tensor = self.classifier(pooled)
        return logits

    def probabilities(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n k"]:
        """Of each class; with one output, of the class 1."""
        f = self(x)
        return torch.sigmoid(f) if f.shape[1] == 1 else f.softmax(dim=1)


def matched_mlp(
    net: nn.Module, inputs: int, classes: int, *, rng: int | Generator = 0
) -> nn.Sequential:
    """Flatten, one hidden layer and an output, with about as many parameters as ``net``.

    The hidden width is the whole number nearest to equality, at least 1.

    Example:
        >>> cnn = SmallCNN(1, 2, (8, 16), rng=torch.Generator().manual_seed(0))
        >>> mlp = matched_mlp(cnn, 64, 2, rng=torch.Generator().manual_seed(0))
        >>> [sum(p.numel() for p in m.parameters()) for m in (cnn, mlp)]
        [1282, 1275]
    """
    rng = as_generator(rng)
    wanted = sum(p.numel() for p in net.parameters())
    width = max(1, round((wanted - classes) / (inputs + 1 + classes)))
    dtype = next(net.parameters()).dtype
    return nn.Sequential(nn.Flatten(), MLP([inputs, width, classes], rng=rng, dtype=dtype))
