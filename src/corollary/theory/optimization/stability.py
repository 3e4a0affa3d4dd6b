r"""Which curvature an optimizer bears: stability limits of SGD, momentum, RMSprop and Adam.

On a quadratic with Hessian H, a method with a fixed preconditioner P is a linear recurrence along
each eigenvector of :math:`P^{-1}H`. It stays bounded exactly while

.. math:: \eta\,\lambda_{\max}(P^{-1/2} H P^{-1/2}) \le c

with a constant c of the method, its *reach*:

====================== ================================== ===============================
method                 reach c                            P
====================== ================================== ===============================
gradient descent       2                                  1
momentum, dampening τ  :math:`2(1+\beta)/(1-\tau)`        1
Nesterov momentum      :math:`2(1+\beta)/(1+2\beta)`      1
RMSprop, AdaGrad       2, with momentum 2 (1 + β)         :math:`\sqrt v+\epsilon`
Adam, AdamW, AMSGrad   :math:`2(1+\beta_1)/(1-\beta_1)`   :math:`\sqrt{\hat v}+\epsilon`
====================== ================================== ===============================

The recurrence of momentum is :math:`x_{t+1} = (1+\beta-\eta(1-\tau)\lambda)x_t - \beta x_{t-1}`,
and the roots of its polynomial leave the unit circle at -1. Adam averages gradients with weights
that sum to one, so its first-moment average is momentum with dampening :math:`\beta_1`. Its
preconditioner moves slowly beside the iterates (:math:`\beta_2` near one) and counts as fixed. An
L2 penalty :math:`w` adds :math:`w` to every curvature; decoupled decay (AdamW) is left out, for
:math:`\eta w` is far below the reach.

Parameter groups may differ in all of this: with :math:`D = \operatorname{diag}(\eta/(cP))` the
method is stable while :math:`\lambda_{\max}(D^{1/2}HD^{1/2}) \le 1` (exactly if the groups share
their momentum).

:source: Polyak (1964), "Some methods of speeding up the convergence of iteration methods"; Cohen,
    Kaur, Li, Kolter and Talwalkar (2021), "Gradient descent on neural networks typically occurs at
    the edge of stability", Section 2 and Appendix B; Cohen, Ghorbani, Krishnan et al. (2022),
    "Adaptive gradient methods at the edge of stability", Section 3.
"""

from collections.abc import Iterable
from typing import Any

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.optim import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop

from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature.extremes import extreme_eigenvalues
from corollary.theory.landscape.curvature.interval import Estimate
from corollary.theory.landscape.curvature.operator import Curvature

KNOWN = (SGD, RMSprop, Adagrad, Adam, AdamW)  # AdamW is no Adam in old versions of torch


def reach(optimizer: Optimizer, group: dict[str, Any] | None = None) -> float:
    r"""The constant c of a method: it is stable while :math:`\eta\lambda\le c`.

    Args:
        optimizer: Of torch.optim; its class decides.
        group: One of its parameter groups, by default the first.

    Raises:
        NotApplicableError: for a method that is not in the table.

    Example:
        >>> w = [torch.zeros(1)]
        >>> reach(SGD(w, lr=0.1)), reach(SGD(w, lr=0.1, momentum=0.5))
        (2.0, 3.0)
        >>> round(reach(Adam(w)), 6)  # 2 (1 + 0.9) / (1 - 0.9)
        38.0
    """
    group = optimizer.param_groups[0] if group is None else group
    if isinstance(optimizer, Adam | AdamW):
        beta = float(group["betas"][0])
        return 2 * (1 + beta) / (1 - beta)
    if isinstance(optimizer, SGD):
        beta = float(group["momentum"])
        if group["nesterov"]:
            return 2 * (1 + beta) / (1 + 2 * beta)
        return 2 * (1 + beta) / (1 - float(group["dampening"])) if beta else 2.0
    if isinstance(optimizer, RMSprop):
        return 2 * (1 + float(group["momentum"]))
    if isinstance(optimizer, Adagrad):
        return 2.0
    names = ", ".join(kind.__name__ for kind in KNOWN)
    raise NotApplicableError(
        f"the stability limit of {type(optimizer).__name__} is not known; known are {names}"
    )


