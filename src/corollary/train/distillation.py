"""Train a student on what a teacher says, with or without labels.

:source: Perez Jensen (2025), Deep Learning, Section 8.9; Hinton, Vinyals and Dean (2015),
    "Distilling the knowledge in a neural network".
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from corollary.errors import InputError, InputTypeError
from corollary.train.batches import Data
from corollary.train.history import History
from corollary.train.losses.distillation import DistillationLoss
from corollary.train.preparation import MakeOptimizer, modes_kept
from corollary.train.trainer import fit


def distill(
    teacher: nn.Module,
    student: nn.Module,
    data: Data,
    optimizer: Optimizer | MakeOptimizer,
    *,
    T: float = 2.0,
    alpha: float = 1.0,
    **options: Any,
) -> History:
    """Fit ``student`` to the softened outputs of ``teacher``.

    Args:
        teacher: Gives logits (n, k); used in evaluation mode, never changed.
        student: Gives logits of the same shape.
        data: Inputs alone, or inputs and labels; labels are needed, and used, for ``alpha < 1``.
        optimizer: Of the student's parameters, as for :func:`fit`.
        T: Temperature.
        alpha: Weight of the teacher against the labels.
        options: All other options of :func:`fit`: ``steps``, ``batch_size``, ``callbacks``, ...

    Example:
        >>> x = torch.randn(64, 3, generator=torch.Generator().manual_seed(0))
        >>> teacher, student = nn.Linear(3, 4), nn.Linear(3, 4)
        >>> adam = lambda p: torch.optim.Adam(p, lr=0.1)
        >>> _ = distill(teacher, student, x, adam, steps=300)
        >>> same = teacher(x).argmax(dim=1) == student(x).argmax(dim=1)
        >>> bool(same.float().mean() > 0.95)
        True

    :covers: knowledge-distillation
    :test: tests/train/test_distillation.py
    """
    if not isinstance(teacher, nn.Module):
        raise InputTypeError(f"the teacher must be an nn.Module, got {type(teacher).__name__}")
    if "call" in options:
        raise InputError("distill computes the loss of a batch itself; omit the argument `call`")
    loss = DistillationLoss(T, alpha)

    def call(model: nn.Module, loss: DistillationLoss, *batch: Tensor) -> Tensor:
        inputs = batch[:-1] if len(batch) > 1 else batch
        with torch.no_grad():
            F = teacher(*inputs)
        y = batch[-1] if len(batch) > 1 and alpha < 1 else None
        value: Tensor = loss(model(*inputs), F, y)
        return value

    with modes_kept(teacher):
        teacher.eval()
        return fit(student, data, loss, optimizer, call=call, **options)
