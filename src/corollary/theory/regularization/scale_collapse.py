r"""Batch normalisation without rescaling forgets how large the weights in front of it are.

For :math:`f(x)=w_2\,\varphi(w_1x)` with the first layer normalised over the batch,

.. math:: \frac{w_1x-w_1m}{|w_1|\,s}=\operatorname{sign}(w_1)\,\frac{x-m}s,

so f depends on :math:`w_1` through its sign alone, and :math:`\partial f/\partial w_1=0`. The
learnable :math:`\gamma` and :math:`\beta` in :math:`\gamma z+\beta` give scale and shift back, as
parameters of their own that no upstream weight disturbs.

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 10, Exercises, Problem 2; Ioffe
    and Szegedy (2015), "Batch normalization".
:covers: batchnorm-scale-collapse
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_at_least, check_finite

Activation = Callable[[Tensor], Tensor]


class Collapse(NamedTuple):
    """The network at several first weights."""

    outputs: Float[Tensor, "k n"]  # one row per weight
    slopes: Float[Tensor, "k n"]  # derivative of each output in the first weight


def standardised(
    z: Float[Tensor, "... n"], *, delta: float = 0.0, correction: int = 1
) -> Float[Tensor, "... n"]:
    r"""The batch minus its mean, divided by :math:`\sqrt{s^2+\delta}`; the batch is the last axis.

    ``correction=1`` divides the variance by B - 1 as the notes do; torch's layers train with 0.

    Example:
        >>> standardised(torch.tensor([1.0, 2.0, 3.0])).tolist()
        [-1.0, 0.0, 1.0]
    """
    check_finite("z", z)
    check_at_least("correction", correction, 0)
    if z.shape[-1] <= correction:
        raise InputError(f"a batch needs more than {correction} values, got {z.shape[-1]}")
    variance = z.var(dim=-1, keepdim=True, correction=correction)
    if not bool((variance + delta > 0).all()):
        raise InputError(
            "the batch is constant, so it cannot be divided by its standard deviation; check "
            "whether a weight is 0 or all inputs are equal (a positive delta would hide this)"
        )
    return (z - z.mean(dim=-1, keepdim=True)) / (variance + delta).sqrt()


def bn_network(
    x: Float[Tensor, " n"],
    w1: Float[Tensor, "*k"],
    w2: float,
    phi: Activation,
    *,
    gamma: float = 1.0,
    beta: float = 0.0,
    delta: float = 0.0,
    correction: int = 1,
) -> Float[Tensor, "*k n"]:
    r"""The outputs :math:`w_2\,\varphi(\gamma\,\mathrm{BN}(w_1x)+\beta)`, for each first weight.

    Example:
        >>> x = torch.tensor([0.0, 1.0, 2.0])
        >>> bn_network(x, torch.tensor(7.0), 2.0, torch.relu).tolist()
        [0.0, 0.0, 2.0]
    """
    z = standardised(w1[..., None] * x, delta=delta, correction=correction)
    return w2 * phi(gamma * z + beta)


def bn_collapse_demo(
    phi: Activation,
    x: Float[Tensor, " n"],
    w1: Float[Tensor, " k"],
    *,
    w2: float = 1.0,
    gamma: float = 1.0,
    beta: float = 0.0,
    delta: float = 0.0,
    correction: int = 1,
) -> Collapse:
    r"""The network at each first weight, with the derivative in it; 0 is refused for delta = 0.

    Example:
        >>> x = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)
        >>> found = bn_collapse_demo(torch.relu, x, torch.tensor([0.5, 8.0, -2.0]).double())
        >>> found.outputs.tolist(), found.slopes.abs().max().item() < 1e-12
        ([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], True)
    """

    def network(w: Tensor) -> Tensor:
        return bn_network(x, w, w2, phi, gamma=gamma, beta=beta, delta=delta, correction=correction)

    outputs, slopes = torch.func.jvp(network, (w1,), (torch.ones_like(w1),))[:2]
    return Collapse(outputs, slopes)
