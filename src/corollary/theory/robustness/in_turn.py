"""Attacks one after another, each on the rows that the ones before could not fool.

:source: Croce and Hein (2020), "Reliable evaluation of adversarial robustness with an ensemble of
    diverse parameter-free attacks", Section 5.
"""

from dataclasses import dataclass, replace

from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.robustness.attack import Attack, Box, Model, Perturbed
from corollary.theory.robustness.auto_pgd import APGD
from corollary.theory.robustness.balls import Norm
from corollary.theory.robustness.black_box import BlackBoxAttack
from corollary.theory.robustness.fab import FAB
from corollary.theory.seeding import as_generator


@dataclass(frozen=True)
class InTurn:
    """Several attacks on the same ball; a row is fooled when one of them fools it.

    Rows that withstand all of them keep the perturbation with the largest loss.

    Args:
        attacks: In the order of their turns, the cheapest first.

    Example:
        >>> import torch
        >>> from corollary.theory.robustness.gradient_attacks import FGSM, PGD
        >>> attack = InTurn((FGSM(0.1), PGD(0.1, start="zero")))
        >>> line = torch.nn.Linear(2, 1, bias=False)
        >>> _ = torch.nn.init.ones_(line.weight)
        >>> x, y = torch.tensor([[0.5, 0.5], [0.1, 0.0]]), torch.tensor([1.0, 1.0])
        >>> attack(line, x, y).fooled.tolist()  # 1.0 - 0.2 is above zero, 0.1 - 0.1 is not
        [False, True]
    """

    attacks: tuple[Attack, ...]

    def __post_init__(self) -> None:
        balls = {(attack.eps, attack.norm) for attack in self.attacks}
        if len(balls) != 1:
            raise InputError(
                f"attacks in turn must share one ball, but the {len(self.attacks)} attacks "
                f"have {sorted(balls)}"
            )

    @property
    def eps(self) -> float | int:
        """Largest size of a perturbation."""
        return self.attacks[0].eps

    @property
    def norm(self) -> Norm:
        """In which it is measured."""
        return self.attacks[0].norm

    def __call__(
        self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0
    ) -> Perturbed:
        """Attack in turn; queries are no longer counted."""
        first, *others = self.attacks
        rng = as_generator(rng, x.device)
        found = replace(first(model, x, y, rng=rng), queries=None)
        for attack in others:
            rows = (~found.fooled).nonzero()[:, 0]
            if len(rows) == 0:
                break
            found = _merged(found, rows, attack(model, x[rows], y[rows], rng=rng))
        return found

    def inputs(self, model: Model, x: Tensor, y: Tensor, *, rng: int | Generator = 0) -> Tensor:
        """The perturbed inputs alone."""
        return self(model, x, y, rng=rng).x


def AutoAttack(
    eps: float | int,
    *,
    norm: Norm = "linf",
    steps: int = 100,
    rivals: int = 9,
    queries: int = 5000,
    box: Box = (0.0, 1.0),
) -> InTurn:
    """APGD on the loss, then past each of nine rival classes, FAB past each, then random squares.

    Each attack sees only what the ones before it left standing. A row that stands to the end costs
    (1 + 3 rivals) steps + queries passes forward and (1 + 2 rivals) steps back.

    Args:
        eps: Largest size of a perturbation.
        norm: ``linf`` or ``l2``.
        steps: Gradients a run of APGD and of FAB.
        rivals: Classes to run towards.
        queries: Outputs the squares may ask for, a row; below 2 leaves them out.
        box: Valid inputs; None if every number is valid.

    Example:
        >>> [type(attack).__name__ for attack in AutoAttack(8 / 255).attacks]
        ['APGD', 'APGD', 'FAB', 'BlackBoxAttack']
    """
    attacks: list[Attack] = [
        APGD(eps, norm=norm, steps=steps, box=box),
        APGD(eps, norm=norm, steps=steps, rivals=rivals, box=box),
        FAB(eps, norm=norm, steps=steps, rivals=rivals, box=box),
    ]
    if queries >= 2:
        attacks.append(BlackBoxAttack(eps, norm=norm, queries=queries, box=box))
    return InTurn(tuple(attacks))


def _merged(found: Perturbed, rows: Tensor, now: Perturbed) -> Perturbed:
    """What was found, with the rows on which the new attack did better."""
    better = now.fooled | (now.loss > found.loss[rows])
    place = rows[better]
    parts = {name: getattr(found, name).clone() for name in ("x", "delta", "loss", "fooled")}
    for name, part in parts.items():
        part[place] = getattr(now, name)[better]
    return replace(found, **parts)
