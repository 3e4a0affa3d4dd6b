r"""Weight decay: a pull towards 0 at each step, and the optimum it leads to.

.. math:: \theta\leftarrow\theta-\eta(\nabla\ell(\theta)+\mu\theta)
   =(1-\eta\mu)\theta-\eta\nabla\ell(\theta)

is gradient descent on :math:`\ell+\frac\mu2\|\theta\|^2`. For the quadratic model
:math:`\ell^*+\frac12(\theta-\theta^*)^\top H(\theta-\theta^*)` its limit is

.. math:: \theta_\mu=(H+\mu I)^{-1}H\theta^*,

in the eigenbasis of H each coordinate times :math:`\lambda_i/(\lambda_i+\mu)`.

:source: Perez Jensen (2025), Deep Learning, Section 8.2; Krogh and Hertz (1992), "A simple weight
    decay can improve generalization".
:erratum: [wrong] The notes print the update as theta - eta (grad - mu theta), which lets weights
    grow, and its second line without eta before the gradient. For a loss of 0 the right update
    shrinks theta by 1 - eta mu; the printed one grows it by 1 + eta mu. The same penalty is called
    the Lagrangian of the constraint ||theta|| <= mu; the radius is ||theta_mu||, which falls as mu
    grows: for H = I, theta* = 3 and mu = 2 it is 1. The claims weight_decay and l2_landscape take
    both. [typo] The Taylor expansion lacks the factor 1/2 on the Hessian term; the gradient line
    and the result are right.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_positive, check_symmetric


def decayed_step(
    theta: Float[Tensor, "*s"], gradient: Float[Tensor, "*s"], eta: float, mu: float
) -> Float[Tensor, "*s"]:
    r"""One step :math:`(1-\eta\mu)\theta-\eta\nabla\ell`.

    Example:
        >>> decayed_step(torch.tensor([10.0]), torch.tensor([1.0]), eta=0.1, mu=0.5).tolist()
        [9.399999618530273]
    """
    check_positive("eta", eta)
    check_decay(mu)
    return (1 - eta * mu) * theta - eta * gradient


def weight_decay_solution(
    H: Float[Tensor, "d d"], theta_star: Float[Tensor, " d"], mu: float
) -> Float[Tensor, " d"]:
    r"""The optimum :math:`(H+\mu I)^{-1}H\theta^*`; H may be indefinite down to :math:`-\mu`.

    Example:
        >>> H = torch.diag(torch.tensor([9.0, 1.0]))
        >>> weight_decay_solution(H, torch.tensor([1.0, 1.0]), 1.0).tolist()
        [0.8999999761581421, 0.5]

    :covers: weight-decay-shrinkage
    :test: tests/theory/tricks/test_weight_decay.py
    """
    check_symmetric("H", H)
    check_decay(mu)
    values, Q = torch.linalg.eigh(H)
    if float(values[0]) <= -mu and not (mu == 0 and float(values[0]) == 0):
        raise InputError(
            f"H + mu I must be positive definite, but H has the eigenvalue {values[0]:.3g} "
            f"and mu is {mu:g}, so the penalised loss has no minimum; use mu above "
            f"{-float(values[0]):.3g}"
        )
    theta: Tensor = Q @ (shrinkage(values, mu) * (Q.T @ theta_star))
    return theta


def shrinkage(eigenvalues: Float[Tensor, " d"], mu: float) -> Float[Tensor, " d"]:
    r"""The factors :math:`\lambda_i/(\lambda_i+\mu)`; their sum counts effective parameters.

    Where both are 0 the optimum is not unique and is left in place (factor 1).

    Example:
        >>> shrinkage(torch.tensor([1.0, 3.0]), 1.0).tolist()
        [0.5, 0.75]
    """
    total = eigenvalues + mu
    return torch.where(total == 0, 1.0, eigenvalues / torch.where(total == 0, 1.0, total))


def ball_radius(H: Float[Tensor, "d d"], theta_star: Float[Tensor, " d"], mu: float) -> float:
    r"""The radius :math:`r(\mu)=\|\theta_\mu\|` of the ball for which the penalty is a multiplier.

    :math:`\theta_\mu` minimises :math:`\ell` over :math:`\|\theta\|\le r(\mu)`. For
    :math:`H\succ0` the radius falls from :math:`\|\theta^*\|` to 0.

    Example:
        >>> ball_radius(torch.eye(1), torch.tensor([3.0]), 2.0)
        1.0
    """
    return float(weight_decay_solution(H, theta_star, mu).norm())


def check_decay(mu: float) -> None:
    """Refuse a decay that is negative or infinite."""
    if not 0 <= mu < float("inf"):
        raise InputError(f"the weight decay must be a number >= 0, got {mu}")
