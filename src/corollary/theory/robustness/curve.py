r"""Robust accuracy at several radii, for little more than the price of the largest.

Balls of growing radius lie in one another, so a row that fell at a small radius has fallen at every
larger one: only survivors are attacked again, and the accuracies cannot rise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.robustness.attack import Attack, Model
from corollary.theory.seeding import as_generator
from corollary.theory.wording import percent


@dataclass(frozen=True)
class RobustCurve:
    """Who fell at which radius."""

    radii: tuple[float, ...]  # growing
    fell_at: Float[Tensor, " n"]  # 0 where wrong as it came, infinite where nothing was found
    x: Float[Tensor, "n *s"]  # perturbed inputs; rows wrong from the start as they came

    def __repr__(self) -> str:
        rows = zip((0.0, *self.radii), (self.accuracy, *self.robust_accuracies), strict=True)
        return "radius    accuracy\n" + "\n".join(f"{r:<10.4g}{percent(a)}" for r, a in rows)

    @property
    def accuracy(self) -> float:
        """Share of rows that were right before."""
        return float((self.fell_at > 0).cpu().double().mean())

    @property
    def robust_accuracies(self) -> list[float]:
        """Share of rows that stand at each radius: upper bounds on the true ones."""
        return [float((self.fell_at > radius).cpu().double().mean()) for radius in self.radii]


def robust_curve(
    attack_at: Callable[[float], Attack],
    model: Model,
    x: Float[Tensor, "n *s"],
    y: Tensor,
    radii: Sequence[float | int],
    *,
    rng: int | Generator = 0,
) -> RobustCurve:
    """Attack at growing radii, at each only what has stood so far.

    Args:
        attack_at: The attack at a radius: ``PGD``, or ``partial(PGD, steps=20)``.
        model: From inputs to logits, or to one score per row.
        x: Inputs.
        y: Their labels.
        radii: Above 0 and growing.
        rng: For attacks that draw.

    Example:
        >>> from corollary.theory.robustness.gradient_attacks import FGSM
        >>> line = torch.nn.Linear(2, 1, bias=False)
        >>> _ = torch.nn.init.ones_(line.weight)
        >>> x, y = torch.tensor([[0.5, 0.5], [0.25, 0.25]]), torch.tensor([1.0, 1.0])
        >>> curve = robust_curve(FGSM, line, x, y, [0.1, 0.3, 0.6])  # they fall at 0.5, at 0.25
        >>> curve.robust_accuracies
        [1.0, 0.5, 0.0]
    """
    radii = tuple(float(radius) for radius in radii)
    if not radii or radii[0] <= 0 or any(a >= b for a, b in zip(radii, radii[1:], strict=False)):
        raise InputError(f"radii must be above 0 and growing, got {radii}")
    fell_at, moved = x.new_full((len(x),), torch.inf), x.detach().clone()
    rows, rng = torch.arange(len(x), device=x.device), as_generator(rng, x.device)
    for radius in radii:
        found = attack_at(radius)(model, x[rows], y[rows], rng=rng)
        was, now = found.clean_fooled, found.fooled & ~found.clean_fooled
        fell_at[rows[now]], fell_at[rows[was]] = radius, 0.0
        moved[rows[~was]] = found.x[~was]
        rows = rows[~was & ~now]
        if len(rows) == 0:
            break
    return RobustCurve(radii, fell_at, moved)
