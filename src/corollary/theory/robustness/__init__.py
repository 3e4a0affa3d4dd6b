"""Robustness: attacks, certificates, and what theory says of both.

The attacks can be had from here; certificates are in
:mod:`corollary.theory.robustness.certificates`.

Example:
    >>> import torch
    >>> line = torch.nn.Linear(2, 1, bias=False)
    >>> _ = torch.nn.init.ones_(line.weight)
    >>> x, y = torch.tensor([[0.5, 0.5], [0.1, 0.0]]), torch.tensor([1.0, 1.0])
    >>> FGSM(0.1)(line, x, y).robust_accuracy  # 1.0 - 0.2 is above zero, 0.1 - 0.1 is not
    0.5
"""

from corollary.theory.robustness.attack import Attack, Perturbed
from corollary.theory.robustness.auto_pgd import APGD
from corollary.theory.robustness.black_box import BlackBoxAttack
from corollary.theory.robustness.carlini_wagner import CarliniWagner
from corollary.theory.robustness.curve import RobustCurve, robust_curve
from corollary.theory.robustness.fab import FAB
from corollary.theory.robustness.flip import DeepFool, flip_distance
from corollary.theory.robustness.gradient_attacks import FGSM, IFGSM, PGD
from corollary.theory.robustness.in_turn import AutoAttack, InTurn
from corollary.theory.robustness.minimum_norm import FMN

__all__ = [
    "APGD",
    "FAB",
    "FGSM",
    "FMN",
    "IFGSM",
    "PGD",
    "Attack",
    "AutoAttack",
    "BlackBoxAttack",
    "CarliniWagner",
    "DeepFool",
    "InTurn",
    "Perturbed",
    "RobustCurve",
    "flip_distance",
    "robust_curve",
]
