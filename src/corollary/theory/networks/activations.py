r"""Activations with what theory asks of them: derivative, inverse, Lipschitz constant, range.

.. math:: (z)_+=\max(0,z),\qquad \max(az,z)\ (0\le a<1),\qquad
   \mathrm{ELU}_\alpha(z)=\begin{cases}z&z\ge0\\ \alpha(e^z-1)&z<0\end{cases},\qquad z\mapsto z.

:source: Mathematical Foundations of Deep Learning (slides), Activation Functions; Lucchi (2025),
    Foundations of Deep Learning, Section 2.7.1; Perez Jensen (2025), Deep Learning, Section 2.2.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.connectionism.sigmoid import SIGMOID, TANH, logit

Scalar = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Activation:
    """A function of one number and its facts; call it on a tensor of any shape."""

    name: str
    function: Scalar
    derivative: Scalar
    lipschitz: float  # the largest slope
    range: tuple[float, float]  # infimum and supremum of the values
    inverse: Scalar | None = None  # None where two inputs share a value
    homogeneous: bool = False  # phi(c z) = c phi(z) for all c >= 0
    smooth: bool = True  # continuously differentiable

    def __call__(self, z: Tensor) -> Tensor:
        """The activation at each entry."""
        return self.function(z)


def linear(z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """The identity; a layer with it is affine, and so is a network of such layers.

    Example:
        >>> linear(torch.tensor([-2.0, 3.0])).tolist()
        [-2.0, 3.0]

    :covers: linear-activation
    """
    return z


def relu(z: Float[Tensor, "..."], *, at_zero: float | int = 0.0) -> Float[Tensor, "..."]:
    r"""The positive part :math:`(z)_+`, with the subgradient of our choice at 0.

    Positively homogeneous, and :math:`z=(z)_+-(-z)_+`. Autograd gives ``at_zero`` at 0; the usual
    choice, and torch's, is 0.

    Example:
        >>> z = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
        >>> relu(z, at_zero=0.5).sum().backward()
        >>> z.grad.tolist()
        [0.0, 0.5, 1.0]

    :covers: relu-activation
    """
    _check_subgradient(at_zero)
    if at_zero == 0:
        return torch.relu(z)
    return torch.relu(z) + at_zero * torch.where(z == 0, z, torch.zeros_like(z))


def relu_derivative(z: Float[Tensor, "..."], *, at_zero: float | int = 0.0) -> Float[Tensor, "..."]:
    r"""The step :math:`1[z>0]`, and ``at_zero`` where ``z`` is 0.

    Example:
        >>> relu_derivative(torch.tensor([-1.0, 0.0, 2.0])).tolist()
        [0.0, 0.0, 1.0]
    """
    _check_subgradient(at_zero)
    # 1 above zero, 0 below, and NaN for NaN, which a comparison would make 0
    return torch.where(z == 0, torch.full_like(z, at_zero), z.clamp(0, 1).ceil())


def leaky_relu(z: Float[Tensor, "..."], slope: float | int = 0.1) -> Float[Tensor, "..."]:
    r"""The larger of :math:`az` and :math:`z`, for a slope :math:`0\le a<1`.

    Example:
        >>> leaky_relu(torch.tensor([-2.0, 3.0])).tolist()
        [-0.20000000298023224, 3.0]

    :covers: leaky-relu
    """
    _check_slope(slope)
    return F.leaky_relu(z, slope)


def elu(z: Float[Tensor, "..."], alpha: float | int = 1.0) -> Float[Tensor, "..."]:
    r"""The exponential linear unit: :math:`z` on the right, :math:`\alpha(e^z-1)` on the left.

    Continuous, above :math:`-\alpha`; the slope jumps at 0 by :math:`|1-\alpha|`, so it is
    continuously differentiable iff :math:`\alpha=1`.

    Example:
        >>> elu(torch.tensor([-1e4, 0.0, 2.0]), 0.5).tolist()
        [-0.5, 0.0, 2.0]

    :covers: elu
    """
    _check_alpha(alpha)
    return F.elu(z, alpha)


def leaky_relu_activation(slope: float | int = 0.1) -> Activation:
    """Leaky ReLU with its facts; slope 0 is ReLU and has no inverse.

    Example:
        >>> phi = leaky_relu_activation(0.25)
        >>> phi.inverse(phi(torch.tensor([-2.0]))).item()
        -2.0
    """
    _check_slope(slope)
    return Activation(
        "leaky_relu",
        partial(leaky_relu, slope=slope),
        lambda z: torch.where(z > 0, torch.ones_like(z), slope),
        1.0,
        (-math.inf if slope > 0 else 0.0, math.inf),
        inverse=(lambda t: torch.where(t >= 0, t, t / slope)) if slope > 0 else None,
        homogeneous=True,
        smooth=False,
    )


def elu_activation(alpha: float | int = 1.0) -> Activation:
    """The exponential linear unit with its facts.

    Example:
        >>> elu_activation(2.0).lipschitz, elu_activation(2.0).range
        (2.0, (-2.0, inf))
    """
    _check_alpha(alpha)
    return Activation(
        "elu",
        partial(elu, alpha=alpha),
        lambda z: torch.where(z >= 0, torch.ones_like(z), alpha * z.clamp(max=0).exp()),
        float(max(1.0, alpha)),
        (-float(alpha), math.inf),
        inverse=partial(_elu_inverse, alpha=alpha),
        smooth=alpha == 1,
    )


def activation(name: str) -> Activation:
    """An activation by its usual name.

    Example:
        >>> activation("tanh").lipschitz
        1.0
    """
    if name not in ACTIVATIONS:
        known = ", ".join(ACTIVATIONS)
        raise InputError(f"an activation must be one of {known}, got '{name}'")
    return ACTIVATIONS[name]


def _elu_inverse(t: Tensor, alpha: float | int) -> Tensor:
    if bool((t <= -alpha).any()):
        raise InputError(f"expected values of ELU above {-alpha:g}, got {t.min().item():g}")
    return torch.where(t >= 0, t, torch.log1p(t.clamp(max=0) / alpha))


def _check_subgradient(at_zero: float | int) -> None:
    if not 0 <= at_zero <= 1:
        raise InputError(f"expected a subgradient of ReLU at 0 in [0, 1], got {at_zero:g}")


def _check_slope(slope: float | int) -> None:
    if not 0 <= slope < 1:
        raise InputError(
            "max(a z, z) needs a slope 0 <= a < 1 (otherwise it picks the wrong branch), got "
            f"a={slope:g}"
        )


def _check_alpha(alpha: float | int) -> None:
    if not 0 < alpha < math.inf:
        raise InputError(f"ELU needs alpha > 0, got alpha={alpha:g}")


LINEAR = Activation(
    "linear", linear, torch.ones_like, 1.0, (-math.inf, math.inf), linear, homogeneous=True
)
RELU = Activation(
    "relu", relu, relu_derivative, 1.0, (0.0, math.inf), homogeneous=True, smooth=False
)
LOGISTIC = Activation(
    "sigmoid", SIGMOID.function, SIGMOID.derivative, SIGMOID.lipschitz, SIGMOID.range, logit
)
HYPERBOLIC = Activation(
    "tanh", TANH.function, TANH.derivative, TANH.lipschitz, TANH.range, torch.atanh
)
ACTIVATIONS = {
    phi.name: phi
    for phi in (LINEAR, RELU, leaky_relu_activation(), elu_activation(), LOGISTIC, HYPERBOLIC)
}
