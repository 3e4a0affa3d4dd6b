r"""Adversarial risk: the expected loss when every input is perturbed as badly as it can be.

.. math:: R_{\mathrm{adv}}=\mathbb E\max_{\delta\in\Delta(x)}\ell(f(x+\delta),y)\ \ge\
   R=\mathbb E\,\ell(f(x),y),\qquad
   \hat R_{\mathrm{adv}}=\frac1{|S|}\sum_{(x,y)\in S}\max_{\delta\in\Delta(x)}\ell(f(x+\delta),y).

An attack gives a lower bound on the maximum, so its risk is a lower bound on the empirical
adversarial risk; linear models have it exactly.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.4, Equations 12.10 to 12.13.
"""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.robustness.attack import Attack, Model
from corollary.theory.robustness.balls import Norm
from corollary.theory.robustness.linear import worst_logistic_loss
from corollary.theory.seeding import as_generator
from corollary.theory.wording import percent


@dataclass(frozen=True)
class AdversarialRisk:
    """Mean losses and counts over a sample, with and without the attack."""

    clean: float  # mean loss
    adversarial: float  # mean loss under the attack: at most the true maximum
    right: int  # rows classified as labelled
    robust: int  # rows that the attack did not fool: at least the true number
    trials: int  # rows

    def __repr__(self) -> str:
        return (
            f"{self.trials} inputs: accuracy {percent(self.accuracy)} before and "
            f"{percent(self.robust_accuracy)} under attack, loss {self.clean:.4g} before and "
            f"{self.adversarial:.4g} under attack"
        )

    @property
    def accuracy(self) -> float:
        """Share of rows that are right."""
        return self.right / self.trials

    @property
    def robust_accuracy(self) -> float:
        """Share of rows that the attack did not fool."""
        return self.robust / self.trials


def adversarial_risk(
    model: Model,
    x: Float[Tensor, "n *s"],
    y: Tensor,
    attack: Attack,
    *,
    batch_size: int = 1024,
    rng: int | Generator = 0,
) -> AdversarialRisk:
    """The empirical risk with and without an attack, in batches.

    For the risk take attacks with ``keep='best'``; with ``keep='fooled'`` rows stop at their first
    flip, which gives the same robust accuracy sooner and a smaller loss.

    Example:
        >>> import torch
        >>> from corollary.theory.robustness.gradient_attacks import FGSM
        >>> model = torch.nn.Linear(1, 1, bias=False)
        >>> with torch.no_grad():
        ...     _ = model.weight.copy_(torch.tensor([[1.0]]))
        >>> x, y = torch.tensor([[1.0], [-3.0]]), torch.tensor([1.0, -1.0])
        >>> adversarial_risk(model, x, y, FGSM(2.0, box=None)).robust_accuracy
        0.5

    :covers: adversarial-risk
    """
    if batch_size < 1:
        raise InputError(f"batch_size must be at least 1, got {batch_size}")
    rng, clean, adversarial = as_generator(rng, x.device), 0.0, 0.0
    right = robust = 0
    for some, labels in zip(x.split(batch_size), y.split(batch_size), strict=True):
        found = attack(model, some, labels, rng=rng)
        clean += float(found.clean_loss.cpu().double().sum())
        adversarial += float(found.loss.cpu().double().sum())
        right += int((~found.clean_fooled).sum())
        robust += int((~found.fooled).sum())
    n = len(x)
    return AdversarialRisk(clean / n, adversarial / n, right, robust, n)


def linear_adversarial_risk(
    w: Float[Tensor, " d"],
    x: Float[Tensor, "n d"],
    y: Float[Tensor, " n"],
    eps: float | int,
    norm: Norm = "linf",
) -> float:
    r"""The exact mean of log(1 + exp(-(y <w, x> - eps ||w||_*))).

    Example:
        >>> import torch
        >>> w, x, y = torch.tensor([1.0]), torch.tensor([[1.0]]), torch.ones(1)
        >>> round(linear_adversarial_risk(w, x, y, 1.0), 4)  # log 2
        0.6931

    :covers: adversarial-risk
    """
    return float(worst_logistic_loss(w, x, y, eps, norm).cpu().double().mean())
