r"""The linear autoencoder.

.. math:: z=Cx,\qquad y=Dz,\qquad C, D^\top\in\mathbb{R}^{m\times d},\qquad
   \ell_x=\tfrac12\|x-DCx\|^2 .

:math:`(GC, DG^{-1})` is the same map for every invertible :math:`G`, so parameters are not unique.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3, Theorem 13; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Autoencoder.
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.networks.autoencoder import (
    autoencoder_gradients,
    optimal_autoencoder,
    reconstruction,
)
from corollary.theory.prerequisites.singular import numerical_rank
from corollary.theory.seeding import as_generator


class LinearAutoencoder(nn.Module):
    """``x -> D C x`` with a code of ``m`` numbers; weights start normal with deviation ``scale``.

    Train it by ``fit(model, (x, x), reconstruction, ...)``, or take :meth:`fit_closed_form`.

    Args:
        d: Numbers a point has.
        m: Numbers a code has; with ``m >= d`` nothing needs to be lost.
        scale: Standard deviation of the weights at the start; ``d ** -0.5`` without it.
        rng: Draws them.
        dtype: Of the parameters.

    Example:
        >>> x = torch.tensor([[3.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
        >>> model = LinearAutoencoder(2, 1, rng=torch.Generator().manual_seed(0))
        >>> model.fit_closed_form(x).loss(x).item()  # half of 1, lost, over two points
        0.25

    :covers: linear-autoencoder
    """

    def __init__(
        self,
        d: int,
        m: int,
        *,
        scale: float | None = None,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if d < 1 or m < 1:
            raise InputError(f"an autoencoder needs d >= 1 and m >= 1, got d={d}, m={m}")
        self.in_features = self.out_features = d
        scale = d**-0.5 if scale is None else scale
        draw = scale * torch.randn(2, m, d, generator=rng, device=rng.device, dtype=dtype)
        self.C = nn.Parameter(draw[0])
        self.D = nn.Parameter(draw[1].T.contiguous())

    def encode(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n m"]:
        """The codes."""
        if x.shape[-1] != self.in_features:
            raise InputError(
                f"expected points with {self.in_features} features, got shape {tuple(x.shape)}"
            )
        return x @ self.C.T

    def decode(self, z: Float[Tensor, "n m"]) -> Float[Tensor, "n d"]:
        """The points that the codes stand for."""
        return z @ self.D.T

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        """The reconstructions."""
        return self.decode(self.encode(x))

    def loss(self, x: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
        """The mean loss of the points."""
        return reconstruction(x, self(x))

    def analytic_gradients(
        self, x: Float[Tensor, "n d"]
    ) -> tuple[Float[Tensor, "m d"], Float[Tensor, "d m"]]:
        """Gradients of :meth:`loss` in ``C`` and ``D`` by their formulas."""
        return autoencoder_gradients(self.C.detach(), self.D.detach(), x)

    def fit_closed_form(self, x: Float[Tensor, "n d"]) -> "LinearAutoencoder":
        r"""Set :math:`C=U_m^\top`, :math:`D=U_m`, an optimal pair, and return the model.

        :covers: optimal-linear-autoencoder
        :erratum: [notation] The proof of Theorem 13 in Lucchi (2025) writes U_m^T U = I_m; it is
            the m x d block [I_m 0]. "The optimal C and D" are one choice among many, (GC, D G^-1)
            is another for every invertible G. The result is right.
        """
        C, D = optimal_autoencoder(x, len(self.C))
        with torch.no_grad():
            self.C.copy_(C)
            self.D.copy_(D)
        return self

    def effective_rank(self) -> int:
        """The rank of ``D C``: at most ``m``, and ``m`` almost surely for random weights.

        :covers: autoencoder-rank-constraint
        """
        return numerical_rank(self.D.detach() @ self.C.detach())
