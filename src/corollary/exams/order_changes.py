"""Changes of order: positional encodings, and outputs with swapped axes.

A network of attention and pooling gives the same answer for tokens in any order, unless it knows
the positions. Rows and columns of an output may be swapped relative to those of the target. Both
mistakes raise no error.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from corollary.core import Subject
from corollary.errors import CorollaryError, NotApplicableError
from corollary.exams.runs import Run
from corollary.exams.trial_run import TrialRun, unchanged

FEW, LEAST = 16, 4  # samples; tokens and pixels of a side below which there is nothing to permute
SAME = 1e-4  # of the outputs: rounding of sums in another order
HALF = 0.5  # of a constant's errors
PERIOD = 1e4  # the longest wave, as Vaswani et al. (2017) have it
REFUSED = (CorollaryError, RuntimeError, ValueError, IndexError, TypeError)


def order_blind(subject: Subject) -> bool:
    """Whether tokens in another order give the same answers in that order; computed once.

    The first and the last position stay, because answers may be read there.
    """
    if "order blind" not in subject.memo:
        try:
            subject.memo["order blind"] = _order_blind(subject)
        except REFUSED:
            subject.memo["order blind"] = False
    found: bool = subject.memo["order blind"]
    return found


def _order_blind(subject: Subject) -> bool:
    batch = subject.data(FEW)
    tensors = batch.tensors()
    x = tensors[0]
    tokens = x.dim() == 2 and not x.is_floating_point() or x.dim() == 3 and x.is_floating_point()
    if len(tensors) != 1 or not tokens or x.shape[1] < LEAST + 2:
        return False
    middle = 1 + torch.randperm(x.shape[1] - 2, generator=subject.rng("order of tokens"))
    order = torch.cat([torch.zeros(1, dtype=torch.long), middle, torch.tensor([x.shape[1] - 1])])
    with subject.borrowed(), torch.no_grad():
        plain = subject.output(batch).cpu().double()
        moved = subject.output(batch.with_inputs(x[:, order])).cpu().double()
    if plain.dim() == 3 and plain.shape[1] == x.shape[1]:
        plain = plain[:, order]
    return float((plain - moved).abs().max()) < SAME * float(plain.abs().max())


def with_positions(trial: TrialRun) -> Run:
    """A sinusoidal positional encoding is added to the token vectors."""
    return trial.with_change(unchanged, around=_positions(trial.subject.model))


@contextmanager
def _positions(model: nn.Module) -> Iterator[None]:
    """The first layer that returns one vector per token also adds a positional encoding."""
    placed: list[nn.Module] = []

    def add(module: nn.Module, _inputs: Any, output: Any) -> Any:
        first = not placed or placed[0] is module
        if not isinstance(output, Tensor) or output.dim() != 3 or not first:
            return output
        placed[:] = [module]
        return output + waves(output.shape[1], output.shape[2]).to(output) * output.detach().std()

    layers = [m for m in model.modules() if isinstance(m, nn.Embedding | nn.Linear)]
    handles = [m.register_forward_hook(add) for m in layers]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def waves(length: int, width: int) -> Tensor:
    """Sines and cosines of the position, with wavelengths from 6 to 60,000.

    Example:
        >>> waves(2, 4)[0].tolist()
        [0.0, 1.0, 0.0, 1.0]

    :source: Vaswani et al. (2017), "Attention is all you need", Section 3.5.
    """
    place = torch.arange(length)[:, None]
    turn = place * PERIOD ** (-torch.arange(0, width, 2) / width)
    return torch.stack([turn.sin(), turn.cos()], 2).flatten(1)[:, :width]


@dataclass(frozen=True)
class Turned:
    """How an output or a target was transformed, and the run with this transformation."""

    how: str
    run: Run


def turned_output(trial: TrialRun) -> Run:
    """The best of the runs with rows and columns of the output swapped or mirrored."""
    return turned(trial).run


def turned(trial: TrialRun) -> Turned:
    """The same with its name; computed once."""
    return _best(trial, "turned", ((k, _turned_run(trial, f)) for k, f in TURNS.items()))


def has_two_equal_axes(trial: TrialRun) -> bool:
    """Whether every pixel of square pictures has a target."""
    y = trial.subject.all_labelled().target
    try:
        with trial.subject.borrowed(), torch.no_grad():
            output = trial.subject.call(trial.subject.data(2))
    except REFUSED:
        return False
    x = trial.subject.data(1).tensors()[0]
    pictures = x.dim() == 4 and x.shape[-1] == x.shape[-2] >= LEAST
    if not (pictures and isinstance(y, Tensor) and isinstance(output, Tensor)) or y.dim() < 2:
        return False
    if output.shape[-1] == output.shape[-2] >= LEAST:
        return True
    return output.dim() == 3 and output.shape[1] == y[0].numel() == x[0, 0].numel()


TURNS: dict[str, Callable[[Tensor, int, int], Tensor]] = {
    "rows and columns are swapped": lambda t, a, b: t.transpose(a, b),
    "rows are upside down": lambda t, a, b: t.flip(a),
    "columns are mirrored": lambda t, a, b: t.flip(b),
}


def _turned_run(trial: TrialRun, turn: Callable[[Tensor, int, int], Tensor]) -> Callable[[], Run]:
    def hook(_module: nn.Module, _inputs: Any, output: Tensor) -> Tensor:
        if output.shape[-1] == output.shape[-2]:
            return turn(output, -2, -1)
        side = math.isqrt(output.shape[1])
        picture = output.unflatten(1, (side, side))
        return turn(picture, 1, 2).flatten(1, 2)

    def run() -> Run:
        handle = trial.subject.model.register_forward_hook(hook)
        try:
            return trial.with_change(unchanged)
        finally:
            handle.remove()

    return run


def _best(trial: TrialRun, key: str, ways: Iterator[tuple[str, Callable[[], Run]]]) -> Turned:
    memo = trial.subject.memo
    if key not in memo:
        found = [Turned(name, run()) for name, run in ways]
        known = [t for t in found if t.run.finite]
        memo[key] = min(known, key=lambda t: (t.run.wrong, t.run.end), default=None)
    best: Turned | None = memo[key]
    if best is None:
        raise NotApplicableError("no run is finite")
    return best
