"""How a network scales, as plain text: the verdict, a table of exponents, the change to make."""

import math
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corollary.train.scaling.result import LayerScaling, WidthCheck

WIDEST = 100
LONGEST = 28  # characters of a layer's name


def scale_text(check: "WidthCheck") -> str:
    """All the text that a terminal shows."""
    return "\n".join(_lines(check))


def heading(check: "WidthCheck") -> str:
    """What was measured."""
    sizes = ", ".join(map(str, check.widths))
    seeds = f"{check.seeds} seed{'s' if check.seeds > 1 else ''}"
    return (
        f"{check.module}, {check.optimizer}; {check.along}s {sizes}; {seeds}, {check.steps} step"
        f"{'s' if check.steps > 1 else ''}"
    )


def _lines(check: "WidthCheck") -> Iterator[str]:
    yield heading(check)
    yield from textwrap.wrap(check.sentence, WIDEST)
    yield ""
    yield from _table(check)
    if check.hidden_by_large_steps:
        yield ""
        yield from textwrap.wrap(check.hidden_by_large_steps, WIDEST)
    for note in check.notes:
        yield from textwrap.wrap(note, WIDEST)
    if check.code:
        yield ""
        yield "The change that makes the learning rate transfer:"
        yield ""
        yield textwrap.indent(check.code, "    ")
    if check.confirmed is not None:
        yield ""
        yield f"With this change: {check.confirmed.status.value}."
        yield ""
        yield from _table(check.confirmed)


def _table(check: "WidthCheck") -> Iterator[str]:
    names = [p.rjust(11) for p in check.layers[0].theory] if check.layers else []
    wide = max(len(_short(row.name)) for row in check.rows)
    head = f"{'':{wide}}  {'activation':>13}  {'update':>13}  {'output':>13}  {'':9}"
    yield f"Exponents of the {check.along}".ljust(len(head)) + "  exponents of the update in theory"
    yield head + "".join(f"  {name}" for name in names)
    for row in check.rows:
        yield _row(row, wide)


def _row(row: "LayerScaling", wide: int) -> str:
    numbers = "".join(f"  {e!s:>13}" for e in (row.activation, row.update, row.logits))
    theory = "".join(f"  {predicted(sizes.update):>11}" for sizes in row.theory.values())
    return f"{_short(row.name):{wide}}{numbers}  {row.status.value:9}{theory}".rstrip()


def predicted(exponent: float) -> str:
    """An exponent of theory; nothing if theory has none.

    Example:
        >>> predicted(-0.5), predicted(math.nan), predicted(math.inf)
        ('-0.5', '', 'exponential')
    """
    if math.isinf(exponent):
        return "exponential"
    return "" if math.isnan(exponent) else f"{exponent + 0.0:+.1f}"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else "…" + name[1 - LONGEST :]
