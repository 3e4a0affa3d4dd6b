"""Train a model: the one loop that claims, exams and users share."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, nullcontext
from typing import Any, Literal

from torch import Generator, nn
from torch.optim import Optimizer

from corollary.core.progress import progress_bar
from corollary.errors import CorollaryError, InputError, InputTypeError, NotFiniteError
from corollary.train.batches import Data
from corollary.train.callbacks import Listeners
from corollary.train.checkpoint import Checkpoint
from corollary.train.history import History, Record
from corollary.train.loop import Loop, Schedule
from corollary.train.objective import Loss, compare
from corollary.train.preparation import MakeOptimizer
from corollary.train.team import Sharding, losses_told


def fit(
    model: nn.Module,
    data: Data,
    loss: Loss,
    optimizer: Optimizer | MakeOptimizer,
    *,
    steps: int | None = None,
    epochs: int | None = None,
    batch_size: int | None = None,
    rng: int | Generator = 0,
    callbacks: Iterable[Any] = (),
    schedule: Schedule | None = None,
    clip: float | None = None,
    accumulate: int = 1,
    call: Callable[..., Any] = compare,
    on_nan: Literal["raise", "stop"] = "raise",
    train_mode: bool = True,
    checkpoint: Checkpoint | None = None,
    progress: bool = False,
    sharding: Sharding = "ddp",
) -> History:
    """Train ``model`` in place and return what happened.

    The run is a pure function of its arguments: the order of the data depends on (seed, epoch,
    step), dropout noise on (seed, step), and no global state (generators, threads, default dtype)
    is read or changed. Every layer is given back in the mode it was in.

    Args:
        model: Any module with a trainable parameter.
        data: Tensors with one first axis, the last being the target (``(x, y)``, or several
            inputs and a target, or a single tensor without target), kept in memory; or a
            DataLoader that gives such tuples.
        loss: ``loss(output, target)``, a scalar mean or a pair (sum, count).
        optimizer: A torch optimizer, or a function from the trainable parameters to one.
        steps: Updates of the whole run, those before a resumption included.
        epochs: Passes over the data of the whole run; exactly one of ``steps``, ``epochs``.
        batch_size: Rows of a batch; ``None`` takes all of them in every step.
        rng: The seed, or a generator from which it is drawn.
        callbacks: Objects with ``on_step(loop)``, ``on_epoch(loop)`` or ``on_end(loop)``, or
            functions of the loop, called after each step; one that returns a reason (or True) ends
            the run.
        schedule: A function from the step to a factor of the learning rate, or a torch scheduler.
        clip: Largest length of the gradient of all parameters together.
        accumulate: Pieces in which a batch is computed, to save memory. The update is the same,
            sum over count, unless layers look at the whole batch as BatchNorm does. A loss whose
            mean does not divide by rows (or is torch's cross entropy) returns (sum, count).
        call: How a batch is valued, ``call(model, loss, *batch)``; for adversarial examples,
            mixup and the like.
        on_nan: Whether a value that is not finite raises :class:`NotFiniteError` (with the
            ``history`` so far) or ends the run. Either way layer and step are named.
        train_mode: False leaves all layers in the modes they were in.
        checkpoint: Where and how often to save, and whether to resume.
        progress: Show a bar on standard error.
        sharding: How several processes share the run, where
            :func:`torch.distributed.init_process_group` has been called: ``"ddp"``, each has all
            parameters; ``"fsdp2"``, each keeps a part of them and all are gathered for a step;
            ``"none"``, each trains for itself. Each takes its part of every batch, so that any
            number of them makes the same steps up to rounding, and all of them must call this. The
            noise of dropout differs between them; BatchNorm looks at the part that its process has.

    Example:
        >>> import torch
        >>> x = torch.linspace(-1, 1, 16)[:, None]
        >>> line = nn.Linear(1, 1)
        >>> sgd = lambda parameters: torch.optim.SGD(parameters, lr=0.5)
        >>> history = fit(line, (x, 3 * x), nn.functional.mse_loss, sgd, steps=200)
        >>> round(line.weight.item(), 3), len(history), history.stopped
        (3.0, 200, 'all 200 steps done')
    """
    if (steps is None) == (epochs is None):
        both = "neither" if steps is None else f"both steps={steps} and epochs={epochs}"
        raise InputError(f"fit needs either steps or epochs, got {both}")
    if checkpoint is not None and not isinstance(checkpoint, Checkpoint):
        what = type(checkpoint).__name__
        raise InputTypeError(f"checkpoint must be a Checkpoint(path), got {what}")
    loop = Loop(
        model,
        data,
        loss,
        optimizer,
        batch_size=batch_size,
        rng=rng,
        schedule=schedule,
        clip=clip,
        accumulate=accumulate,
        call=call,
        on_nan=on_nan,
        train_mode=train_mode,
        sharding=sharding,
    )
    saved = "" if checkpoint is None else f"; resume from the last checkpoint, {checkpoint.path}"
    with losses_told(lambda: f"at step {loop.step}{saved}"):
        try:
            listeners = Listeners(callbacks)
            if checkpoint is not None:
                checkpoint.begin(loop)
        except CorollaryError:  # raised by all processes
            loop.release()
            raise
        try:
            _go(loop, steps, epochs, listeners, checkpoint, progress)
        except NotFiniteError:  # likewise; all else may be of this process alone
            loop.release()
            raise
        loop.release()
    return loop.history


def _go(
    loop: Loop,
    steps: int | None,
    epochs: int | None,
    listeners: Listeners,
    checkpoint: Checkpoint | None,
    progress: bool,
) -> None:
    shown = progress and (loop.team is None or loop.team.first)
    per_epoch = loop.source.steps_in_epoch
    total = steps if epochs is None else per_epoch and per_epoch * epochs
    bar = progress_bar(total, "training") if shown else nullcontext()
    with bar as show, closing(loop.run(steps=steps, epochs=epochs)) as records:
        for record in records:
            wish = loop.agreed(listeners.hear(loop, record.last))
            if show is not None:
                show(f"loss {record.loss:.4g}", loop.step)
            if checkpoint is not None:
                checkpoint.after_step(loop)
            if wish:
                loop.history.stopped = f"a callback asked to stop: {wish}"
                break
    if checkpoint is not None:
        checkpoint.end(loop)  # the last state, from which a run can go on
    listeners.end(loop)


def steps(
    model: nn.Module,
    data: Data,
    loss: Loss,
    optimizer: Optimizer | MakeOptimizer,
    *,
    steps: int | None = None,
    epochs: int | None = None,
    **options: Any,
) -> Iterator[Record]:
    """The run as a generator of records, for those who want to own the loop.

    Takes the options of :class:`Loop`; without ``steps`` and ``epochs`` it never ends. Close it
    (or exhaust it) to give the layers back in the modes they were in. A model that was sharded
    by ``sharding="fsdp2"`` is given back by ``release()`` of a :class:`Loop` of your own.

    Example:
        >>> import torch
        >>> x = torch.linspace(-1, 1, 16)[:, None]
        >>> line = nn.Linear(1, 1)
        >>> sgd = torch.optim.SGD(line.parameters(), lr=0.5)
        >>> for record in steps(line, (x, 3 * x), nn.functional.mse_loss, sgd):
        ...     if record.loss < 1e-8:
        ...         break
        >>> record.step < 100
        True
    """
    return Loop(model, data, loss, optimizer, **options).run(steps=steps, epochs=epochs)
