"""The learning rate of a subject: its module, its samples and its loss."""

from corollary.core import Batch, Subject
from corollary.errors import CorollaryError
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.train.learning_rate.finder import ROWS, find_learning_rate
from corollary.train.learning_rate.result import LearningRate
from corollary.train.loss_landscape import landscape_of
from corollary.train.preparation import MakeOptimizer
from corollary.train.subject_columns import columns, loss_itself, loss_of


def chosen_rate(
    subject: Subject, learn: Batch, make: MakeOptimizer, steps: int, clip: float | None
) -> LearningRate:
    """The learning rate for a run of so many steps on the samples to learn from."""
    return find_learning_rate(
        subject.model,
        columns(learn),
        loss_itself(subject, learn),
        make,
        steps=steps,
        batch_size=subject.batch_size,
        rng=subject.seed,
        call=loss_of(subject, learn),
        clip=clip,
        landscape=_landscape(subject),
    )


def _landscape(subject: Subject) -> Landscape | None:
    try:
        return landscape_of(subject, ROWS, train=True)
    except CorollaryError:  # without curvature, the search begins at a small relative change
        return None
