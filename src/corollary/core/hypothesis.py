"""A condition that a statement assumes, tested on the given instance."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Hypothesis:
    """One hypothesis of a claim, and whether it holds for the data of this run.

    Example:
        >>> Hypothesis("the margin is positive", holds=False, detail="margin -0.2").sentence
        'the margin is positive: no (margin -0.2)'
    """

    statement: str
    holds: bool
    detail: str = ""  # the number that was tested; empty if there is none

    def __post_init__(self) -> None:
        # A tensor of one element is a natural thing to hand over; the record keeps a plain bool.
        object.__setattr__(self, "holds", bool(self.holds))

    @property
    def sentence(self) -> str:
        """Statement, answer and detail in one line."""
        answer = "yes" if self.holds else "no"
        return f"{self.statement}: {answer}" + (f" ({self.detail})" if self.detail else "")
