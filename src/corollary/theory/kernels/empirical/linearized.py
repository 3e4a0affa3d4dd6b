r"""A network replaced by its first-order expansion in the parameters.

.. math:: f_{lin}(x, \theta) = f(x, \theta_0) + \nabla_\theta f(x, \theta_0)^\top(\theta-\theta_0)

It is linear in :math:`\theta`, so its tangent kernel is the same wherever training goes. The
minimum-norm change that fits y is :math:`\beta = \Phi^\top K^{-1}(y - f)`, rows of
:math:`\Phi` the gradients at the training inputs, and predicts

.. math:: h(x) = f(x, \theta_0) + k(x)^\top K^{-1}(y - f) .

:source: Perez Jensen (2025), Deep Learning, Section 9; Lucchi (2025), Foundations of Deep Learning,
    Section 7.3; Lee et al. (2019), "Wide neural networks of any depth evolve as linear models
    under gradient descent".
"""

import copy
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.kernels.empirical.ntk import empirical_ntk
from corollary.theory.kernels.empirical.products import (
    outputs_at,
    pull_back,
    push_forward,
    trainable,
)
from corollary.theory.kernels.empirical.samples import Inputs, Read
from corollary.theory.kernels.regression import kernel_regression
from corollary.theory.modules.keeping import kept


class Linearized(nn.Module):
    """The expansion of a module at its present parameters, itself a module to be trained.

    The module is copied and read in evaluation mode; ``parameters()`` start at its own values.

    Example:
        >>> net = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
        >>> for p, value in zip(net.parameters(), (2.0, 3.0)):
        ...     _ = nn.init.constant_(p, value)
        >>> lin = Linearized(net)
        >>> with torch.no_grad():
        ...     _ = lin.theta[0].add_(1)  # 2·3 becomes 6 + 3, also for large steps
        >>> lin(torch.ones(1, 1)).item()
        9.0

    :covers: linearized-network
    """

    def __init__(self, model: nn.Module, read: Read | None = None) -> None:
        super().__init__()
        self.read = read
        self.names = list(trainable(model))
        self.base = copy.deepcopy(model).eval().requires_grad_(False)
        self.theta = nn.ParameterList(p.detach().clone() for p in trainable(model).values())

    def train(self, mode: bool = True) -> "Linearized":
        """The expansion is always read in evaluation mode."""
        super().train(mode)
        self.base.eval()
        return self

    def forward(self, *inputs: Tensor, **named: Tensor) -> Float[Tensor, "n c"]:
        """The expansion at the present values of ``theta``."""
        at = dict(self.base.named_parameters())
        delta = [t - at[k].detach() for t, k in zip(self.theta, self.names, strict=True)]
        x = named or (inputs[0] if len(inputs) == 1 else inputs)
        f, change = push_forward(self.base, x, delta, self.read, names=self.names)
        return f.detach() + change


@dataclass(frozen=True)
class LinearizedFit:
    """The minimum-norm fit of a linearised network."""

    model: nn.Module
    beta: list[Tensor]  # the change of each trainable parameter
    alpha: Float[Tensor, "n c"]  # K⁻¹(y - f)
    condition: float  # of the kernel matrix
    read: Read | None

    def __repr__(self) -> str:
        return (
            f"minimum-norm fit of the linearised {type(self.model).__name__} to {len(self.alpha)} "
            f"inputs; condition number of the kernel {self.condition:.3g}"
        )

    def __call__(self, x: Inputs) -> Float[Tensor, "n c"]:
        """Predictions of the linearised network."""
        with kept(self.model):
            f, change = push_forward(self.model.eval(), x, self.beta, self.read)
        return (f + change).detach()

    def network(self, x: Inputs) -> Float[Tensor, "n c"]:
        """What the network itself gives with the same parameters."""
        parameters = trainable(self.model).items()
        moved = {k: p.detach() + b for (k, p), b in zip(parameters, self.beta, strict=True)}
        with kept(self.model), torch.no_grad():
            return outputs_at(self.model.eval(), moved, x, self.read)


def fit_linearized(
    model: nn.Module,
    x: Inputs,
    y: Float[Tensor, "n *c"],
    *,
    ridge: float = 0.0,
    read: Read | None = None,
) -> LinearizedFit:
    r"""The minimum-norm minimiser of :math:`\frac12\|f + \Phi\beta - y\|^2`.

    Time :math:`O((nc)^3)`.

    Example:
        >>> net = nn.Linear(1, 1, bias=False)
        >>> x, y = torch.tensor([[2.0]]), torch.tensor([[8.0]])
        >>> fit = fit_linearized(net, x, y)
        >>> round(fit(torch.tensor([[1.0]])).item(), 5)  # the line through (2, 8)
        4.0

    :covers: linearized-least-squares
    :test: tests/theory/kernels/empirical/test_linearized.py
    :erratum: [wrong] The notes' predictor k(x)ᵀK⁻¹(y - f) drops the offset f(x) of its own model:
        at a training input it gives y_i - f_i instead of y_i. [missing hypothesis] With more
        parameters than data the minimiser is not unique; this is the one of minimum norm.
        [notation] Φ listed by columns is p x n, typed n x p.
    """
    with kept(model):
        model.eval()
        with torch.no_grad():
            f = outputs_at(model, {}, x, read)
        if y.numel() != f.numel():
            raise InputError(f"expected targets of shape {tuple(f.shape)}, got {tuple(y.shape)}")
        n, c = f.shape
        k = empirical_ntk(model, x, mode="full", read=read)
        k = k.permute(0, 2, 1, 3).reshape(n * c, n * c)
        fit = kernel_regression(k, (y.reshape(n, c) - f).flatten(), ridge=ridge)
        alpha = fit.alpha.reshape(n, c)
        beta = [b.detach() for b in pull_back(model, x, alpha, read)]
    return LinearizedFit(model, beta, alpha, fit.condition, read)


def lazy_gap(
    model: nn.Module,
    x: Inputs,
    y: Float[Tensor, "n *c"],
    *,
    ridge: float = 0.0,
    read: Read | None = None,
) -> float:
    r"""How far from lazy learning of y is: the error of the expansion at its own solution.

    :math:`\|f(\theta_0+\beta) - f_{lin}(\theta_0+\beta)\| / \|y - f(\theta_0)\|`: near 0 the
    network can fit y without leaving the region where it is linear in its parameters; of order 1 or
    more it cannot, and its features must move.

    Example:
        >>> lazy_gap(nn.Linear(1, 1), torch.ones(1, 1), torch.ones(1, 1)) < 1e-5
        True
    """
    fit = fit_linearized(model, x, y, ridge=ridge, read=read)
    with torch.no_grad():
        linear, moved = fit(x), fit.network(x)
        start = outputs_at(model, {}, x, read)
    return float((moved - linear).norm() / (y.reshape(start.shape) - start).norm())
