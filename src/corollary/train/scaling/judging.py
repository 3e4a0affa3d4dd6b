"""Whether a layer transfers, from its exponents."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from corollary.train.scaling.exponent import HALFWAY, Exponent

if TYPE_CHECKING:
    from corollary.train.scaling.result import LayerScaling


class Status(StrEnum):
    """What happens as the network grows; the last is the most severe."""

    TRANSFERS = "transfers"
    UNDECIDED = "undecided"
    FREEZES = "freezes"
    BLOWS_UP = "blows up"

    @property
    def rank(self) -> int:
        """Its place among the others."""
        return list(Status).index(self)


def judged(activation: Exponent, update: Exponent, full: Exponent, *, output: bool) -> Status:
    """The status of a layer.

    The larger of two exponents of the update counts: full steps hide growth, because large changes
    saturate; small ones hide a late start, as that of layers behind a matrix that is zero at first.
    The output may be small at the start, the activations of layers may not.

    Example:
        >>> zero, half = Exponent(0.0, -0.1, 0.1), Exponent(-0.5, -0.6, -0.4)
        >>> judged(zero, half, half, output=False).value  # the kernel regime
        'freezes'
        >>> judged(half, zero, zero, output=True).value
        'transfers'
    """
    moving = max((e for e in (update, full) if e.known), key=lambda e: e.value, default=update)
    signs = [moving.sign, activation.sign]
    if 1 in signs:
        return Status.BLOWS_UP
    if signs[0] == -1 or (signs[1] == -1 and not output):
        return Status.FREEZES
    decided = signs[0] == 0 and (signs[1] == 0 or (output and activation.high <= HALFWAY))
    return Status.TRANSFERS if decided else Status.UNDECIDED


class Verdict(NamedTuple):
    """A status in words: with the layer that decides it, and what it means."""

    headline: str
    meaning: str


def verdict(status: Status, rows: "Sequence[LayerScaling]", along: str) -> Verdict:
    """The verdict on layers, of which the last is the network's output."""
    blamed = [row for row in rows[:-1] if row.status is status] or [rows[-1]]
    return {
        Status.TRANSFERS: _transfers,
        Status.UNDECIDED: _undecided,
        Status.FREEZES: _freezes,
        Status.BLOWS_UP: _blows_up,
    }[status](blamed, rows[-1], along)


def _transfers(blamed: "Sequence[LayerScaling]", output: "LayerScaling", along: str) -> Verdict:
    return Verdict(
        "Transfers",
        f"activations and their changes do not depend on the {along}, so a learning rate that is "
        "good for a small network is good for a large one.",
    )


def _blows_up(blamed: "Sequence[LayerScaling]", output: "LayerScaling", along: str) -> Verdict:
    worst = max(blamed, key=lambda row: max(row.moved.value, row.activation.value))
    at_start = worst.activation.sign == 1 and worst.activation.value > worst.moved.value
    what = "its activations at the start grow" if at_start else f"{_change(worst)} grows"
    exponent = worst.activation if at_start else worst.moved
    return Verdict(
        f"Blows up at {_place(worst)}",
        f"{what} like the {along} to the power {exponent.value:.2f}. The best learning rate falls "
        f"as the {along} grows, and one that is good for a small network diverges in a large one.",
    )


def _freezes(blamed: "Sequence[LayerScaling]", output: "LayerScaling", along: str) -> Verdict:
    worst = min(blamed, key=lambda row: min(row.moved.value, row.activation.value))
    at_start = worst.activation.sign == -1 and worst.moved.sign != -1
    what = "its activations at the start shrink" if at_start else f"{_change(worst)} shrinks"
    exponent = worst.activation if at_start else worst.moved
    follows = (
        "The output still moves: a large network learns as a kernel method does, with features "
        "that stay as they are."
        if output.update.nearest == 0 and not at_start
        else "A large network learns less at the same learning rate."
    )
    return Verdict(
        f"Freezes at {_place(worst)}",
        f"{what} like the {along} to the power {exponent.value:.2f}. {follows}",
    )


def _undecided(blamed: "Sequence[LayerScaling]", output: "LayerScaling", along: str) -> Verdict:
    return Verdict(
        f"Undecided at {', '.join(map(_place, blamed[:3]))}",
        "the interval of an exponent contains 1/4, halfway between none and the smallest that "
        f"theory knows. Use more seeds or a wider range of the {along}.",
    )


def _change(row: "LayerScaling") -> str:
    through = "the output's change by one step on it" if row.moved is row.logits else ""
    return through or "its change by one step"


def _place(row: "LayerScaling") -> str:
    return f"layer {row.name}" if row.theory else "the output"
