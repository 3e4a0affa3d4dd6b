r"""LeNet-5, in the form that is trained today.

Convolution of 6 kernels of 5 x 5, 2 x 2 pooling, 16 kernels of 5 x 5, pooling, and layers of 120,
84 and 10 units, on images of 28 x 28 with a border of 2 pixels. As printed it had tanh units,
trainable averages for the pooling, a partial table of connections and radial outputs; here the
units are rectifiers, pooling takes the maximum, every kernel sees every map, and the outputs are
logits.

:source: LeCun, Bottou, Bengio and Haffner (1998), "Gradient-based learning applied to document
    recognition", Section II.B and Figure 2.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.errors import InputError
from corollary.models.init import kaiming_
from corollary.theory.seeding import as_generator


class LeNet5(nn.Module):
    """Two convolutions and three linear layers, from 28 x 28 pixels to logits.

    Example:
        >>> net = LeNet5()
        >>> net(torch.zeros(2, 1, 28, 28)).shape, sum(p.numel() for p in net.parameters())
        (torch.Size([2, 10]), 61706)
    """

    def __init__(
        self,
        classes: int = 10,
        *,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        how: dict[str, Any] = {"dtype": dtype, "device": rng.device}
        layers: list[nn.Module] = [
            skip_init(nn.Conv2d, 1, 6, 5, padding=2, **how),
            nn.ReLU(),
            nn.MaxPool2d(2),
            skip_init(nn.Conv2d, 6, 16, 5, **how),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            skip_init(nn.Linear, 400, 120, **how),
            nn.ReLU(),
            skip_init(nn.Linear, 120, 84, **how),
            nn.ReLU(),
            skip_init(nn.Linear, 84, classes, **how),
        ]
        for layer in layers:
            if isinstance(layer, nn.Conv2d | nn.Linear):
                kaiming_(layer.weight, rng=rng)
                assert layer.bias is not None  # as made above
                nn.init.zeros_(layer.bias)
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Float[Tensor, "n 1 28 28"]) -> Float[Tensor, "n k"]:
        """Logits."""
        if x.shape[1:] != (1, 28, 28):
            raise InputError(f"expected images (n, 1, 28, 28), got {tuple(x.shape)}")
        logits: Tensor = self.layers(x)
        return logits
