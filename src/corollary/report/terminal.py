"""One result on a terminal: prediction, measurement, counterexample, a picture, what to do next."""

import textwrap
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from corollary.core.result import Result
from corollary.registry import Entry, Option
from corollary.report.braille import can_draw, figure_lines
from corollary.report.latex import scripts
from corollary.report.numerals import interval, numeral
from corollary.report.signs import VERDICT_COLOURS, VERDICT_SIGNS
from corollary.report.view import entry_of, option_text, reason, without

WIDEST = 72  # characters of a picture


def result_lines(result: Result, width: int, *, picture: bool = True) -> Iterator[Text]:
    """The result in about twenty lines; the first figure that dots can show is its picture."""
    verdict, entry = result.verdict.value, entry_of(result)
    yield Text.assemble(
        (f"{VERDICT_SIGNS[verdict]} {verdict}", VERDICT_COLOURS[verdict]),
        (f"  {scripts(result.title)}", "bold"),
        (f"  {result.name}", "cyan"),
    )
    rows = list(_facts(result))
    label = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        yield from _hanging(name.ljust(label), text, width)
    figure = next(filter(can_draw, result.figures), None)
    if picture and figure is not None:
        yield Text()
        yield from figure_lines(figure, max(20, min(WIDEST, width - 14)))
    if entry is not None:
        yield Text()
        for k, command in enumerate(_next(entry)):
            yield Text.assemble((f"  {'next' if k == 0 else '':4}  ", "dim"), (command, "cyan"))


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    if result.predicted:
        k = result.worst
        known = f" {interval(result.measured[k])}".rstrip()
        measured = f"{numeral(result.measured[k].value)}{known} ({result.relation} predicted)"
        for name, symbol, number in zip(
            ("predicted", "measured"),
            result.symbols,
            (numeral(result.predicted[k]), measured),
            strict=True,
        ):
            yield name, number if symbol in ("", name) else f"{scripts(symbol)} = {number}"
        if len(result.predicted) > 1:
            of = f" ({result.rows[k]})" if result.rows else ""
            yield "", f"the worst of {len(result.predicted)} comparisons{of}"
    else:
        yield "because", reason(result)
    for refutation in result.counterexamples:
        yield "otherwise", scripts(without(refutation))


def _hanging(name: str, text: str, width: int) -> Iterator[Text]:
    """A name, and a text beside it that is broken at the width."""
    for k, line in enumerate(textwrap.wrap(text, max(20, width - len(name) - 4)) or [""]):
        yield Text.assemble((f"  {name if k == 0 else ' ' * len(name)}  ", "dim"), line)


def _next(entry: Entry) -> Iterator[str]:
    """Commands worth typing after this one."""
    for option in entry.options:
        value = _other_value(option)
        if value is not None:
            flag = option.name.replace("_", "-")
            yield f"corollary check {entry.stem} --{flag} {option_text(value)}"
            break
    else:
        yield f"corollary check {entry.stem} --seed 1"
    yield f"corollary show {entry.stem}"
    yield f"corollary check {entry.stem} --report {entry.stem}.html"


def _other_value(option: Option) -> Any:
    """Half the default of a parameter with a range, if that is allowed; else nothing."""
    if option.low is None or isinstance(option.default, bool):
        return None
    if isinstance(option.default, float) and option.default / 2 >= option.low:
        return option.default / 2
    if isinstance(option.default, int) and option.default // 2 >= max(1, option.low):
        return option.default // 2
    return None
