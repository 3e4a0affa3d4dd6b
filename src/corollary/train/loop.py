"""The training loop: one update after the other, each a function of the seed and the step."""

import math
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.optim import LBFGS, Optimizer
from torch.optim.lr_scheduler import LRScheduler

from corollary.errors import CorollaryError, InputError, NotFiniteError
from corollary.train.batches import Batch, Data, source
from corollary.train.clock import at_step
from corollary.train.diagnosis import REMEDY, blame_forward, blame_update, broken_parameters
from corollary.train.history import History, Record
from corollary.train.noise import global_generators, keyed
from corollary.train.objective import (
    LeftFiniteNumbers,
    Loss,
    as_piece,
    compare,
    finite,
    is_sum,
    plain_value,
    positive,
)
from corollary.train.parallel import FullySharded, Parallel, described
from corollary.train.preparation import (
    MakeOptimizer,
    check_model,
    check_schedule,
    check_whole,
    made_optimizer,
    modes_kept,
    parameters_of,
    seed_of,
)
from corollary.train.team import Sharding, Team, team_of

Schedule = Callable[[int], float] | LRScheduler


@dataclass(eq=False)
class Loop:
    """A run under way; the arguments are those of :func:`corollary.train.fit`."""

    model: nn.Module
    data: Data = field(repr=False)
    loss: Loss
    given: Optimizer | MakeOptimizer  # an optimizer, or how to make it
    _: KW_ONLY
    batch_size: int | None = None
    rng: int | torch.Generator = 0
    accumulate: int = 1
    clip: float | None = None
    schedule: Schedule | None = None
    call: Callable[..., Any] = compare
    on_nan: Literal["raise", "stop"] = "raise"
    train_mode: bool = True
    sharding: Sharding = "ddp"

    def __post_init__(self) -> None:
        check_whole("accumulate", self.accumulate, 1)
        check_whole("batch_size", self.batch_size, 1)
        if self.on_nan not in ("raise", "stop"):
            raise InputError(f"expected on_nan to be 'raise' or 'stop', got {self.on_nan!r}")
        if self.clip is not None and not self.clip > 0:
            raise InputError(f"clip must be positive, got {self.clip}")
        check_model(self.model)
        devices = {p.device for p in self.model.parameters()}
        device = next(iter(devices)) if len(devices) == 1 else None
        self.team = team_of(self.sharding, devices)  # None when this process is alone
        self.seed = seed_of(self.rng) if self.team is None else self.team.told(seed_of(self.rng))
        self.source = source(self.data, self.batch_size, self.seed, device, self.team)
        self.parallel = None if self.team is None else self._shared_out(self.team)
        self.history = History(self.seed)
        self.epoch, self.batch = 0, 0  # where the next batch is taken from
        try:
            self._take_optimizer()
        except CorollaryError:
            self.release()
            raise

    def _take_optimizer(self) -> None:
        self.optimizer = made_optimizer(self.model, self.given)
        check_schedule(self.schedule, self.optimizer)
        self.trained = parameters_of(self.optimizer)
        every = [*self.trained, *self.model.parameters()]
        self.parameters = list({id(p): p for p in every}.values())
        self.generators = global_generators({p.device for p in self.parameters})
        self.rates = [group["lr"] for group in self.optimizer.param_groups]
        if self.parallel is not None:
            self.parallel.check_optimizer(self.optimizer)

    def _shared_out(self, team: Team) -> Parallel:
        team.check_same(
            model=described(self.model),
            data=self.source.described,
            batch_size=self.batch_size,
            accumulate=self.accumulate,
            clip=self.clip,
            sharding=self.sharding,
        )
        kind = FullySharded if self.sharding == "fsdp2" else Parallel
        return kind(team, self.model, self.loss, self.call, self.given)

    @property
    def step(self) -> int:
        """Updates made so far, which is also the number of the next one."""
        return self.history.steps

    def record(self, name: str, value: float | Tensor) -> None:
        """Note a value in the history, at the latest step."""
        self.history.record(name, value)

    def whole(self) -> AbstractContextManager[None]:
        """Within the block the model can be called, also where its parameters are sharded.

        In a run of several processes all of them must enter it.
        """
        return nullcontext() if self.parallel is None else self.parallel.whole()

    def agreed(self, word: str) -> str:
        """The word, or the first that another process of the run has; '' if none has one."""
        return word if self.team is None else self.team.first_word(word)

    def release(self) -> None:
        """Undo what training changed around the model, after the last step."""
        if self.parallel is not None:
            self.parallel.release()

    def run(
        self, *, steps: int | None = None, epochs: int | None = None
    ) -> Generator[Record, None, None]:
        """Make updates until the run has that many steps or epochs in all; endless without."""
        check_whole("steps", steps, 1)
        check_whole("epochs", epochs, 1)
        return self._run(
            math.inf if steps is None else steps, math.inf if epochs is None else epochs
        )

    def _run(self, steps: float, epochs: float) -> Generator[Record, None, None]:
        with modes_kept(self.model), self._rates_kept():
            if self.train_mode:
                self.model.train()
            while self.step < steps and self.epoch < epochs:
                for batch, last in self.source.epoch(self.epoch, self.batch):
                    try:
                        value = self._update(batch)
                    except LeftFiniteNumbers:
                        self._end_not_finite(self._blame(batch))
                        return
                    record = Record(self.step, self.epoch, value, last)
                    self.history.append(record)
                    self.epoch, self.batch = (
                        (self.epoch + 1, 0) if last else (self.epoch, self.batch + 1)
                    )
                    yield record
                    if self.step >= steps:
                        break
            broken = self.agreed(self._blame_parameters())
            if broken:
                self._end_not_finite(broken)
            elif self.step >= steps:
                self.history.stopped = f"all {steps} steps done"
            else:
                self.history.stopped = f"all {epochs} epochs done"

    def _update(self, batch: Batch) -> float:
        if self.train_mode and not self.model.training:
            self.model.train()  # somebody evaluated between two steps
        if callable(self.schedule):
            factor = self.schedule(self.step)
            for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
                group["lr"] = rate * factor
        with torch.enable_grad(), self._noise():
            value = self._gradient(batch)
            if isinstance(self.optimizer, LBFGS):
                self.optimizer.step(lambda: self._value_again(batch))
            else:
                self.optimizer.step()
        if isinstance(self.schedule, LRScheduler):
            self.schedule.step()
        if self.parallel is not None:
            self.parallel.after_step()
        return value

    @contextmanager
    def _noise(self) -> Iterator[None]:
        """Dropout is a function of the seed and the step and, in a team, of the process."""
        who = () if self.team is None else (self.team.rank,)
        with at_step(self.step), keyed(self.generators, self.seed, "noise", self.step, *who):
            yield

    def _gradient(self, batch: Batch) -> float:
        """Leave the gradient of the batch in the parameters and return the batch's value."""
        if self.parallel is not None:
            value = self.parallel.gradient(batch, self.accumulate, self._clear)
        elif self.accumulate == 1:
            tensor = plain_value(self.call(self.model, self.loss, *batch))
            value = finite(tensor.item())
            # Cleared only now: a bad gradient of the step before can still be named.
            self._clear()
            tensor.backward()
        else:
            value = self._gradient_in_pieces(batch)
        if self.clip is not None:
            nn.utils.clip_grad_norm_(self.trained, self.clip)
        return value

    def _gradient_in_pieces(self, batch: Batch) -> float:
        total, count = 0.0, 0.0
        for number, part in enumerate(self._parts(batch)):
            piece = as_piece(self.call(self.model, self.loss, *part), self.loss, part)
            total += finite(piece.total.item())
            count += float(piece.divisor)
            if number == 0:
                self._clear()
            piece.total.backward()
        if is_sum(self.loss):
            return total
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.grad.div_(positive(count))
        return total / count

    def _parts(self, batch: Batch) -> Iterator[Batch]:
        size = max(1, -(-len(batch[0]) // self.accumulate))
        return zip(*(tensor.split(size) for tensor in batch), strict=True)

    def _value_again(self, batch: Batch) -> float:
        with self._noise():
            try:
                return self._gradient(batch)
            except LeftFiniteNumbers:
                return math.inf  # a line search may step back from here

    def _clear(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def _blame(self, batch: Batch) -> str:
        broken = self.agreed(self._blame_parameters())
        if broken:
            return broken

        def forward() -> None:
            with torch.enable_grad(), self._noise():
                for part in [batch] if self.accumulate == 1 else self._parts(batch):
                    self.call(self.model, self.loss, *part)

        if self.parallel is None:
            return blame_forward(self.model, batch, forward, self.step)
        with self.whole():
            mine = not self.parallel.blameless  # else it was another process's part of the batch
            blamed = blame_forward(self.model, batch, forward, self.step) if mine else ""
            return (
                self.agreed(blamed) or f"all targets of the batch are ignored at step {self.step}"
            )

    def _blame_parameters(self) -> str:
        broken = broken_parameters(self.model)
        return blame_update(self.model, broken, self.step - 1) if broken else ""

    def _end_not_finite(self, what: str) -> None:
        self.history.diverged, self.history.stopped = True, what
        if self.on_nan == "raise":
            error = NotFiniteError(f"{what}; {REMEDY}")
            error.history = self.history
            raise error

    @contextmanager
    def _rates_kept(self) -> Iterator[None]:
        try:
            yield
        finally:
            if callable(self.schedule):
                for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
                    group["lr"] = rate
