"""What several exams look at: the loss landscape of a subject, and the passage of its signals."""

from typing import Any

from torch import Tensor, nn

from corollary.core import Subject
from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature import Landscape
from corollary.theory.landscape.signal import Signal, measured_signal, random_projection


def landscape_of(subject: Subject, n: int) -> Landscape:
    """The subject's training loss on at most ``n`` samples, as a function of its parameters."""
    batch = subject.labelled(n)
    if not subject.parameters():
        raise NotApplicableError("the module has no trainable parameters")
    if any(p.is_complex() for p in subject.parameters().values()):
        raise NotApplicableError("the parameters are complex, and the Hessian is for real ones")

    def loss(raw: Any, target: Any) -> Tensor:
        return subject.loss_of_raw(raw, target)

    inputs: Any = batch.named if batch.named else batch.inputs
    return Landscape(subject.model, loss, (inputs, batch.target), seed=subject.seed)


def signal_of(subject: Subject, model: nn.Module, n: int) -> Signal:
    """The passage of signals and gradients on at most ``n`` samples.

    The loss is differentiated where there is one, else a random projection of the output.
    """
    batch = subject.data(n)

    def scalar() -> Tensor:
        raw = subject.call(batch)
        if batch.target is None and "labels" not in batch.named:
            return random_projection(subject.pick(raw), rng=subject.rng("projection"))
        return subject.loss_of_raw(raw, batch.target)

    return measured_signal(model, scalar)
