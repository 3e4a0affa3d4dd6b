r"""Descent on separable data, followed over logarithmic time.

With the labels multiplied in, :math:`\mathcal L(w)=\sum_i\ell(\langle w,x_i\rangle)` has no
minimiser, and :math:`w(t)=\hat w\log t+\rho(t)`. Everything happens in :math:`s=\log t`, in which
the flow

.. math:: \frac{dw}{ds}=\sum_i e^{\,s+\log(-\ell'(\langle w,x_i\rangle))}x_i

is not stiff: both terms of the exponent cancel on the support vectors. So times like
:math:`e^{1000}`, which no descent could ever reach, cost a few hundred evaluations.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, Theorem 72; Soudry, Hoffer,
    Nacson, Gunasekar and Srebro (2018), "The implicit bias of gradient descent on separable data".
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.connectionism.max_margin import max_margin
from corollary.theory.prerequisites.wellformed import check_at_least, check_finite, check_positive
from corollary.theory.regularization.hard_margin import HardMargin
from corollary.theory.regularization.margin_losses import LOGISTIC, MarginLoss


class Iterates(NamedTuple):
    """Weights at the steps that were kept, for each start."""

    t: Int[Tensor, " k"]
    w: Float[Tensor, "k r d"]


class LogFlow(NamedTuple):
    """The gradient flow at growing log t."""

    s: Float[Tensor, " k"]  # log t
    w: Float[Tensor, "k d"]


class Rates(NamedTuple):
    """How near a trajectory is to the largest margin, and how small its loss."""

    direction: Float[Tensor, " k"]  # || w/||w|| - w_hat/||w_hat|| ||
    margin_gap: Float[Tensor, " k"]  # gamma - min_i <w, x_i>/||w||
    loss: Float[Tensor, " k"]  # the sum over the points
    t_loss: Float[Tensor, " k"]  # t times it, without underflow


def largest_step(x: Float[Tensor, "n d"], loss: MarginLoss = LOGISTIC) -> float:
    r"""The limit :math:`2/(\beta\sigma_{\max}^2(X))` of the theorem; 0 for a loss without beta.

    Example:
        >>> largest_step(torch.eye(2, dtype=torch.float64))
        8.0
    """
    return 2 / (loss.beta * float(torch.linalg.matrix_norm(x, 2)) ** 2)


def implicit_bias_logistic(
    x: Float[Tensor, "n d"],
    w0: Float[Tensor, "r d"],
    eta: float,
    times: Sequence[int],
    *,
    loss: MarginLoss = LOGISTIC,
) -> Iterates:
    r"""Gradient descent on :math:`\sum_i\ell(\langle w,x_i\rangle)` from every row of ``w0``.

    Args:
        x: Points with their labels multiplied in.
        w0: One start a row; all runs are made at once.
        eta: The step size.
        times: The steps to keep, growing; best evenly spaced in their logarithm.
        loss: The loss of a margin.

    Example:
        >>> x = torch.ones(1, 1, dtype=torch.float64)
        >>> run = implicit_bias_logistic(x, torch.zeros(1, 1).double(), 1.0, [1, 2])
        >>> run.w[0].item()  # the slope at 0 is -1/2
        0.5

    :covers: max-margin-implicit-bias
    """
    check_finite("x", x)
    check_finite("w0", w0)
    check_positive("eta", eta)
    if not times or any(b <= a for a, b in zip((0, *times), times, strict=False)):
        raise InputError(f"times must be increasing and at least 1, got {list(times)}")
    w, kept, step = w0, [], 0
    points, pulls = x.T, eta * x
    for t in times:
        for _ in range(t - step):
            w = torch.addmm(w, loss.log_pull(w @ points).exp(), pulls)
        step = t
        kept.append(w)
    return Iterates(torch.tensor(list(times)), torch.stack(kept))


def log_times(last: int, points: int = 30) -> list[int]:
    """Whole numbers from 1 to ``last``, evenly spaced in the logarithm.

    Example:
        >>> log_times(1000, points=4)
        [1, 10, 100, 1000]
    """
    check_at_least("last", last, 1)
    grid = np.unique(np.round(np.geomspace(1, last, points)).astype(int))
    return [int(t) for t in grid]


def separable_flow(
    x: Float[Tensor, "n d"],
    w0: Float[Tensor, " d"],
    s: Float[Tensor, " k"],
    *,
    loss: MarginLoss = LOGISTIC,
    rtol: float = 1e-9,
) -> LogFlow:
    r"""The gradient flow from ``w0`` at t = 1 (that is s = 0), at the given :math:`s=\log t`.

    Cost: SciPy's LSODA; evaluations in proportion to the largest s.

    Example:
        >>> from corollary.theory.regularization.margin_losses import EXPONENTIAL
        >>> x, s = torch.ones(1, 1).double(), torch.tensor([1.0, 9.0]).double()
        >>> flow = separable_flow(x, torch.zeros(1).double(), s, loss=EXPONENTIAL)
        >>> [round(v, 6) for v in flow.w[:, 0].tolist()]  # w' = exp(-w): w = log t
        [1.0, 9.0]
    """
    from scipy.integrate import solve_ivp

    check_finite("x", x)
    check_finite("w0", w0)
    check_finite("s", s)
    check_positive("rtol", rtol)
    if max_margin(x, x.new_ones(len(x))).margin <= 0:
        raise InputError(
            "a flow in log t needs points that a hyperplane through the origin separates, "
            "but no such hyperplane exists; the loss has a minimiser, and the flow stops "
            "there"
        )
    points, times = x.detach().cpu().double(), s.detach().cpu().double()

    def velocity(at: float, w: np.ndarray) -> np.ndarray:
        pull = loss.log_pull(points @ torch.from_numpy(w))
        return ((at + pull).exp() @ points).numpy()

    start = w0.detach().cpu().double().numpy()
    span = (0.0, float(times[-1]))
    solved = solve_ivp(
        velocity, span, start, method="LSODA", t_eval=times.numpy(), rtol=rtol, atol=1e-10
    )
    if not solved.success:
        raise InputError(f"the flow could not be followed to s = {span[1]:g}: {solved.message}")
    return LogFlow(s, torch.from_numpy(solved.y.T.copy()).to(x))


def rates_report(
    x: Float[Tensor, "n d"],
    svm: HardMargin,
    s: Float[Tensor, " k"],
    w: Float[Tensor, "k d"],
    *,
    loss: MarginLoss = LOGISTIC,
) -> Rates:
    r"""Distance of the direction, gap of the margin and loss along a trajectory w(s), s = log t.

    Example:
        >>> from corollary.theory.regularization.hard_margin import hard_margin_svm
        >>> x = torch.eye(2, dtype=torch.float64)
        >>> along = torch.ones(1, 2, dtype=torch.float64)
        >>> found = rates_report(x, hard_margin_svm(x), torch.zeros(1).double(), along)
        >>> found.margin_gap.abs().item() < 1e-12
        True

    :covers: max-margin-convergence-rates
    """
    unit = w / w.norm(dim=1, keepdim=True)
    margins = w @ x.T
    value = loss.value(margins).sum(dim=1)
    # log of the loss: where it underflows, its tail is its slope
    log_value = torch.where(value > 1e-280, value.log(), loss.log_pull(margins).logsumexp(dim=1))
    return Rates(
        (unit - svm.direction).norm(dim=1),
        svm.margin - (unit @ x.T).min(dim=1).values,
        value,
        (s + log_value).exp(),
    )


def margin_gap_constant(svm: HardMargin, eta: float = 1.0) -> float:
    r"""The limit of (gap of the margin) times log t, when the residual converges.

    On the support vectors :math:`\langle\rho(t),x_i\rangle\to r_i=\log(\eta/\alpha_i)`, and so

    .. math:: \log t\cdot\bigl(\gamma-\gamma(t)\bigr)\to\gamma\Bigl(\gamma^2\sum_i\alpha_ir_i
       -\min_ir_i\Bigr) .

    Example:
        >>> from corollary.theory.regularization.hard_margin import hard_margin_svm
        >>> abs(margin_gap_constant(hard_margin_svm(torch.eye(2, dtype=torch.float64)))) < 1e-12
        True
    """
    alpha = svm.alpha[svm.support]
    r = torch.log(eta / alpha)
    return svm.margin * float(svm.margin**2 * (alpha @ r) - r.min())


def support_limits(svm: HardMargin, eta: float = 1.0) -> Float[Tensor, " k"]:
    r"""The limits :math:`\log(\eta/\alpha_i)` of :math:`\langle w(t),x_i\rangle-\log t`.

    One for each support vector; with a = c = 1 and all :math:`\alpha_i>0`.

    Example:
        >>> from corollary.theory.regularization.hard_margin import hard_margin_svm
        >>> support_limits(hard_margin_svm(torch.eye(1, dtype=torch.float64)), eta=1.0)
        tensor([0.], dtype=torch.float64)
    """
    return torch.log(eta / svm.alpha[svm.support])
