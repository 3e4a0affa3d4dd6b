r"""Layer normalisation.

.. math:: \tilde z=\frac{z-\mu}{\sqrt{\delta+v}},\qquad \text{output}=\gamma\odot\tilde z+\beta,

with :math:`\mu` and :math:`v` the mean and the variance of the m features of one example, so that
nothing depends on the batch, in training or after.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3.2; Perez Jensen (2025), Deep
    Learning, Section 8.5; Ba, Kiros and Hinton (2016), "Layer normalization".
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.architectures.normalization import normalize, normalize_gradient


class LayerNorm(nn.Module):
    """Normalise the last axis of each example, then scale and shift entry by entry.

    Example:
        >>> LayerNorm(2, delta=0.0)(torch.tensor([[1.0, 3.0], [10.0, 50.0]])).tolist()
        [[-1.0, 1.0], [-1.0, 1.0]]

    :covers: layer-normalization
    """

    def __init__(
        self, features: int, delta: float = 1e-5, *, dtype: torch.dtype | None = None
    ) -> None:
        super().__init__()
        if features < 1 or delta < 0:
            raise InputError(
                f"LayerNorm needs features >= 1 and delta >= 0, got features={features}, "
                f"delta={delta:g}"
            )
        self.features, self.delta = features, delta
        self.gamma = nn.Parameter(torch.ones(features, dtype=dtype))
        self.beta = nn.Parameter(torch.zeros(features, dtype=dtype))

    def forward(self, z: Float[Tensor, "*n m"]) -> Float[Tensor, "*n m"]:
        """Each example, normalised, scaled and shifted."""
        if z.ndim == 0 or z.shape[-1] != self.features:
            raise InputError(f"expected {self.features} features, got shape {tuple(z.shape)}")
        light = z.numel() == 0 or not torch.is_grad_enabled()
        if light and z.dtype == self.gamma.dtype:  # one pass over memory, not seven
            return nn.functional.layer_norm(z, (self.features,), self.gamma, self.beta, self.delta)
        return self.gamma * normalize(z, (-1,), delta=self.delta).z + self.beta

    def gradient(
        self, z: Float[Tensor, "*n m"], slope: Float[Tensor, "*n m"]
    ) -> tuple[Float[Tensor, "*n m"], Float[Tensor, " m"], Float[Tensor, " m"]]:
        """Gradients in z, gamma and beta, given the one in the output."""
        out = normalize(z, (-1,), delta=self.delta)
        dz = normalize_gradient(self.gamma * slope, out, (-1,))
        return dz, (slope * out.z).flatten(0, -2).sum(0), slope.flatten(0, -2).sum(0)
