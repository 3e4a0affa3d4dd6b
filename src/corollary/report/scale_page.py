"""One self-contained page of a scaling check: verdict, figure, exponents, the change to make."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from corollary.report.page import asset, drawn, policy, script, template, typeface, write_page
from corollary.report.scale_text import heading, predicted

if TYPE_CHECKING:
    from corollary.train.scaling.result import WidthCheck

COLOURS = {"transfers": "good", "undecided": "open", "freezes": "bad", "blows up": "bad"}


def write_scale(check: "WidthCheck", path: str | os.PathLike[str]) -> Path:
    """Write the page."""
    return write_page(scale_page(check), path)


def scale_page(check: "WidthCheck") -> str:
    """The whole page as text."""
    return template("scale.html.jinja").render(
        shown(check),
        policy=policy([script()]),
        style=Markup(typeface() + asset("report.css") + asset("scale.css")),
        script=Markup(script()),
    )


def scale_html(check: "WidthCheck") -> str:
    """Verdict, figure and exponents, for a notebook."""
    return template("scale_check.html.jinja").render(check=_facts(check))


def shown(check: "WidthCheck") -> dict[str, Any]:
    """What the template shows."""
    return {
        "check": _facts(check),
        "again": None if check.confirmed is None else _facts(check.confirmed),
        "code": check.code,
        "notes": [note for note in (check.hidden_by_large_steps, *check.notes) if note],
    }


def _facts(check: "WidthCheck") -> dict[str, Any]:
    return {
        "status": check.status.value,
        "colour": COLOURS[check.status.value],
        "headline": check.verdict.headline,
        "meaning": check.verdict.meaning[:1].upper() + check.verdict.meaning[1:],
        "heading": heading(check),
        "along": check.along,
        "figure": drawn(check.figure),
        "parametrisations": list(check.layers[0].theory) if check.layers else [],
        "rows": [(row, COLOURS[row.status.value]) for row in check.rows],
        "predicted": predicted,
    }
