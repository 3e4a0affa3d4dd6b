r"""Gradient descent on least squares in closed form.

From :math:`w_0=0` on :math:`\frac1{2n}\|\Phi w-y\|^2`, with
:math:`\bar\Sigma=\Phi^\top\Phi/n`,

.. math:: w_t=\bigl(I-(I-\eta\bar\Sigma)^t\bigr)\bar\Sigma^+\tfrac1n\Phi^\top y
   =\sum_i\frac{1-(1-\eta s_i^2/n)^t}{s_i}\,v_i\langle u_i,y\rangle\to\Phi^+y

for :math:`0<\eta<2n/s_1^2`: ordinary least squares for full column rank, the shortest interpolator
for full row rank. Directions of small :math:`s_i`, which blow up the noise at the interpolation
threshold, come last; stopping early leaves them out.

:source: Lucchi (2025), Foundations of Deep Learning, Section 13.2; Yao, Rosasco and Caponnetto
    (2007), "On early stopping in gradient descent learning".
:covers: gd-approximates-ols
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_positive


def gd_path(
    phi: Float[Tensor, "n p"], y: Float[Tensor, " n"], eta: float, steps: Sequence[int]
) -> Float[Tensor, "t p"]:
    r"""The iterates after the given numbers of steps, any of them, by one decomposition.

    Time :math:`O(np\min(n,p))` and :math:`O(p\min(n,p))` an iterate, whatever its number.

    Args:
        phi: Features, one row per point.
        y: Labels.
        eta: Step size on half the mean squared error.
        steps: Numbers of steps, in any order; 0 is the start.

    Example:
        >>> phi = torch.eye(1, dtype=torch.float64)
        >>> gd_path(phi, torch.ones(1).double(), 0.5, [0, 1, 2]).flatten().tolist()
        [0.0, 0.5, 0.75]
    """
    check_positive("eta", eta)
    if len(phi) != len(y):
        raise InputError(f"expected one label per point, got {len(y)} labels for {len(phi)} points")
    if min(steps, default=0) < 0:
        raise InputError(f"numbers of steps must not be negative, got {min(steps)}")
    U, s, Vt = torch.linalg.svd(phi, full_matrices=False)
    t = torch.as_tensor(list(steps), dtype=phi.dtype, device=phi.device)
    curvature = eta * s.square() / len(y)
    if float(curvature[0]) < 1:  # log1p keeps the digits of slow directions
        learned = -torch.expm1(t[:, None] * torch.log1p(-curvature))
    else:
        learned = 1 - (1 - curvature) ** t[:, None]
    seen = s > s[0] * max(phi.shape) * torch.finfo(phi.dtype).eps
    inverse = torch.where(seen, 1 / torch.where(seen, s, 1.0), 0.0)
    path: Tensor = (learned * inverse * (U.T @ y)) @ Vt
    return path


def slowest_time(phi: Float[Tensor, "n p"], eta: float) -> float:
    r"""Steps until the slowest direction is learned up to 1/e: :math:`n/(\eta s_{\min}^2)`.

    Example:
        >>> slowest_time(torch.diag(torch.tensor([2.0, 1.0])), 0.5)
        4.0
    """
    check_positive("eta", eta)
    s = torch.linalg.svdvals(phi)
    seen = s[s > s[0] * max(phi.shape) * torch.finfo(phi.dtype).eps]
    return len(phi) / (eta * float(seen[-1]) ** 2)
