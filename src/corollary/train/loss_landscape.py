"""The training loss of a subject as a function of its parameters."""

from typing import Any

from torch import Tensor

from corollary.core import Subject
from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature import Landscape


def landscape_of(subject: Subject, n: int) -> Landscape:
    """The subject's training loss on at most ``n`` samples, as a function of its parameters."""
    batch = subject.labelled(n)
    need_real_parameters(subject)

    def loss(raw: Any, target: Any) -> Tensor:
        return subject.loss_of_raw(raw, target)

    inputs: Any = batch.named if batch.named else batch.inputs
    return Landscape(subject.model, loss, (inputs, batch.target), seed=subject.seed)


def need_real_parameters(subject: Subject) -> None:
    """Refuse a module without trainable parameters, or with complex ones."""
    if not subject.parameters():
        raise NotApplicableError("the module has no trainable parameters")
    if any(p.is_complex() for p in subject.parameters().values()):
        raise NotApplicableError("the parameters are complex, and this is for real ones")
