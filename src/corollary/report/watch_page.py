"""One self-contained HTML page of a watched run: causes first, then curves over the steps."""

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from corollary.core.figure import Band, Curve, Figure, Level, Mark, Points
from corollary.core.numbers import short
from corollary.report.comparison import place
from corollary.report.examination_page import claim_title
from corollary.report.page import asset, drawn, policy, script, template, typeface, write_page
from corollary.report.signs import SEVERITY_SIGNS
from corollary.report.svg import figure_svg

if TYPE_CHECKING:
    from corollary.watch.event import Event
    from corollary.watch.record import Run, Series

MARKED = 4  # events that are drawn into the loss curve


def write_watch(run: "Run", path: str | os.PathLike[str]) -> Path:
    """Write the page."""
    return write_page(watch_page(run), path)


def watch_page(run: "Run") -> str:
    """The whole page as text."""
    return template("watch.html.jinja").render(
        facts(run),
        policy=policy([script()]),
        style=Markup(
            typeface() + asset("report.css") + asset("examination.css") + asset("watch.css")
        ),
        script=Markup(script()),
    )


def watch_fragment(run: "Run") -> str:
    """The content of the page, for a page that has its own frame."""
    return template("watch_run.html.jinja").render(facts(run))


def watch_html(run: "Run") -> str:
    """A few lines and two figures, for a notebook."""
    told = [
        f"<li><b>{escape(e.finding.title)}</b> <small>({e.severity}, step {e.step})</small>. "
        f"{escape(e.finding.advice)}</li>"
        for e in run.open
        if e.severity.rank >= 2
    ]
    side = 'style="flex:1 1 20rem;max-width:28rem;min-width:0"'
    shown = [f for f in (_loss(run), _stability(run)) if f is not None]
    pictures = "".join(f"<div {side}>{figure_svg(figure)}</div>" for figure in shown)
    return (
        f'<div style="font-family:sans-serif"><p><b>{escape(headline(run))}</b></p>'
        + (f"<ul>{''.join(told)}</ul>" if told else "")
        + f'<div style="display:flex;flex-wrap:wrap;gap:1rem">{pictures}</div></div>'
    )


def facts(run: "Run") -> dict[str, Any]:
    """The values that the templates show."""
    causes = [e for e in run.events if e.passed is None and "symptom_of" not in e.finding.details]
    under: dict[str, list[dict[str, Any]]] = {}
    for event in run.events:
        cause = event.finding.details.get("symptom_of")
        if cause and event.passed is None:
            under.setdefault(str(cause), []).append(_event(event))
    return {
        "headline": headline(run),
        "causes": [_event(e) | {"symptoms": under.get(e.cause, [])} for e in causes],
        "passed": [_event(e) for e in run.events if e.passed is not None],
        "figures": [drawn(figure) for figure in figures(run)],
        "readings": last_readings(run),
        "run": run,
    }


def headline(run: "Run") -> str:
    """The run in a few words."""
    alarms = sum(e.severity.rank >= 2 for e in run.open)
    what = f"{run.about['model']}, {run.steps:,} steps"
    if not alarms:
        return f"{what}: nothing wrong found"
    return f"{what}: {alarms} thing{'s' if alarms > 1 else ''} to fix"


def watch_text(run: "Run") -> str:
    """The run as plain text: events and the latest readings."""
    lines = [headline(run), ""]
    for event in run.events:
        lines.append(f"{SEVERITY_SIGNS[event.severity]} {event}")
    lines += [""] if run.events else []
    lines += [f"{name}: {number}" for name, number, _ in last_readings(run)]
    lines += [f"watcher: {problem}" for problem in run.problems]
    return "\n".join(lines)


def figures(run: "Run") -> list[Figure]:
    """Curves over the steps, each at the steps where it was measured."""
    found = [_loss(run), _stability(run)]
    for name, title, y, log in CURVES:
        if name in run.series:
            found.append(_curve(run.series[name], title, y, log))
    return [figure for figure in found if figure is not None]


CURVES = (
    ("critical batch size", "Critical batch size", "examples", True),
    ("gradient norm", "Gradient norm", "norm", True),
    ("update ratio", "Norm of the update / norm of the weights, median layer", "ratio", True),
    ("effective rank", "Effective rank before the last layer", "rank", False),
    ("dead units", "Share of dead units, worst layer", "share", False),
    ("held out", "Held-out loss", "loss", False),
)

