"""Following advice by code: what a reader of a finding would do, and nothing else."""

from real_bugs import Bug
from real_bugs.bug import Arguments

from corollary.core import Finding
from following.steps import STEPS, Unclear


def follow(found: Finding, bug: Bug) -> tuple[str, Arguments]:
    """The buggy arguments after the advice, and what was done in words.

    Raises:
        Unclear: if the advice asks the reader to look at something.
    """
    step = STEPS.get(found.title)
    if step is None:
        raise Unclear("not for a machine")
    arguments = bug.buggy()
    return step(found, arguments), arguments


__all__ = ["Unclear", "follow"]
