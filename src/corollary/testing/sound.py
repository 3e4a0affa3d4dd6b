"""The assertion that a network is sound; its error lists causes, evidence and changes."""

from typing import Any

from torch import nn

from corollary.core import Severity, Status
from corollary.errors import InputError
from corollary.examine.examination import Examination
from corollary.examine.examiner import examine
from corollary.report.outcomes import causes_from
from corollary.report.summary import cause_lines


def assert_sound(
    model: nn.Module, data: Any = None, *, fail_on: str = "high", **options: Any
) -> Examination:
    """Examine a module, and fail if a finding is as severe as ``fail_on``.

    Args:
        model: Any ``nn.Module``; it is returned unchanged.
        data: In any form that :func:`corollary.examine` takes.
        fail_on: The lowest severity that fails: ``low``, ``medium`` or ``high``.
        options: Those of :func:`corollary.examine`; the effort is ``quick`` unless it is given.

    Raises:
        AssertionError: with each cause, its evidence, what to do and the symptoms that follow; also
            if no exam gave an answer, because then nothing is known.

    Example:
        >>> from torch import nn, ones, zeros
        >>> network = nn.Sequential(nn.Linear(2, 3), nn.Softmax(dim=1))
        >>> data = ones(16, 2), zeros(16).long()
        >>> try:
        ...     assert_sound(network, data, loss="cross_entropy", only="double_softmax")
        ... except AssertionError as error:
        ...     print(str(error).splitlines()[0])
        Sequential is not sound: 1 cause of severity high or more
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    lowest = severity_of(fail_on)
    given: dict[str, Any] = {"effort": "quick", "progress": False}
    done = examine(model, data, **given | options)
    if not any(f.status is Status.DONE for f in done.findings):
        reasons = dict.fromkeys(f"{f.exam}: {f.meaning}" for f in done.findings)
        raise AssertionError("\n".join(["no exam gave an answer", *reasons]))
    causes = causes_from(done, lowest)
    if causes:
        count = f"{len(causes)} cause{'s' if len(causes) > 1 else ''}"
        head = f"{done.subject['module']} is not sound: {count} of severity {lowest} or more"
        told = (line for k, cause in enumerate(causes, 1) for line in ("", *cause_lines(k, cause)))
        raise AssertionError("\n".join((head, *told)))
    return done


def severity_of(name: str) -> Severity:
    """The severity that a threshold names.

    Example:
        >>> severity_of("severe")
        Traceback (most recent call last):
            ...
        corollary.errors.InputError: expected fail_on low, medium or high, got 'severe'
    """
    if name not in list(Severity)[1:]:
        raise InputError(f"expected fail_on low, medium or high, got '{name}'")
    return Severity(name)