MEANINGS = {
    "stability": "learning rate times curvature, divided by the limit of the optimizer; the "
    "value 1 is the edge of stability",
    "curvature": "largest curvature of the loss, after the preconditioning of the optimizer",
    "threshold": "the curvature limit of the optimizer at this learning rate",
    "critical batch size": "batches larger than this save few steps (gradient noise scale)",
    "gradient norm": "norm of the gradient of all parameters",
    "weight norm": "norm of all parameters",
    "update ratio": "norm of a layer's update in one step / norm of its weights (median layer)",
    "effective rank": "number of dimensions used by the features before the last layer",
    "dead units": "share of units that are zero for every sample of the batch, in the worst layer",
    "trend": "change of the loss per step",
    "held out": "loss on data that is not used for training",
    "gap": "held-out loss minus training loss",
}


def last_readings(run: "Run") -> list[tuple[str, str, str]]:
    """Name, value with interval and meaning of the latest reading of each measurement."""
    out = []
    for name, series in run.series.items():
        last = series.readings[-1]
        number = short(last.value)
        if last.low != last.high:
            number += f" ({short(last.low)} to {short(last.high)})"
        out.append((name, number, MEANINGS.get(name, "")))
    return out


def _event(event: "Event") -> dict[str, Any]:
    finding = event.finding
    return {
        "step": event.step,
        "passed": event.passed,
        "told": finding,
        "place": place(finding.where),
        "sign": SEVERITY_SIGNS[finding.severity],
        "claims": [claim_title(name) for name in finding.claims],
    }


def _loss(run: "Run") -> Figure | None:
    losses = run.losses
    if not losses.steps:
        return None
    fit = [v for v in losses.values if math.isfinite(v)]
    marks: list[Mark] = [Curve(losses.values, losses.steps, "training loss")]
    if any(r.low != r.high for r in losses.readings):
        low, high = [r.low for r in losses.readings], [r.high for r in losses.readings]
        marks.insert(0, Band(losses.steps, low, high, "lowest and highest"))
    if "held out" in run.series:
        held = run.series["held out"]
        marks.append(Points(held.steps, held.values, "held-out loss", "other"))
    for event in [e for e in run.events if e.severity.rank >= 2][:MARKED]:
        marks.append(Level(event.step, event.finding.title, "other", axis="x"))
    log = bool(fit) and min(fit) > 0 and max(fit) > 20 * min(fit)
    return Figure("Loss and events", "step", "loss", tuple(marks), log_y=log)


def _stability(run: "Run") -> Figure | None:
    series = run.series.get("stability")
    if series is None:
        return None
    low, high = [r.low for r in series.readings], [r.high for r in series.readings]
    positive = all(v > 0 for v in series.values)
    return Figure(
        "Stability of the optimizer",
        "step",
        "learning rate × curvature / limit",
        (
            Points(series.steps, series.values, "measured", low=low, high=high),
            Curve(series.values, series.steps, "", dashed=True),
            Level(1.0, "edge of stability"),
        ),
        log_y=positive,
        caption="At 1 the optimizer is at the edge of stability. Above 1 the loss oscillates.",
    )


def _curve(series: "Series", title: str, y: str, log: bool) -> Figure | None:
    rows = [
        (s, r)
        for s, r in zip(series.steps, series.readings, strict=True)
        if math.isfinite(r.value) and (r.value > 0 or not log)
    ]
    if len(rows) < 2 or not any(r.value for _, r in rows):
        return None  # a single point or a row of zeros shows nothing; the readings have it
    steps, values = [s for s, _ in rows], [r.value for _, r in rows]
    marks: list[Mark] = [Curve(values, steps, "measured")]
    if any(r.low != r.high for _, r in rows):
        top = 10 * max(values)  # an interval without an end is drawn to the edge
        low = [max(r.low, min(values) / 10) if log else r.low for _, r in rows]
        marks.insert(0, Band(steps, low, [min(r.high, top) for _, r in rows], "interval"))
    return Figure(title, "step", y, tuple(marks), log_y=log)
