"""Save a run and continue it, with the very bits it would have had without the interruption.

The order of the data and the noise are functions of the seed and the step, so a checkpoint holds
only the model, the optimizer, the schedule, the history and the position. It is one safetensors
file, replaced in one move: a crash while writing leaves the one before. Of a sharded run each
process writes its shards into a folder beside the file.

A checkpoint does not know how many processes wrote it: a run of one, of several, or of several with
shards goes on as any of these, up to rounding, if all of them see the file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor, nn
from torch.optim.lr_scheduler import LRScheduler

from corollary.errors import InputError
from corollary.train.history import History
from corollary.train.loop import Loop
from corollary.train.packing import check_writable, read_state, write_state
from corollary.train.preparation import check_whole
from corollary.train.shards import (
    Where,
    new_folder,
    put_together,
    remove_other_folders,
    taken_apart,
    write_shards,
)

FORMAT = 1


@dataclass(frozen=True)
class Checkpoint:
    """Where a run is saved, how often, and whether to continue from there.

    A resumed run is bit-identical to an uninterrupted one on the same build of torch, the same
    processor and number of threads and of processes. Callbacks with a memory of their own start
    afresh.
    """

    path: str | Path
    every: int | None = 100  # steps; None saves at the end only
    resume: bool = False  # continue from the file if there is one, else begin

    def __post_init__(self) -> None:
        check_whole("every", self.every, 1)

    def begin(self, loop: Loop) -> None:
        """Continue from the file if asked to and if there is one; never overwrite another's."""
        if self._looked() if loop.team is None else loop.team.by_first(self._looked):
            load(self.path, loop)

    def _looked(self) -> bool:
        """Whether there is a run to continue; raises if a new one cannot be saved."""
        path = Path(self.path)
        if path.exists() and not self.resume:
            raise InputError(
                f"{path} exists already; continue that run with resume=True, or remove the file"
            )
        if not path.exists():
            check_writable(path)
        return path.exists()

    def after_step(self, loop: Loop) -> None:
        """Save if it is time."""
        if self.every and loop.step % self.every == 0:
            save(self.path, loop)

    def end(self, loop: Loop) -> None:
        """Save the last state, unless it is not worth keeping."""
        if not loop.history.diverged:
            save(self.path, loop)


def save(path: str | Path, loop: Loop) -> None:
    """Write the state of a run between two steps; in a team all processes must call this."""
    path = Path(path)
    state, sharded = taken_apart(_state(loop))
    state["shards"] = None
    if sharded:
        name = new_folder(path, loop.step)
        state["shards"] = name if loop.team is None else loop.team.told(name)
        write_shards(path.parent / state["shards"], sharded)

    def write() -> None:
        write_state(path, state)
        remove_other_folders(path, state["shards"])

    if loop.team is None:
        write()
    else:
        loop.team.by_first(write)


def load(path: str | Path, loop: Loop) -> None:
    """Put a run into the state that was saved; nothing is changed unless all of it fits."""
    path, state = Path(path), read_state(Path(path))
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise InputError(f"{path} is not a checkpoint of a run in format {FORMAT}")
    _check_same_run(path, state["run"], _run(loop))
    shards = state.get("shards")
    state = put_together(state, path.parent / shards if shards else None, _like(loop))
    _check_fits(path, "model", state["model"], loop.model)
    if state["loss"] is not None:
        _check_fits(path, "loss", state["loss"], loop.loss)
    try:
        loop.optimizer.load_state_dict(state["optimizer"])
    except (ValueError, KeyError) as error:
        raise InputError(
            f"the optimizer saved in {path} does not match this optimizer ({error})"
        ) from None
    loop.model.load_state_dict(state["model"])
    if state["loss"] is not None and isinstance(loop.loss, nn.Module):
        loop.loss.load_state_dict(state["loss"])
    if isinstance(loop.schedule, LRScheduler):
        loop.schedule.load_state_dict(state["schedule"])
    loop.rates = [group["lr"] for group in loop.optimizer.param_groups]
    loop.history = History.from_state(loop.seed, state["history"])
    loop.epoch, loop.batch = state["epoch"], state["batch"]


def saved_rate(checkpoint: Checkpoint | None) -> float | None:
    """The learning rate of the run that would be continued; None if a run begins."""
    if checkpoint is None or not checkpoint.resume or not Path(checkpoint.path).exists():
        return None
    rate = read_state(Path(checkpoint.path))["optimizer"]["param_groups"][0]["lr"]
    return float(rate)


def _like(loop: Loop) -> Callable[[Where], Tensor | None]:
    """The tensor of the run that a saved one is for, if that may be sharded."""
    owners = {"model": loop.model.state_dict()}
    if isinstance(loop.loss, nn.Module):
        owners["loss"] = loop.loss.state_dict()

    def like(where: Where) -> Tensor | None:
        match where:
            case ("model" | "loss" as owner, name):
                return owners.get(owner, {}).get(name)
            case ("optimizer", "state", int(number), _) if number < len(loop.trained):
                return loop.trained[number]
        return None

    return like


def _run(loop: Loop) -> dict[str, Any]:
    """What must agree for the resumed run to be the same run."""
    by_torch = isinstance(loop.schedule, LRScheduler)
    return {
        "rng": loop.seed,
        "rows of data": loop.source.rows,
        "batch_size": loop.source.batch_size,
        "accumulate": loop.accumulate,
        "optimizer": type(loop.optimizer).__name__,
        "schedule": type(loop.schedule).__name__ if by_torch else str(loop.schedule is not None),
    }


def _state(loop: Loop) -> dict[str, Any]:
    optimizer = loop.optimizer.state_dict()
    if callable(loop.schedule):  # the learning rate before the schedule's factor
        groups = zip(optimizer["param_groups"], loop.rates, strict=True)
        optimizer = optimizer | {"param_groups": [group | {"lr": rate} for group, rate in groups]}
    schedule = loop.schedule.state_dict() if isinstance(loop.schedule, LRScheduler) else None
    return {
        "format": FORMAT,
        "run": _run(loop),
        "model": dict(loop.model.state_dict()),
        "loss": dict(loop.loss.state_dict()) if isinstance(loop.loss, nn.Module) else None,
        "optimizer": optimizer,
        "schedule": schedule,
        "history": loop.history.state(),
        "epoch": loop.epoch,
        "batch": loop.batch,
    }


def _check_same_run(path: Path, saved: dict[str, Any], now: dict[str, Any]) -> None:
    for name, value in now.items():
        if saved.get(name) != value:
            raise InputError(
                f"{path} was saved by a run with {name} {saved.get(name)}, but this run has "
                f"{name} {value}; use the same {name}, or another path"
            )


def _check_fits(path: Path, what: str, saved: dict[str, Any], owner: Any) -> None:
    if not isinstance(owner, nn.Module):
        raise InputError(
            f"{path} holds the state of a {what} that is a module, but this {what} is not a module"
        )
    now = owner.state_dict()
    different = sorted(set(saved) ^ set(now))
    if different:
        where = path if different[0] in saved else f"this {what}"
        raise InputError(
            f"the {what} in {path} does not match this {what}: only {where} has '{different[0]}'"
        )
    for name, value in now.items():
        if isinstance(value, Tensor) and value.shape != saved[name].shape:
            raise InputError(
                f"'{name}' has shape {tuple(saved[name].shape)} in {path}, but "
                f"{tuple(value.shape)} in this {what}"
            )
