r"""One gradient step on a random two-layer network.

.. math:: f(x)=\frac1{\sqrt k}\sum_{j=1}^ka_j\sigma(\langle w_j,x\rangle),\qquad
   w_j\sim\mathcal N(0,I/d),\quad a_j=\pm1,\quad\|x\|=\sqrt d.

Then :math:`\langle w_j,x\rangle\sim\mathcal N(0,1)`, f has mean 0 and variance
:math:`\mathbb E\sigma(Z)^2` for every k, and its gradient

.. math:: \mathbb E\|\nabla f\|^2=\mathbb E\sigma'(Z)^2\,(1-\tfrac1d)+\tfrac1d\mathbb E[Z^2
   \sigma'(Z)^2]

does not depend on d to leading order. So a step of length :math:`2|f|/\|\nabla f\|=O(1)` against
the sign of f flips it, while :math:`\|x\|=\sqrt d`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.3, Equations 12.6, 12.7 and 12.9,
    Theorem 78 and Proposition 79; Bubeck, Cherapanamjeri, Gidel and Tachet des Combes (2021), "A
    single gradient step finds adversarial examples on random two-layers neural networks".
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.landscape.mean_field import gaussian_mean, second_moment, squared_slope

Scalar = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class SingleStep:
    """The step of each row and what it did."""

    eta: Float[Tensor, " n"]  # factor of the gradient; its sign is that of -f
    size: Float[Tensor, " n"]  # length of the step
    relative: Float[Tensor, " n"]  # over the length of the input
    before: Float[Tensor, " n"]
    after: Float[Tensor, " n"]

    @property
    def flipped(self) -> Bool[Tensor, " n"]:
        """Whether the sign changed."""
        return self.before.sign() * self.after.sign() < 0


def single_step_attack(
    f: Callable[[Tensor], Tensor], x: Float[Tensor, "n *s"], *, reach: float | int = 2.0
) -> SingleStep:
    r"""Step by :math:`\eta=-\text{reach}\cdot f/\|\nabla f\|^2` along the gradient of a score.

    ``reach = 2`` maps f to -f where f is linear; a negative one steps with the sign of f.

    Example:
        >>> found = single_step_attack(lambda x: x.sum(1), torch.ones(1, 4, dtype=torch.float64))
        >>> found.after.item(), found.size.item(), found.relative.item()
        (-4.0, 4.0, 2.0)

    :covers: single-step-adversarial-theorem, linear-flip-distance
    :erratum: [wrong] Theorem 78 states eta > 0. If f(x) > 0 a positive multiple of the gradient
        raises f to first order, and for sigma = id, which the hypotheses allow,
        f(x + eta grad f) = f(x) + eta ||grad f||^2 never changes sign then: probability 1/2. The
        factor must have the sign of -f(x), as in (12.9). The size of the perturbation, the point
        of the theorem, appears only in the proof idea.
    """
    z = x.detach().requires_grad_(True)
    with torch.enable_grad():
        values = f(z).reshape(-1)
        if len(values) != len(x):
            raise InputError(f"expected one score per row, got {len(values)} for {len(x)} rows")
        (g,) = torch.autograd.grad(values.sum(), z)
    before, flat = values.detach(), g.flatten(1)
    square = flat.square().sum(dim=1)
    if bool((square == 0).any()):
        raise InputError(
            "the gradient is zero at an input, so no step along the gradient changes the sign"
        )
    eta = -reach * before / square
    step = eta[:, None] * flat
    with torch.no_grad():
        after = f(x.detach() + step.view_as(x)).reshape(-1)
    size = step.norm(dim=1)
    return SingleStep(eta, size, size / x.flatten(1).norm(dim=1), before, after)


def output_variance(sigma: Scalar) -> float:
    r"""The variance :math:`\mathbb E\sigma(Z)^2` of the random network, the same for every width.

    Example:
        >>> round(output_variance(torch.relu), 6)
        0.5

    :covers: two-layer-init-clt
    """
    return second_moment(sigma, 1.0)


def excess_kurtosis(sigma: Scalar, k: int) -> float:
    r"""The fourth cumulant over the squared variance, exactly: how far from normal width k is.

    :math:`\bigl(\mathbb E\sigma^4/(\mathbb E\sigma^2)^2-3\bigr)/k`: each unit has a random sign.

    Example:
        >>> round(excess_kurtosis(torch.relu, 10), 4)  # (1.5 / 0.25 - 3) / 10
        0.3

    :covers: two-layer-init-clt
    """
    fourth = gaussian_mean(lambda z: sigma(z) ** 4, 1.0)
    return (fourth / second_moment(sigma, 1.0) ** 2 - 3) / k


def gradient_square(sigma: Scalar, derivative: Scalar, d: int) -> float:
    r"""The expected squared length of the input gradient, at every width.

    Example:
        >>> from corollary.theory.networks.activations import RELU
        >>> [round(gradient_square(RELU, RELU.derivative, d), 6) for d in (2, 1000)]
        [0.5, 0.5]

    :covers: gradient-norm-lower-bound
    """
    along = gaussian_mean(lambda z: z**2 * derivative(z) ** 2, 1.0)
    return squared_slope(sigma, 1.0) * (1 - 1 / d) + along / d


def gradient_norm_bound(
    slopes: Float[Tensor, "... k"], d: int, gamma: float | int
) -> Float[Tensor, "..."]:
    r"""What the gradient's length is above, with probability at least :math:`1-\gamma`.

    .. math:: \bigl(1-5\sqrt{\log(2/\gamma)/d}\bigr)
       \sqrt{\tfrac1k\textstyle\sum_j\sigma'(\langle w_j,x\rangle)^2}

    For one fixed x; of use from :math:`d>25\log(2/\gamma)` on.

    Args:
        slopes: The derivatives at the pre-activations.
        d: Input dimension.
        gamma: Probability of failure, below 2/e.

    Example:
        >>> gradient_norm_bound(torch.ones(4), 2500, 2 * math.exp(-4.0)).item()  # 1 - 5 * 2 / 50
        0.800000011920929

    :covers: gradient-norm-lower-bound
    :erratum: [typo] The norm of y in R^{d-1} is written as a sum over i = 1..d; it has d - 1 terms.
        'For any x' is for each fixed x, not for all at once.
    """
    if d < 2:
        raise InputError(f"the part orthogonal to x needs d >= 2, got d = {d}")
    if not 0 < gamma < 2 / math.e:
        raise InputError(f"gamma must lie between 0 and 2/e, got {gamma}")
    factor = 1 - 5 * math.sqrt(math.log(2 / gamma) / d)
    return factor * slopes.square().mean(dim=-1).sqrt()
