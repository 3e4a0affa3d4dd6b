r"""Logistic regression.

.. math:: f(x)=\sigma(w\cdot x),\qquad P(y=1\mid x)=f(x).

:source: Perez Jensen (2025), Deep Learning, Section 2.1.
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.networks.logistic import logistic_gradient, logistic_loss


class LogisticRegression(nn.Module):
    """Logits ``w . x``, or ``w . x + b``; labels are 0 and 1.

    ``forward`` gives logits, as losses want them; ``probabilities`` their sigmoid. Train it by
    ``fit(model, (x, y), logistic_loss, ...)``; the weights start at zero, where the loss is ln 2.

    Example:
        >>> model = LogisticRegression(2)
        >>> x, y = torch.eye(2, dtype=torch.float64), torch.tensor([1.0, 0.0]).double()
        >>> round(model.loss(x, y).exp().item(), 12), model.gradient(x, y).tolist()
        (2.0, [-0.25, 0.25])

    :covers: logistic-regression
    """

    def __init__(
        self,
        d: int,
        *,
        bias: bool = False,
        rng: Generator | None = None,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if d < 1:
            raise InputError(f"the model needs d >= 1 inputs, got d={d}")
        self.in_features = d
        start = torch.zeros(d, dtype=dtype)
        if rng is not None:
            start = torch.randn(d, generator=rng, device=rng.device, dtype=dtype) / d**0.5
        self.w = nn.Parameter(start)
        self.b = nn.Parameter(start.new_zeros(())) if bias else None

    def forward(self, x: Float[Tensor, "*s d"]) -> Float[Tensor, "*s"]:
        """Logits."""
        if x.ndim == 0 or x.shape[-1] != self.in_features:
            raise InputError(
                f"expected points with {self.in_features} features, got shape {tuple(x.shape)}"
            )
        z = x @ self.w
        return z if self.b is None else z + self.b

    def probabilities(self, x: Float[Tensor, "*s d"]) -> Float[Tensor, "*s"]:
        """Of label 1."""
        return torch.sigmoid(self(x))

    def loss(self, x: Float[Tensor, "s d"], y: Float[Tensor, " s"]) -> Float[Tensor, ""]:
        """The mean loss."""
        return logistic_loss(self(x), y)

    def gradient(self, x: Float[Tensor, "s d"], y: Float[Tensor, " s"]) -> Float[Tensor, " d"]:
        """Gradient of :meth:`loss` in ``w`` by its formula."""
        w = self.w.detach()
        if self.b is None:
            return logistic_gradient(w, x, y)
        whole = torch.cat([w, self.b.detach()[None]])
        return logistic_gradient(whole, torch.cat([x, x.new_ones(len(x), 1)], 1), y)[:-1]
