r"""Homogeneous networks: their degree, their margin, and the flow that enlarges it.

.. math:: f(\alpha\theta;x)=\alpha^Lf(\theta;x)\quad(\alpha>0),\qquad
   \langle\theta,\nabla_\theta f(\theta;x)\rangle=L\,f(\theta;x) .

A ReLU network of L layers without biases has degree L, and a bias in the first layer changes
nothing: :math:`\sum_jv_j\,\mathrm{relu}(w_j\cdot x+b_j)` has L = 2. With margins
:math:`q_i=y_if(\theta;x_i)` and :math:`\mathcal L=\sum_i\ell(q_i)` the normalised and the smoothed
margin are

.. math:: \bar\gamma=\frac{\min_iq_i}{\|\theta\|^L},\qquad
   \tilde\gamma=\frac{\ell^{-1}(\mathcal L)}{\|\theta\|^L}\le\bar\gamma .

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, Definition 31, (11.21)-(11.23)
    and Theorem 73; Lyu and Li (2020), "Gradient descent maximizes the margin of homogeneous neural
    networks"; Ji and Telgarsky (2020), "Directional convergence and alignment in deep learning".
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.func import functional_call, jvp
from torch.nn.utils import parameters_to_vector

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite, check_positive
from corollary.theory.regularization.margin_losses import EXPONENTIAL, MarginLoss


class Homogeneity(NamedTuple):
    """How the outputs grow with the parameters."""

    degree: float  # the median exponent
    spread: float  # largest distance of an exponent from it
    homogeneous: bool  # all exponents are one number, to rounding


class MarginFlow(NamedTuple):
    """Gradient flow on a loss of the margins, at growing log t."""

    s: Float[Tensor, " k"]
    theta: Float[Tensor, "k p"]
    q: Float[Tensor, "k n"]  # margins y_i f(theta; x_i)
    log_loss: Float[Tensor, " k"]  # log of the sum of the losses
    norm: Float[Tensor, " k"]  # length of theta
    smoothed: Float[Tensor, " k"]  # smoothed normalised margin
    alignment: Float[Tensor, " k"]  # cosine of theta and sum_i lambda_i grad q_i
    slackness: Float[Tensor, " k"]  # sum_i lambda_i (q_i/min q - 1) / sum_i lambda_i

    @property
    def kkt(self) -> Float[Tensor, " k"]:
        """The residual of the KKT conditions: what is missing in alignment, and slackness."""
        return 1 - self.alignment + self.slackness.abs()

    def normalised(self, degree: int | float) -> Float[Tensor, " k"]:
        r"""The normalised margin :math:`\min_iq_i/\|\theta\|^L`."""
        return self.q.min(dim=1).values / self.norm**degree


def homogeneity_degree(net: nn.Module, x: Float[Tensor, "n *d"]) -> Homogeneity:
    r"""The exponent of :math:`f(\alpha\theta)/f(\theta)` in :math:`\alpha`, from a few of them.

    Example:
        >>> net = nn.Sequential(nn.Linear(2, 3, bias=False), nn.ReLU(), nn.Linear(3, 1, bias=False))
        >>> homogeneity_degree(net.double(), torch.randn(8, 2).double()).homogeneous
        True

    :covers: homogeneous-network
    """
    check_finite("x", x)
    theta = {k: p.detach() for k, p in net.named_parameters()}
    with torch.no_grad():
        base = functional_call(net, theta, (x,)).flatten()
        alive = base != 0
        if not bool(alive.any()):
            raise InputError(
                "the network is 0 at every point, so its degree of homogeneity is not defined"
            )
        exponents = []
        for alpha in (0.5, 0.75, 1.5, 2.0):
            scaled = {k: alpha * p for k, p in theta.items()}
            ratio = functional_call(net, scaled, (x,)).flatten()[alive] / base[alive]
            exponents.append(ratio.clamp(min=1e-300).log() / math.log(alpha))
    every = torch.cat(exponents)
    degree = float(every.median())
    spread = float((every - degree).abs().max())
    tiny = 1e-9 if x.dtype == torch.float64 else 1e-3
    return Homogeneity(degree, spread, spread <= tiny * max(1.0, degree))


def euler_product(net: nn.Module, x: Float[Tensor, "n *d"]) -> Float[Tensor, "n *k"]:
    r"""The products :math:`\langle\theta,\nabla_\theta f(\theta;x)\rangle`, one for each output.

    One forward derivative in the direction of the parameters themselves.

    Example:
        >>> net = nn.Linear(1, 1, bias=False)
        >>> x = torch.tensor([[2.0], [3.0]])
        >>> torch.equal(euler_product(net, x), net(x).detach())
        True
    """
    theta = {k: p.detach() for k, p in net.named_parameters()}
    product: Tensor = jvp(lambda p: functional_call(net, p, (x,)), (theta,), (theta,))[1]
    return product


def margin_flow(
    net: nn.Module,
    x: Float[Tensor, "n d"],
    y: Float[Tensor, " n"],
    s: Float[Tensor, " k"],
    *,
    degree: int | float,
    loss: MarginLoss = EXPONENTIAL,
    step: float = 0.1,
) -> MarginFlow:
    r"""The flow :math:`\dot\theta=-\nabla\sum_i\ell(y_if(\theta;x_i))` from t = 1, in s = log t.

    The network starts from its parameters and is left as it was. A mean in place of the sum would
    only shift s by :math:`\log n`. The scheme is the explicit midpoint rule with steps of ``step``
    in s, shorter where a margin would jump; solvers with error control get stuck at the kinks along
    which ReLU units slide. Cost: two forward and backward passes per step.

    Example:
        >>> net = nn.Linear(1, 1, bias=False).double()
        >>> nn.init.zeros_(net.weight) is net.weight
        True
        >>> one, s = torch.ones(1, 1).double(), torch.tensor([0.0, 5.0]).double()
        >>> flow = margin_flow(net, one, one[0], s, degree=1)
        >>> round(flow.q[-1].item(), 3)  # w' = exp(-w)
        5.0

    :covers: homogeneous-margin-kkt
    :erratum: [wrong] Theorem 73 takes L(theta(t0)) < 1/n, "and thus y_i f > 0", for the logistic
        loss too; for it 1/n does not separate. With n = 1 and y f = -0.5 the loss is
        log(1 + e^0.5) = 0.974 < 1. The threshold is log(2)/n; 1/n is that of the exponential loss
        (MarginLoss.separating_mean).
    """
    check_positive("step", step)
    theta, at = parameters_to_vector(net.parameters()).detach().clone(), 0.0
    pull = _puller(net, x, y, loss)
    path, found, left = [], [], 500 + int(4 * float(s[-1]) / step)
    for goal in s.tolist():
        while at < goal:
            q, g = pull(theta, at)
            weights = (at + loss.log_pull(q)).exp().sum()
            jump = float(g.square().sum() / weights)  # of a margin in one unit of s, on average
            h = min(step, 0.5 * max(1.0, float(q.min())) / max(jump, 1e-300), goal - at)
            left -= 1
            if left < 0:
                raise InputError(f"the flow stops at s = {at:.3g}: the margins cannot all grow")
            theta = theta + h * pull(theta + 0.5 * h * g, at + 0.5 * h)[1]
            at = goal if goal - at - h < 1e-12 else at + h
        path.append(theta)
        found.append(pull(theta, at))
    return _summary(s, torch.stack(path), found, degree, loss)


Puller = Callable[[Tensor, float], tuple[Tensor, Tensor]]


def _puller(net: nn.Module, x: Tensor, y: Tensor, loss: MarginLoss) -> Puller:
    """From parameters and s to the margins and the velocity in s."""
    split = _splitter(net)

    def pull(theta: Tensor, at: float) -> tuple[Tensor, Tensor]:
        theta = theta.detach().requires_grad_()
        with torch.enable_grad():
            q = y * functional_call(net, split(theta), (x,)).reshape(len(x))
            weights = (at + loss.log_pull(q.detach())).exp()
            (g,) = torch.autograd.grad(weights @ q, theta)
        return q.detach(), g

    return pull


def _summary(
    s: Tensor,
    theta: Tensor,
    found: list[tuple[Tensor, Tensor]],
    degree: int | float,
    loss: MarginLoss,
) -> MarginFlow:
    q = torch.stack([margins for margins, _ in found])
    pulls = torch.stack([g for _, g in found])
    norm = theta.norm(dim=1)
    value = loss.value(q).sum(dim=1)
    # where the loss underflows its tail is that of the exponential loss, with inverse -log
    log_value = torch.where(value > 1e-280, value.log(), loss.log_pull(q).logsumexp(dim=1))
    inverse = [
        loss.inverse(float(v)) if v > 1e-12 else -float(log)
        for v, log in zip(value, log_value, strict=True)
    ]
    smoothed = torch.tensor(inverse).to(norm) / norm**degree
    alignment = (theta * pulls).sum(dim=1) / (norm * pulls.norm(dim=1))
    least = q.min(dim=1).values
    share = torch.softmax(loss.log_pull(q), dim=1)
    slackness = (share * (q - least[:, None])).sum(dim=1) / least
    return MarginFlow(s, theta, q, log_value, norm, smoothed, alignment, slackness)


def _splitter(net: nn.Module) -> Callable[[Tensor], dict[str, Tensor]]:
    """From the vector of all parameters to parameters by name."""
    names = [name for name, _ in net.named_parameters()]
    shapes = [p.shape for p in net.parameters()]
    sizes = [p.numel() for p in net.parameters()]

    def split(theta: Tensor) -> dict[str, Tensor]:
        parts = theta.split(sizes)
        return {k: v.reshape(n) for k, v, n in zip(names, parts, shapes, strict=True)}

    return split
