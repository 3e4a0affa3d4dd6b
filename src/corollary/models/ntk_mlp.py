r"""A multilayer perceptron in the NTK parametrisation.

.. math:: f^1 = \frac{\sigma_w}{\sqrt d}W^1x + \sigma_bb^1, \qquad
          f^l = \frac{\sigma_w}{\sqrt{n_{l-1}}}W^l\phi(f^{l-1}) + \sigma_bb^l,

all parameters standard normal. At the start it is the same function, in law, as a standard network
with weights of variance :math:`\sigma_w^2/n_{l-1}`; a gradient step is another one, because
derivatives carry the factors too.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.3; Jacot, Gabriel and Hongler
    (2018), "Neural tangent kernel: convergence and generalization in neural networks", Section 2.
:covers: ntk-parametrization-mlp
:test: tests/models/test_ntk_mlp.py
:erratum: [wrong] The notes scale layer l, of size n_l x n_{l-1}, by 1/sqrt(n_l), the fan-out. The
    limits of Theorem 57 need the fan-in: with the fan-out, sigma_b = 1 and one output the variance
    of a two-layer ReLU network grows like n/2 (13, 33, 93 at n = 20, 60, 180; fan-in: 2).
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.seeding import as_generator


class NTKMLP(nn.Module):
    """Layers of the given widths, input and output included."""

    def __init__(
        self,
        widths: Sequence[int],
        *,
        sigma_w: float = 2**0.5,
        sigma_b: float = 0.0,
        phi: Callable[[Tensor], Tensor] = torch.relu,
        scaling: Literal["fan_in", "fan_out"] = "fan_in",
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if len(widths) < 2 or min(widths) < 1:
            raise InputError(f"widths need an input and an output size, got {widths}")
        self.sigma_b, self.phi = sigma_b, phi
        normal = partial(torch.randn, generator=rng, device=rng.device, dtype=dtype)
        shapes = list(zip(widths[1:], widths[:-1], strict=True))
        self.weights = nn.ParameterList(normal(*shape) for shape in shapes)
        self.biases = nn.ParameterList(normal(out) for out, _ in shapes)
        side = 1 if scaling == "fan_in" else 0  # fan_out is what the notes print
        self.scales = [sigma_w / math.sqrt(shape[side]) for shape in shapes]

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        """The recursion above."""
        layers = zip(self.weights, self.biases, self.scales, strict=True)
        for l, (w, b, scale) in enumerate(layers):
            x = self.phi(x) if l else x
            x = torch.add(scale * (x @ w.T), b, alpha=self.sigma_b)
        return x

    def standard(self) -> nn.Sequential:
        """The same function as a standard network, with the factors moved into the weights."""

        class Phi(nn.Module):
            def forward(_, z: Tensor) -> Tensor:  # noqa: N805 - self is the outer one
                return self.phi(z)

        parts: list[nn.Module] = []
        for w, b, scale in zip(self.weights, self.biases, self.scales, strict=True):
            layer = nn.Linear(w.shape[1], w.shape[0], dtype=w.dtype, device=w.device)
            with torch.no_grad():
                layer.weight.copy_(scale * w)
                layer.bias.copy_(self.sigma_b * b)
            parts += [layer, Phi()]
        return nn.Sequential(*parts[:-1])
