"""Train a subject: split the data, choose a learning rate, train, measure.

Without a learning rate of the user's, gradient descent takes half the largest stable one at the
start, so the curvature may double before the run becomes unstable; with momentum it is
smaller by what momentum adds up to.

Under ``torchrun`` all processes do this, and train together; see :mod:`corollary.train.parallel`.
"""

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import SGD, Adam, AdamW, Optimizer

from corollary.core import Batch, Figure, Subject
from corollary.core.default_losses import suited_loss
from corollary.data.disk import replacing
from corollary.errors import (
    CorollaryError,
    InputError,
    NotApplicableError,
    ResultsFileError,
    one_line,
)
from corollary.theory.landscape.curvature import largest_stable_step
from corollary.train.checkpoint import Checkpoint
from corollary.train.history import History
from corollary.train.loss_landscape import landscape_of
from corollary.train.scores import Score, finite, score
from corollary.train.team import Sharding, told_by_first
from corollary.train.trainer import fit

OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {"sgd": SGD, "adam": Adam, "adamw": AdamW}
ADAPTIVE = 1e-3  # torch's own default for Adam, whose steps do not depend on the loss's scale
MEASURED = 512  # samples of which the curvature is measured
INTERRUPTED = "it was interrupted"


@dataclass(frozen=True)
class Training:
    """The result of a run."""

    subject: dict[str, Any]
    optimizer: str
    lr: float
    stable: float | None  # the largest stable step at the start, where it was measured
    history: History
    learned: Score
    held_out: Score | None
    interrupted: bool

    @property
    def worse(self) -> bool:
        """Whether the loss is not even what it was at the start."""
        return self.history.diverged or not self.learned.loss <= self.history.losses[0]

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
            "largest_stable_step": self.stable,
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
        sharding: How several processes share the run, ``ddp`` or ``fsdp2``.
    """
    if optimizer not in OPTIMIZERS:
        known = ", ".join(OPTIMIZERS)
        raise InputError(f"expected --optimizer to be one of {known}, got '{optimizer}'")
    learn, rest = _split(subject, held_out)
    stable = _stable_step(subject) if optimizer == "sgd" and not subject.lr else None
    stable = told_by_first(stable)  # curvature is rounded differently on different processors
    lr = subject.lr or (ADAPTIVE if stable is None else (1 - momentum) * stable / 2)
    told(_beginning(subject, learn, rest, lr, stable))
    named = {"momentum": momentum} if optimizer == "sgd" else {}
    with _asked_to_stop() as asked:
        history = fit(
            subject.model,
            _columns(learn),
            _loss_itself(subject, learn),
            lambda parameters: OPTIMIZERS[optimizer](
                parameters, lr=lr, weight_decay=weight_decay, **named
            ),
            steps=steps,
            epochs=epochs,
            batch_size=subject.batch_size,
            rng=subject.seed,
            callbacks=[lambda loop: INTERRUPTED if asked() else None],
            clip=clip,
            call=_loss_of(subject, learn),
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
        stable,
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
            "smaller fraction, or 0"
        )
    return batch.slice(order[count:]), batch.slice(order[:count]) if count else None


def _stable_step(subject: Subject) -> float | None:
    """The largest stable step of gradient descent at the start, if there is one."""
    try:
        with subject.borrowed():
            landscape = landscape_of(subject, MEASURED)
            found = largest_stable_step(landscape, rng=subject.rng("step size"))
    except (CorollaryError, RuntimeError) as error:  # such as a layer without second derivatives
        why = str(error).splitlines()[0]
        raise InputError(
            f"a learning rate could not be chosen for {subject.name} ({why}); pass one with --lr"
        ) from None
    return found.step.value if found.step.value < float("inf") else None


def _beginning(
    subject: Subject, learn: Batch, rest: Batch | None, lr: float, stable: float | None
) -> str:
    numbers = sum(p.numel() for p in subject.parameters().values())
    kept = "" if rest is None else f", {rest.size:,} held out"
    reason = "" if stable is None else f" (without momentum {stable:.3g} is the largest stable one)"
    return (
        f"{subject.name}, {numbers:,} parameters; {learn.size:,} training samples{kept}; "
        f"learning rate {lr:.3g}{reason}"
    )


def _columns(batch: Batch) -> tuple[Tensor, ...]:
    columns = tuple(batch.tensors())
    return columns if batch.target is None else (*columns, batch.target)


def _loss_of(subject: Subject, like: Batch) -> Callable[..., Any]:
    """How the loop values a piece of the columns: with them back in their places."""

    def call(model: nn.Module, loss: Any, *columns: Tensor) -> Any:
        last = len(columns) - (like.target is not None)
        batch = like.with_inputs(*columns[:last])
        target = columns[last] if last < len(columns) else None
        return subject.loss_of_raw(model(*batch.inputs, **batch.named), target)

    return call


def _loss_itself(subject: Subject, batch: Batch) -> Any:
    """The loss that is used, from which the loop knows what its means are divided by."""
    few = batch.slice(slice(0, 2))
    with subject.borrowed(), torch.no_grad():
        raw = subject.call(few)
    if isinstance(raw, Mapping) and "loss" in raw and subject._loss is None:
        return subject.loss_of  # the model's own: taken as a mean over rows
    try:
        return subject._loss or suited_loss(subject.pick(raw), few.target)
    except NotApplicableError:
        return subject.loss_of


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
