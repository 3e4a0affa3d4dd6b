r"""Adversarial training: each batch is perturbed by an attack at the current weights.

.. math:: w\leftarrow w-\frac\eta{|B|}\sum_{(x,y)\in B}\nabla_w\ell\bigl(f_w(x+\delta^*(x)),y\bigr),
   \qquad\delta^*\approx\operatorname*{argmax}_{\|\delta\|\le\epsilon}\ell(f_w(x+\delta),y).

By Danskin's theorem this is a descent direction of the adversarial risk where the maximiser is
unique and found. It is a way to value a batch, for the option ``call`` of
:func:`corollary.train.fit`; all else (order, schedules, checkpoints) stays as it is.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.4, Equation 12.14; Madry, Makelov,
    Schmidt, Tsipras and Vladu (2018), "Towards deep learning models resistant to adversarial
    attacks".
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.robustness.attack import Attack
from corollary.train.objective import Loss, compare


@dataclass(frozen=True)
class Adversarial:
    """How a batch is valued: the loss at inputs perturbed by ``attack``.

    The attack runs in evaluation mode and sees the model as it is at this step; a random start is a
    function of the run's seed and the step. With a radius of 0 this is standard training.

    Args:
        attack: Such as ``FGSM(eps)`` or ``PGD(eps, steps=7, keep="last")``.
        call: How the perturbed batch is valued.

    Example:
        >>> from corollary.theory.robustness.gradient_attacks import FGSM
        >>> from corollary.train.trainer import fit
        >>> line = nn.Linear(1, 1, bias=False).double()
        >>> x, y = torch.tensor([[2.0], [-2.0]]).double(), torch.tensor([1.0, -1.0]).double()
        >>> logistic = lambda out, y: nn.functional.softplus(-y * out[:, 0]).mean()
        >>> sgd = lambda p: torch.optim.SGD(p, lr=0.05)
        >>> call = Adversarial(FGSM(3.0, box=None))  # farther than the points: no sign is safe
        >>> _ = fit(line, (x, y), logistic, sgd, steps=200, call=call)
        >>> abs(line.weight.item()) < 0.3
        True

    :covers: adversarial-training
    """

    attack: Attack
    call: Callable[..., Any] = compare

    def __call__(self, model: nn.Module, loss: Loss, *batch: Tensor) -> Any:
        """Perturb the inputs, then value the batch."""
        if len(batch) != 2:
            raise InputError(
                f"adversarial training needs batches of inputs and labels, got {len(batch)} tensors"
            )
        x, y = batch
        if self.attack.eps == 0:
            return self.call(model, loss, x, y)
        # the loop has keyed the global generator by seed and step, so this seed is theirs too
        seed = int(torch.randint(2**62, (1,)))
        rng = torch.Generator(device=x.device).manual_seed(seed)
        return self.call(model, loss, self.attack.inputs(model, x, y, rng=rng), y)
