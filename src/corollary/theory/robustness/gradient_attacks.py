r"""White-box attacks: one gradient step, several of them, projected gradient ascent.

.. math:: \delta_{k+1}=\Pi_{\|\delta\|\le\epsilon}\bigl(\delta_k+\alpha\,s(\nabla_\delta
   \ell(f(x+\delta_k),y))\bigr),

where s takes the steepest direction of the ball (the sign for :math:`\ell_\infty`) or leaves the
gradient as it is. FGSM is one such step of length :math:`\epsilon` from :math:`\delta_0=0`: it
maximises the linearised loss, with gain :math:`\epsilon\|\nabla\ell\|_1`.

Works on any module with logits (n, k), or one score per row with labels -1 and +1. Rows that are
fooled are frozen, so only survivors cost further passes; the module is given back unchanged.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1, Equations 12.1 to 12.4;
    Goodfellow, Shlens and Szegedy (2015), "Explaining and harnessing adversarial examples";
    Kurakin, Goodfellow and Bengio (2017), "Adversarial examples in the physical world"; Madry,
    Makelov, Schmidt, Tsipras and Vladu (2018), "Towards deep learning models resistant to
    adversarial attacks"; Dong, Liao, Pang, Su, Zhu, Hu and Li (2018), "Boosting adversarial attacks
    with momentum".
:covers: adversarial-example-problem
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import torch
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.robustness.attack import (
    Box,
    Model,
    Perturbed,
    borrowed,
    check_box,
    check_inputs,
    check_target,
    clean_outputs,
    judged,
)
from corollary.theory.robustness.balls import Norm, check_ball, per_row, steepest
from corollary.theory.robustness.climbing import Ball, Climb, Keep, Objective, Start, Step
from corollary.theory.seeding import as_generator


@dataclass(frozen=True)
class PGD:
    r"""Projected gradient ascent on the loss, from random points of the ball.

    Args:
        eps: Largest size of a perturbation.
        alpha: Length of a step; 2.5 eps / steps if absent.
        steps: Gradients a start.
        norm: ``linf``, ``l2`` or ``l1``.
        restarts: Starts; those after the first go to rows that are not fooled yet.
        start: ``random`` in the ball, or ``zero`` for the input itself.
        box: Valid inputs; None if every number is valid.
        keep: ``fooled`` stops each row where it is fooled first; ``best`` makes all steps and
            returns the point of largest loss; ``last`` the end of the recursion.
        objective: ``loss`` or ``margin``.
        step: ``steepest``, or ``gradient`` for Equation 12.3 to the letter.
        momentum: Share of the directions before that a step keeps, each divided by its
            :math:`\ell_1` norm; ``IFGSM(eps, momentum=1.0)`` is MI-FGSM.

    Example:
        >>> model = torch.nn.Linear(2, 2, bias=False)
        >>> with torch.no_grad():
        ...     _ = model.weight.copy_(torch.tensor([[0.0, 0.0], [1.0, -2.0]]))
        >>> attack = PGD(0.25, steps=5, start="zero", box=None, keep="last")
        >>> attack(model, torch.tensor([[1.0, 0.0]]), torch.tensor([1])).delta.tolist()
        [[-0.25, 0.25]]

        A class that is to win, rather than any but the label, is named in the call:

        >>> x, y, target = torch.tensor([[1.0, 0.0]]), torch.tensor([1]), torch.tensor([0])
        >>> [PGD(eps, start="zero", box=None)(model, x, y, target=target).reached.item()
        ...  for eps in (0.25, 0.5)]  # 1 - 3 eps against 0
        [False, True]

    :covers: pgd-attack
    """

    eps: float | int
    _: KW_ONLY
    alpha: float | int | None = None
    steps: int = 40
    norm: Norm = "linf"
    restarts: int = 1
    start: Start = "random"
    box: Box = (0.0, 1.0)
    keep: Keep = "fooled"
    objective: Objective = "loss"
    step: Step = "steepest"
    momentum: float | int = 0.0

    def __post_init__(self) -> None:
        check_ball(self.eps, self.norm)
        check_box(self.box)
        if self.steps < 1 or self.restarts < 1:
            raise InputError(
                f"steps and restarts must be at least 1, got steps={self.steps}, "
                f"restarts={self.restarts}"
            )
        if self.alpha is not None and not self.alpha > 0:
            raise InputError(f"alpha, the length of a step, must be positive, got {self.alpha}")
        if not self.momentum >= 0 or (self.momentum > 0 and self.step == "gradient"):
            raise InputError(
                f"momentum must be >= 0, and 0 with step='gradient', got {self.momentum}"
            )
        if self.keep == "last" and self.restarts > 1:
            raise InputError(
                "keep='last' allows only one run; with restarts use keep='fooled' or 'best'"
            )

    def __call__(
        self,
        model: Model,
        x: Tensor,
        y: Tensor,
        *,
        target: Tensor | None = None,
        rng: int | Generator = 0,
    ) -> Perturbed:
        """Perturb and judge; with a ``target`` for each row, until that class is ahead."""
        check_inputs(x, y, self.box)
        with borrowed(model) as f:
            clean = clean_outputs(f, x, y)
            check_target(clean, target)
            moved = self._search(f, x, y, clean, target, as_generator(rng, x.device))
            return judged(f, x, y, moved, clean, may_return=self.keep != "last", target=target)

    def inputs(
        self,
        model: Model,
        x: Tensor,
        y: Tensor,
        *,
        target: Tensor | None = None,
        rng: int | Generator = 0,
    ) -> Tensor:
        """The perturbed inputs alone."""
        check_inputs(x, y, self.box)
        with borrowed(model) as f:
            return self._search(f, x, y, None, target, as_generator(rng, x.device)).detach()

    def _search(
        self,
        f: Model,
        x: Tensor,
        y: Tensor,
        clean: Tensor | None,
        target: Tensor | None,
        rng: Generator,
    ) -> Tensor:
        x, towards = x.detach(), target is not None
        y = y if target is None else target
        climb = Climb(
            f, self._alpha(), self.steps, self.objective, self.step, towards, self.momentum
        )
        if self.keep == "last":
            ball = self._ball(x)
            return climb.last(ball, y, ball.first(self.start, rng))
        if self.keep == "best":
            return self._best(climb, x, y, rng)
        moved = x.clone()
        rows = torch.arange(len(x), device=x.device)
        if clean is not None:
            rows = rows[~climb.hit(clean, y)]
        for _ in range(self.restarts):
            if len(rows) == 0:
                break
            ball = self._ball(x[rows])
            points, hit = climb.until_fooled(ball, y[rows], ball.first(self.start, rng))
            moved[rows] = points
            rows = rows[~hit]
        return moved

    def _best(self, climb: Climb, x: Tensor, y: Tensor, rng: Generator) -> Tensor:
        ball = self._ball(x)
        moved, value = climb.best(ball, y, ball.first(self.start, rng))
        for _ in range(self.restarts - 1):
            points, now = climb.best(ball, y, ball.first(self.start, rng))
            moved = torch.where(per_row(now > value, x), points, moved)
            value = torch.maximum(now, value)
        return moved

    def _ball(self, x: Tensor) -> Ball:
        return Ball(x, self.eps, self.norm, self.box)

    def _alpha(self) -> float:
        return 2.5 * self.eps / self.steps if self.alpha is None else self.alpha


@dataclass(frozen=True)
class FGSM:
    r"""The fast gradient sign method: :math:`\delta=\epsilon\operatorname{sign}\nabla_x\ell`.

    For another norm, the steepest direction of its ball. Exact for linear models; elsewhere it
    maximises the linearised loss. Beside the two passes it costs one look at the inputs (their box)
    and 0.2 to 0.5 ms to give the module and all random states back as they were, a tenth of the
    passes of an MLP 784-256-256-10 on 200 images. The two passes and the sign step without anything
    else ran at 1.05 and 1.11 times the speed of torchattacks there, in two runs on a busy machine.

    Example:
        >>> model = torch.nn.Linear(2, 1, bias=False)
        >>> with torch.no_grad():
        ...     _ = model.weight.copy_(torch.tensor([[1.0, -2.0]]))
        >>> FGSM(0.25, box=None).inputs(model, torch.zeros(1, 2), torch.ones(1)).tolist()
        [[-0.25, 0.25]]

    :covers: fgsm-attack
    :erratum: [loose] The notes introduce the iterated sign recursion (12.4) as the FGSM of
        Goodfellow et al.; FGSM is its single step from delta = 0 with eta = eps. Iterated, with the
        projection described after (12.3), it is I-FGSM or PGD, and stronger: the claim
        iterated_fgsm has both losses.
    """

    eps: float | int
    _: KW_ONLY
    norm: Norm = "linf"
    box: Box = (0.0, 1.0)

    def __post_init__(self) -> None:
        check_ball(self.eps, self.norm)
        check_box(self.box)

    def __call__(
        self,
        model: Model,
        x: Tensor,
        y: Tensor,
        *,
        target: Tensor | None = None,
        rng: int | Generator = 0,
    ) -> Perturbed:
        """Perturb, towards a ``target`` if there is one, and judge; a step may also lose ground."""
        check_inputs(x, y, self.box)
        with borrowed(model) as f:
            moved, clean = self._step(f, x, y, target)
            return judged(f, x, y, moved, clean, may_return=False, target=target)

    def inputs(
        self,
        model: Model,
        x: Tensor,
        y: Tensor,
        *,
        target: Tensor | None = None,
        rng: int | Generator = 0,
    ) -> Tensor:
        """The perturbed inputs alone."""
        check_inputs(x, y, self.box)
        with borrowed(model) as f:
            return self._step(f, x, y, target)[0]

    def _step(self, f: Model, x: Tensor, y: Tensor, target: Tensor | None) -> tuple[Tensor, Tensor]:
        """The perturbed inputs, and the outputs at the original inputs."""
        climb = Climb(f, self.eps, 1, "loss", "steepest", towards=target is not None)
        z, out = climb.forward(x, y)
        check_target(out.detach(), target)
        slope = climb.slope(z, out, y if target is None else target)
        moved = torch.add(x.detach(), steepest(slope, self.norm), alpha=self.eps)
        return moved if self.box is None else moved.clamp_(*self.box), out.detach()


def IFGSM(
    eps: float | int, alpha: float | int | None = None, steps: int = 10, **options: Any
) -> PGD:
    """Iterated sign steps from the input itself, clipped to the ball: PGD with start ``zero``.

    Example:
        >>> IFGSM(0.1, 0.02, 10).start
        'zero'

    :covers: fgsm-attack
    """
    return PGD(eps, alpha=alpha, steps=steps, start="zero", **options)
