"""The training loss of a subject as a function of its parameters."""

from typing import Any, Literal

from torch import Tensor

from corollary.core import Subject
from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature import Landscape


def landscape_of(subject: Subject, n: int, *, train: bool = False) -> Landscape:
    """The subject's training loss on at most ``n`` samples, as a function of its parameters.

    With ``train`` layers act as in training: batch norm takes the batch's statistics.
    """
    batch = subject.labelled(n)
    need_real_parameters(subject)

    def loss(raw: Any, target: Any) -> Tensor:
        return subject.loss_of_raw(raw, target)

    inputs: Any = batch.named if batch.named else batch.inputs
    mode: Literal["train", "eval"] = "train" if train else "eval"
    return Landscape(subject.model, loss, (inputs, batch.target), mode=mode, seed=subject.seed)


def need_real_parameters(subject: Subject) -> None:
    """Refuse a module without trainable parameters, or with complex ones."""
    if not subject.parameters():
        raise NotApplicableError("the module has no trainable parameters")
    if any(p.is_complex() for p in subject.parameters().values()):
        raise NotApplicableError("expected real parameters, got complex ones")
