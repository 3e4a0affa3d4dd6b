r"""The network with one hidden layer of sigmoid units, with its gradients derived by hand.

.. math:: f(x;\beta,w)=\sum_{j\le m}\beta_j\,\sigma(w_j\cdot x),\qquad
   L=\tfrac12(f-y)^2,

.. math:: \frac{\partial L}{\partial\beta_j}=\frac{f-y}{1+e^{-w_j\cdot x}},\qquad
   \frac{\partial L}{\partial w_{ji}}=
   \frac{(f-y)\,\beta_jx_i}{(1+e^{-w_j\cdot x})(1+e^{w_j\cdot x})}.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.5; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, MLP.
:covers: three-layer-mlp, mlp3-gradients, mlp3-sgd
:erratum: [possible OCR artefact] The update in Lucchi (2025), Section 2.5.2, reads
    L(...)/(partial theta), without the partial sign of the numerator; the slides have it.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.connectionism.sigmoid import sigmoid, sigmoid_derivative
from corollary.theory.seeding import as_generator


class Gradient(NamedTuple):
    """Derivatives of the loss."""

    beta: Float[Tensor, " m"]
    w: Float[Tensor, "m n"]

    def squared_norm(self) -> float:
        """Of all entries together."""
        return float((self.beta**2).sum() + (self.w**2).sum())


class MLP3(nn.Module):
    r"""``n -> m -> 1`` without biases; hidden values lie in (0, 1), so :math:`|f|\le\sum|\beta_j|`.

    Weights start uniform, ``w`` in :math:`\pm1/n` and ``beta`` in :math:`\pm1/m`.

    Example:
        >>> net = MLP3.of(beta=torch.tensor([2.0, -1.0]), w=torch.zeros(2, 3))
        >>> net(torch.ones(1, 3)).item()  # 2/2 - 1/2
        0.5
    """

    def __init__(
        self, n: int, m: int, *, rng: int | Generator = 0, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if n < 1 or m < 1:
            raise InputError(f"the network needs n >= 1 inputs and m >= 1 units, got n={n}, m={m}")

        def uniform(*shape: int) -> Tensor:
            return 2 * torch.rand(*shape, generator=rng, device=rng.device, dtype=dtype) - 1

        self.w = nn.Parameter(uniform(m, n) / n)
        self.beta = nn.Parameter(uniform(m) / m)

    @classmethod
    def of(cls, beta: Float[Tensor, " m"], w: Float[Tensor, "m n"]) -> "MLP3":
        """The network with these weights."""
        net = MLP3(w.shape[1], w.shape[0], rng=Generator())
        net.beta, net.w = nn.Parameter(beta.detach().clone()), nn.Parameter(w.detach().clone())
        return net

    def hidden(self, x: Float[Tensor, "s n"]) -> Float[Tensor, "s m"]:
        """The hidden activations."""
        if x.shape[-1] != self.w.shape[1]:
            raise InputError(
                f"expected points with {self.w.shape[1]} features, got shape {tuple(x.shape)}"
            )
        return sigmoid(x @ self.w.T)

    def forward(self, x: Float[Tensor, "s n"]) -> Float[Tensor, " s"]:
        """The output at each point."""
        return self.hidden(x) @ self.beta

    def loss(self, x: Float[Tensor, "s n"], y: Float[Tensor, " t"]) -> Float[Tensor, ""]:
        """Half the squared error, summed over the points."""
        _check_targets(x, y)
        error: Tensor = self(x) - y
        return 0.5 * (error**2).sum()

    @torch.no_grad()
    def analytic_gradients(self, x: Float[Tensor, "s n"], y: Float[Tensor, " t"]) -> Gradient:
        """The formulas above, summed over the points; autograd is not used."""
        _check_targets(x, y)
        error = self(x) - y  # (s,)
        slope = sigmoid_derivative(x @ self.w.T)  # 1 / ((1 + e^-u)(1 + e^u)), (s, m)
        back = error[:, None] * self.beta * slope
        return Gradient(beta=error @ self.hidden(x), w=back.T @ x)

    @torch.no_grad()
    def sgd_step(self, x: Float[Tensor, "s n"], y: Float[Tensor, " t"], eta: float) -> float:
        """Move against the gradient of these points; returns the loss before."""
        if not eta > 0:
            raise InputError(f"the learning rate must be positive, got eta={eta:g}")
        before, gradient = float(self.loss(x, y)), self.analytic_gradients(x, y)
        self.beta.sub_(eta * gradient.beta)
        self.w.sub_(eta * gradient.w)
        return before


def sgd(
    net: MLP3,
    x: Float[Tensor, "s n"],
    y: Float[Tensor, " s"],
    *,
    eta: float,
    epochs: int,
    rng: Generator,
) -> list[float]:
    """One example at a time in random order; the mean loss of the examples after each epoch.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> x = torch.linspace(-1, 1, 9, dtype=torch.float64)[:, None]
        >>> losses = sgd(MLP3(1, 8, rng=rng), x, x[:, 0], eta=0.5, epochs=50, rng=rng)
        >>> losses[-1] < 0.2 * losses[0]
        True
    """
    losses = []
    for _ in range(epochs):
        for i in torch.randperm(len(x), generator=rng).tolist():
            net.sgd_step(x[i : i + 1], y[i : i + 1], eta)
        losses.append(float(net.loss(x, y).detach()) / len(x))
    return losses


def _check_targets(x: Tensor, y: Tensor) -> None:
    if y.shape != x.shape[:1] or len(y) == 0:
        raise InputError(
            f"expected points (s, n) and targets (s,) with s >= 1, got {tuple(x.shape)} and "
            f"{tuple(y.shape)}"
        )
