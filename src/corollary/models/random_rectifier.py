r"""A network ``d -> widths -> 1`` with random weights, the usual subject when regions are counted.

Weights are Gaussian of He's size :math:`\sqrt{2/\text{fan-in}}`, biases Gaussian of a chosen size.

:source: He, Zhang, Ren and Sun (2015), "Delving deep into rectifiers"; Hanin and Rolnick (2019),
    "Complexity of linear regions in deep networks".
"""

from collections.abc import Sequence

import torch
from torch import Generator, nn

from corollary.errors import InputError


def random_rectifier(
    d: int,
    widths: Sequence[int],
    *,
    activation: type[nn.Module] = nn.ReLU,
    bias: float = 1.0,
    rng: Generator,
    dtype: torch.dtype = torch.float64,
) -> nn.Sequential:
    """Draw the network; one output, linear.

    Example:
        >>> net = random_rectifier(2, [4, 3], rng=torch.Generator().manual_seed(0))
        >>> [layer.out_features for layer in net[::2]]
        [4, 3, 1]
    """
    if d < 1 or not widths or min(widths) < 1:
        raise InputError(f"d and widths must be at least 1, got d={d}, widths={list(widths)}")
    layers: list[nn.Module] = []
    for before, n in zip((d, *widths), (*widths, 1), strict=True):
        layer = nn.Linear(before, n, device=rng.device, dtype=dtype)
        with torch.no_grad():
            layer.weight.normal_(0.0, (2 / before) ** 0.5, generator=rng)
            layer.bias.normal_(0.0, bias, generator=rng)
        layers += [layer, activation()]
    return nn.Sequential(*layers[:-1])