def preconditioner(optimizer: Optimizer, p: Tensor) -> Tensor | None:
    """The diagonal P that a method divides the gradient of ``p`` by; None stands for one.

    Raises:
        NotApplicableError: if the method adapts and has not made a step yet.
    """
    if isinstance(optimizer, SGD):
        return None
    state = optimizer.state.get(p)
    if not state:
        raise NotApplicableError(
            f"{type(optimizer).__name__} has made no step yet, so its second moments are not known"
        )
    group = next(g for g in optimizer.param_groups if any(q is p for q in g["params"]))
    if isinstance(optimizer, Adam | AdamW):
        v: Tensor = state["max_exp_avg_sq"] if group["amsgrad"] else state["exp_avg_sq"]
        v = v / (1 - float(group["betas"][1]) ** float(state["step"]))
    elif isinstance(optimizer, RMSprop):
        v = state["square_avg"]
        v = v - state["grad_avg"].square() if group["centered"] else v
    else:
        v = state["sum"]
    return v.clamp(min=0).sqrt() + float(group["eps"])


def stability_scale(
    optimizer: Optimizer, parameters: Iterable[Tensor]
) -> tuple[Float[Tensor, " p"], Float[Tensor, " p"]]:
    r"""The diagonal D of :math:`\eta/(cP)`, and the L2 penalty of each coordinate.

    Coordinates that the optimizer does not own have zero: they do not move.
    """
    groups = {id(p): g for g in optimizer.param_groups for p in g["params"]}
    D, penalty = [], []
    for p in parameters:
        group = groups.get(id(p))
        scale = torch.zeros_like(p, memory_format=torch.contiguous_format)
        decay = 0.0
        if group is not None:
            P = preconditioner(optimizer, p)
            scale += float(group["lr"]) / reach(optimizer, group)
            scale = scale if P is None else scale / P
            decoupled = isinstance(optimizer, AdamW) or group.get("decoupled_weight_decay", False)
            decay = 0.0 if decoupled else float(group.get("weight_decay", 0.0))
        D.append(scale.detach().reshape(-1))
        penalty.append(torch.full_like(D[-1], decay))
    return torch.cat(D), torch.cat(penalty)


class Preconditioned(Curvature):
    r"""The symmetric map :math:`D^{1/2}(A+\operatorname{diag} w)D^{1/2}` for diagonals D, w.

    Example:
        >>> from corollary.theory.landscape.curvature import Explicit
        >>> A = Preconditioned(Explicit(torch.diag(torch.tensor([2.0, 8.0]))),
        ...                    torch.tensor([4.0, 0.25]))
        >>> (A @ torch.ones(2)).tolist()
        [8.0, 2.0]
    """

    def __init__(
        self,
        A: Curvature,
        D: Float[Tensor, " p"],
        penalty: Float[Tensor, " p"] | None = None,
    ) -> None:
        self.A, self.size, self.dtype, self.device = A, A.size, A.dtype, A.device
        self.root = D.to(device=A.device, dtype=A.dtype).sqrt()
        self.penalty = None if penalty is None else penalty.to(self.root)
        self.path = A.path

    def _product(self, v: Tensor) -> Tensor:
        u = self.root * v
        Au = self.A @ u
        return self.root * (Au if self.penalty is None else Au + self.penalty * u)


def stability_ratio(
    H: Curvature,
    optimizer: Optimizer,
    parameters: Iterable[Tensor],
    *,
    rtol: float = 0.05,
    level: float = 0.95,
    max_products: int = 200,
    rng: int | Generator = 0,
) -> Estimate:
    r"""How much of its limit an optimizer uses here: stable to second order while at most 1.

    The learning rates of all groups may be multiplied by the inverse of it. Cost: about 25
    products with H for 5 %.

    Args:
        H: The Hessian of the loss in ``parameters``.
        optimizer: With its state; an adaptive method must have made a step.
        parameters: Those of H, in its order.
        rtol: Width of the interval, relative to the value.
        level: Probability with which it holds.
        max_products: Of the Hessian with vectors, at most.
        rng: Of the start vector.

    Example:
        >>> from corollary.theory.landscape.curvature import Explicit
        >>> w = torch.zeros(2)
        >>> H = Explicit(torch.diag(torch.tensor([1.0, 30.0])))
        >>> found = stability_ratio(H, SGD([w], lr=0.1, momentum=0.5), [w])
        >>> round(found.value, 4)  # 0.1 * 30 against 2 (1 + 0.5)
        1.0
    """
    A = Preconditioned(H, *stability_scale(optimizer, parameters))
    return extreme_eigenvalues(
        A, rtol=rtol, level=level, max_products=max_products, rng=rng
    ).largest
