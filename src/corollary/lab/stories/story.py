"""What a story declares: prose, a claim with a live figure, sliders, sentences that follow it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Seen:
    """A result as the sentences of a story see it: options, and the two sides."""

    options: Mapping[str, Any]
    predicted: tuple[float, ...]
    measured: tuple[float, ...]
    verdict: str

    def __getitem__(self, name: str) -> Any:
        """The value of an option."""
        return self.options[name]

    @classmethod
    def of(cls, results: Mapping[str, Any]) -> "Seen":
        """Read from the JSON of a run of one claim."""
        (result,) = results["results"]
        return cls(
            result["parameters"],
            tuple(map(float, result["predicted"])),
            tuple(float(reading["value"]) for reading in result["measured"]),
            result["verdict"],
        )


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Says = Callable[[Seen], str]


@dataclass(frozen=True)
class Try:
    """A button in the prose that moves the sliders."""

    label: str
    options: Mapping[str, float | str]


@dataclass(frozen=True)
class Part:
    """A paragraph, what to try while reading it, and a sentence that follows the numbers."""

    words: str  # as reStructuredText
    tries: tuple[Try, ...] = ()
    says: Says | None = None


@dataclass(frozen=True)
class Picture:
    """What the card of a story shows: a figure of a claim, drawn once and stored."""

    claim: str
    figure: int = 0
    options: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Story:
    """One page: its claim runs again whenever one of the ``moves`` is moved."""

    title: str
    teaser: str  # the sentence on its card
    claim: str
    moves: Mapping[str, str]  # option: what its slider is called here
    parts: tuple[Part, ...]
    claims: Mapping[str, str]  # claim: why one would go on there
    picture: Picture
    follows: str  # the story before it
    figure: int = 0  # which figure of the claim is the live one
    options: Mapping[str, float | str] = field(default_factory=dict)  # where it starts
    ends: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of sliders
    preset: str = ""  # of the playground
    exercise: str = ""

    def says(self, results: Mapping[str, Any]) -> list[str]:
        """What the parts say of a result; a run that gave no numbers says nothing."""
        seen = Seen.of(results)
        silent = not (seen.predicted and seen.measured)
        return ["" if silent or p.says is None else p.says(seen) for p in self.parts]


def percent(share: float) -> str:
    """A share in words of a reader.

    Example:
        >>> percent(0.5), percent(0.0312), percent(0.0004), percent(1.0)
        ('50 %', '3.1 %', '0.04 %', '100 %')
    """
    return f"{short(100 * share, 2)} %" if share < 0.995 else "100 %"


def short(value: float, digits: int = 3) -> str:
    """A number with few digits; whole ones below a million keep all of theirs.

    Example:
        >>> short(0.012345), short(1234567.0), short(1600.0), short(-6.74e-8)
        ('0.0123', '1.23·10⁶', '1600', '−6.74·10⁻⁸')
    """
    if value == int(value) and abs(value) < 1e6:
        text = str(int(value))
    else:
        text = f"{value:.{digits}g}"
    head, e, power = text.partition("e")
    raised = str(int(power)).translate(_RAISED) if e else ""
    return (head + (f"·10{raised}" if e else "")).replace("-", "−")
