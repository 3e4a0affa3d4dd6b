r"""Batch normalisation.

.. math:: \tilde z=\frac{z-\mu_I}{\sigma_I},\qquad \sigma_I=\sqrt{\delta+\frac1{|I|}
   \sum_{i\in I}(z_i-\mu_I)^2},\qquad \text{output}=\alpha\tilde z+\beta,

feature by feature over the batch I while training; with running means of :math:`\mu_I` and of the
variance in eval mode.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.3.1; Perez Jensen (2025), Deep
    Learning, Section 8.5; Ioffe and Szegedy (2015), "Batch normalization".
:erratum: [loose] Section 10.3.1 of Lucchi (2025) says that normalised activations have unit
    variance; with its delta > 0 the variance over the batch is v/(v + delta) < 1: 1/2 for
    v = delta.
:erratum: [notation] Exercise 2 there uses 1/(B-1) and no delta where the text has 1/\|I\| and
    delta, calls the shift beta and then theta, types W^(L) in R^{d_L} where W^(L+1) is meant, and
    writes h~^(0) where only h^(0) = x is defined.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.architectures.normalization import Normalized, normalize, normalize_gradient


class BatchNorm(nn.Module):
    """Batch normalisation of points (n, features) or images (n, features, height, width).

    Outputs, gradients and running statistics are those of torch's BatchNorm1d and 2d.

    Args:
        features: Features or channels, each normalised on its own.
        delta: Added to the variance.
        momentum: Share of the new batch in the running statistics.
        unbiased: Divide by B - 1 while training, as some texts do. The running variance always
            does.

    Example:
        >>> norm = BatchNorm(1, delta=0.0)
        >>> norm(torch.tensor([[1.0], [3.0]])).flatten().tolist(), norm.running_mean.item()
        ([-1.0, 1.0], 0.20000000298023224)

    :covers: batch-normalization
    """

    running_mean: Float[Tensor, " k"]
    running_var: Float[Tensor, " k"]

    def __init__(
        self,
        features: int,
        delta: float = 1e-5,
        momentum: float = 0.1,
        *,
        unbiased: bool = False,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if features < 1 or delta < 0 or not 0 <= momentum <= 1:
            raise InputError(
                "BatchNorm needs features >= 1, delta >= 0 and momentum in [0, 1], got "
                f"features={features}, delta={delta:g}, momentum={momentum:g}"
            )
        self.features, self.delta, self.momentum = features, delta, momentum
        self.correction = int(unbiased)
        self.alpha = nn.Parameter(torch.ones(features, dtype=dtype))
        self.beta = nn.Parameter(torch.zeros(features, dtype=dtype))
        self.register_buffer("running_mean", torch.zeros(features, dtype=dtype))
        self.register_buffer("running_var", torch.ones(features, dtype=dtype))

    def forward(self, z: Float[Tensor, "n k *size"]) -> Float[Tensor, "n k *size"]:
        """The batch, normalised, scaled and shifted."""
        out = self._normalized(z)
        return self._wide(self.alpha, z) * out.z + self._wide(self.beta, z)

    def gradient(
        self, z: Float[Tensor, "n k *size"], slope: Float[Tensor, "n k *size"]
    ) -> tuple[Float[Tensor, "n k *size"], Float[Tensor, " k"], Float[Tensor, " k"]]:
        """Gradients in z, alpha and beta while training, given the one in the output."""
        axes = self._axes(z)
        out = normalize(z, axes, delta=self.delta, correction=self.correction)
        scaled = self._wide(self.alpha, z) * slope
        dz = normalize_gradient(scaled, out, axes, correction=self.correction)
        return dz, (slope * out.z).sum(axes), slope.sum(axes)

    def _normalized(self, z: Tensor) -> Normalized:
        axes = self._axes(z)
        if not self.training:
            mu, v = self._wide(self.running_mean, z), self._wide(self.running_var, z)
            sigma = (v + self.delta).sqrt()
            return Normalized((z - mu) / sigma, mu, sigma)
        count = z.numel() // self.features
        if count < 2:
            raise InputError(
                "batch normalisation needs more than one value per feature while training, "
                f"got shape {tuple(z.shape)}; use a larger batch, or call .eval()"
            )
        out = normalize(z, axes, delta=self.delta, correction=self.correction)
        with torch.no_grad():
            v = z.var(axes, correction=1)
            self.running_mean.lerp_(out.mu.flatten(), self.momentum)
            self.running_var.lerp_(v, self.momentum)
        return out

    def _axes(self, z: Tensor) -> tuple[int, ...]:
        if z.shape[1] != self.features:
            raise InputError(f"expected {self.features} features, got shape {tuple(z.shape)}")
        return (0, *range(2, z.ndim))

    def _wide(self, value: Tensor, z: Tensor) -> Tensor:
        return value.reshape(-1, *[1] * (z.ndim - 2))
