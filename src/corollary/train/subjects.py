"""Train a subject: split the data, choose a learning rate, train, measure.

Without a learning rate of the user's, one is found by short runs, for every optimizer; see
:mod:`corollary.train.learning_rate.finder`.

Under ``torchrun`` all processes do this, and train together; see :mod:`corollary.train.parallel`.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW, Optimizer

from corollary.core import Batch, Figure, Subject
from corollary.data.disk import replacing
from corollary.errors import (
    InputError,
    ResultsFileError,
    one_line,
)
from corollary.train.checkpoint import Checkpoint, saved_rate
from corollary.train.history import History
from corollary.train.learning_rate.of_subject import chosen_rate
from corollary.train.learning_rate.result import LearningRate
from corollary.train.learning_rate.trials import with_rate
from corollary.train.preparation import MakeOptimizer
from corollary.train.scores import Score, finite, score
from corollary.train.subject_columns import columns, loss_itself, loss_of
from corollary.train.team import Sharding, told_by_first
from corollary.train.trainer import fit

OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {"sgd": SGD, "adam": Adam, "adamw": AdamW}
INTERRUPTED = "the run was interrupted"


@dataclass(frozen=True)
class Training:
    """The result of a run."""

    subject: dict[str, Any]
    optimizer: str
    lr: float
    search: LearningRate | None  # how the learning rate was found, unless it was given
    history: History
    learned: Score
    held_out: Score | None
    interrupted: bool

    @property
    def worse(self) -> bool:
        """Whether the loss is not even what it was at the start."""
        return self.history.diverged or not self.learned.loss <= self.history.losses[0]

    @property
    def _stable(self) -> float | None:
        if self.search is None or self.search.stable is None:
            return None
        return self.search.stable.value

    @property
    def figure(self) -> Figure:
        """The loss over the steps."""
        return self.history.figure(f"Training of {self.subject['module']}")

    def to_json(self) -> dict[str, Any]:
        """Plain data, with the loss of every step; what is not finite is null."""
        return {
            "subject": self.subject,
            "optimizer": self.optimizer,
            "lr": self.lr,
            "largest_stable_step": self._stable,
            "lr_range": None if self.search is None else [self.search.low, self.search.high],
            "steps": self.history.steps,
            "epochs": self.history.epochs,
            "stopped": self.history.stopped,
            "diverged": self.history.diverged,
            "learned": self.learned.to_json(),
            "held_out": None if self.held_out is None else self.held_out.to_json(),
            "losses": list(map(finite, self.history.losses)),
        }


def train_subject(
    subject: Subject,
    *,
    optimizer: str = "sgd",
    momentum: float = 0.0,
    weight_decay: float = 0.0,
    steps: int | None = None,
    epochs: int | None = None,
    clip: float | None = None,
    held_out: float = 0.2,
    checkpoint: Checkpoint | None = None,
    progress: bool = False,
    told: Callable[[str], None] = lambda sentence: None,
    within: Callable[[], AbstractContextManager[object]] = nullcontext,
    sharding: Sharding = "ddp",
) -> Training:
    """Train the module of a subject, with its loss, learning rate and batch size.

    Args:
        subject: The module and its data, all of it.
        optimizer: ``sgd``, ``adam`` or ``adamw``.
        momentum: Of sgd.
        weight_decay: As torch's optimizers take it.
        steps: Updates; or
        epochs: Passes over the data.
        clip: Largest length of the gradient.
        held_out: Share of the samples that are kept from training.
        checkpoint: Where to save the run, and whether to go on with it.
        progress: Show a bar on standard error.
        told: Is given a sentence before training begins.
        within: A context for the run, without the search for a learning rate.
        sharding: How several processes share the run, ``ddp`` or ``fsdp2``.
    """
    if optimizer not in OPTIMIZERS:
        known = ", ".join(OPTIMIZERS)
        raise InputError(f"expected --optimizer to be one of {known}, got '{optimizer}'")
    learn, rest = _split(subject, held_out)
    make = _optimizer(optimizer, momentum, weight_decay)
    lr, found = subject.lr or told_by_first(saved_rate(checkpoint)), None
    if lr is None:
        told("Searching for a learning rate with short runs.")
        planned = steps or (epochs or 1) * -(-learn.size // (subject.batch_size or learn.size))
        found = chosen_rate(subject, learn, make, planned, clip)
        lr = told_by_first(found.rate)  # curvature is rounded differently on other processors
    told(_beginning(subject, learn, rest, lr, found))
    with _asked_to_stop() as asked, within():
        history = fit(
            subject.model,
            columns(learn),
            loss_itself(subject, learn),
            with_rate(make, lr),
            steps=steps,
            epochs=epochs,
            batch_size=subject.batch_size,
            rng=subject.seed,
            callbacks=[lambda loop: INTERRUPTED if asked() else None],
            clip=clip,
            call=loss_of(subject, learn),
            on_nan="stop",
            checkpoint=checkpoint,
            progress=progress,
            sharding=sharding,
        )
        interrupted = asked() or history.stopped.endswith(INTERRUPTED)
    return Training(
        subject.describe(),
        optimizer,
        lr,
        found,
        history,
        score(subject, learn),
        None if rest is None else score(subject, rest),
        interrupted,
    )


def save_weights(model: nn.Module, path: Path) -> None:
    """The parameters and buffers by name, as ``load_state_dict`` takes them; shared ones once."""
    from safetensors import SafetensorError
    from safetensors.torch import save_model

    try:
        with replacing(path) as draft:
            save_model(model, str(draft))
    except (OSError, SafetensorError) as error:
        raise ResultsFileError(f"{path} cannot be written ({one_line(str(error))})") from None


def _split(subject: Subject, share: float) -> tuple[Batch, Batch | None]:
    """Samples to learn from and samples that are held out, in an order that the seed decides."""
    if subject.batch is None:
        raise InputError("training needs data; pass --data")
    batch = subject.labelled()
    order = torch.randperm(batch.size, generator=subject.rng("held out"))
    count = round(share * batch.size)
    if count >= batch.size:
        raise InputError(
            f"--held-out {share:g} leaves none of the {batch.size} samples for training; use a "
            "smaller fraction for --held-out, or 0"
        )
    return batch.slice(order[count:]), batch.slice(order[:count]) if count else None


def _optimizer(name: str, momentum: float, weight_decay: float) -> MakeOptimizer:
    named = {"momentum": momentum} if name == "sgd" else {}
    make = OPTIMIZERS[name]
    return lambda parameters: make(parameters, lr=1.0, weight_decay=weight_decay, **named)


def _beginning(
    subject: Subject, learn: Batch, rest: Batch | None, lr: float, found: LearningRate | None
) -> str:
    numbers = sum(p.numel() for p in subject.parameters().values())
    kept = "" if rest is None else f", {rest.size:,} held out"
    reason = ""
    if found is not None:
        reason = f", found in {found.steps:,} trial steps"
        if found.stable is not None:
            reason += f" (largest stable at the start: {found.stable.value:.3g})"
    return (
        f"{subject.name}, {numbers:,} parameters; {learn.size:,} training samples{kept}; "
        f"learning rate {lr:.3g}{reason}"
    )


@contextmanager
def _asked_to_stop() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C or a request to end was received: the step ends, and all is kept.

    A second Ctrl-C stops at once.
    """
    asked: list[int] = []

    def note(number: int, frame: Any) -> None:
        asked.append(number)
        if number == signal.SIGINT:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    before = [(number, signal.signal(number, note)) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before:
            signal.signal(number, handler)
