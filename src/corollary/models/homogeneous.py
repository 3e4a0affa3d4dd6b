r"""ReLU networks that are homogeneous in their parameters.

.. math:: f(\theta;x)=W_L\,\mathrm{relu}(W_{L-1}\cdots\mathrm{relu}(W_1x+b)),\qquad
   f(\alpha\theta;x)=\alpha^Lf(\theta;x)\quad(\alpha>0) .

A bias of the first layer is a weight of the constant input 1 and keeps the degree L; a bias further
up has another degree than what it is added to and breaks it.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, (11.21) and Definition 31.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.mlp import LinearLayer
from corollary.theory.seeding import as_generator


class HomogeneousNet(nn.Module):
    """A ReLU network of degree ``len(widths) - 1``, unless it has a bias at the output.

    Weights start normal with variance ``scale**2 / n`` for n inputs, biases at zero. With one
    output the last axis is left out.

    Args:
        widths: Inputs, hidden widths, outputs.
        bias: Where there is a bias: nowhere, in the first layer, or at the output (which breaks
            homogeneity).
        scale: Factor of all weights at the start.
        rng: Source of randomness.
        dtype: Of the parameters.

    Example:
        >>> net = HomogeneousNet([2, 3, 1], rng=torch.Generator().manual_seed(0))
        >>> net.degree, tuple(net(torch.ones(5, 2, dtype=torch.float64)).shape)
        (2, (5,))

    :covers: homogeneous-network
    """

    def __init__(
        self,
        widths: Sequence[int],
        *,
        bias: str = "none",
        scale: float = 1.0,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if len(widths) < 2:
            raise InputError(f"a network needs an input and an output width, got {widths}")
        if bias not in ("none", "first", "output"):
            raise InputError(f"expected bias to be 'none', 'first' or 'output', got {bias!r}")
        last = len(widths) - 2
        at = {"none": -1, "first": 0, "output": last}[bias]
        self.degree = len(widths) - 1
        layers = [
            LinearLayer(n, m, bias=i == at, rng=rng, dtype=dtype)
            for i, (n, m) in enumerate(zip(widths, widths[1:], strict=False))
        ]
        with torch.no_grad():
            for layer in layers:
                layer.W.mul_(scale)
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*out"]:
        """The output at each point."""
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        out: Tensor = self.layers[-1](x)
        return out[..., 0] if out.shape[-1] == 1 else out
