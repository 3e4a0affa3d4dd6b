"""Claims, checked one after the other in a warm process."""

import time
from typing import Any, get_type_hints

from corollary.core import Claim, Figure, Result, Trial
from corollary.core.options import parse
from corollary.errors import CorollaryError, InputError
from corollary.lab.work.channel import Channel, Order, starved
from corollary.registry import Entry, find
from corollary.report.numerals import interval, numeral
from corollary.report.proof import proof_html
from corollary.report.signs import VERDICT_SIGNS
from corollary.report.svg import figure_svg
from corollary.report.view import reason, rows, without
from corollary.run.check import run
from corollary.run.journal import remember
from corollary.run.limits import time_limit
from corollary.run.prove import prove_entry
from corollary.run.results import Run, environment
from corollary.run.torch_defaults import torch_defaults

DRAWING = 2.0  # seconds for the figure of a counterexample, which no claim promises to have


def serve(channel: Channel) -> None:
    """Carry out orders until the server stops."""
    while (order := channel.next()) is not None:
        number = order["id"]
        channel.begin(number)
        answer: dict[str, Any] = {"cancelled": True}
        if number not in channel.cancelled:
            answer = answered(order)
        channel.begin(0)
        done = answer.pop("done", None)
        if done is not None and number not in channel.cancelled:
            remember(done)
        if starved(answer.get("error", "")):
            raise MemoryError
        channel.say(id=number, **answer)


def answered(order: Order) -> dict[str, Any]:
    """The answer to one order; an error becomes one sentence in it."""
    try:
        entry = find(order["name"])
        if entry.is_exam:
            raise InputError(f"{entry.name} is an exam; open the page Examine")
        return WORK[order["do"]](entry, order)
    except CorollaryError as error:
        return {"error": str(error), "status": 400}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "status": 500}


def _check(entry: Entry, order: Order) -> dict[str, Any]:
    took: list[float] = []
    done = run(
        [entry],
        seed=order["seed"],
        options=order["options"],
        timeout=order["seconds"],
        progress=lambda entry, result, seconds: took.append(seconds),
    )
    (result,) = done.results
    if starved(result.note):
        raise MemoryError
    return {
        "results": done.to_json(),
        "view": view(result),
        "seconds": took[0],
        "done": done,  # for the worker itself
    }


def _live(entry: Entry, order: Order) -> dict[str, Any]:
    """One figure and the numbers, for a slider that is still moving."""
    start = time.perf_counter()
    claim = _claim(entry, order["options"])
    with time_limit(order["seconds"]), torch_defaults():
        result = claim.check_live(order["seed"], order["figure"])
    return {
        "results": Run(environment(), order["seed"], (result,)).to_json(),
        "view": view(result),
        "seconds": time.perf_counter() - start,
        "live": True,
    }


def view(result: Result) -> dict[str, Any]:
    """The texts that a page shows about a result."""
    shown, left = rows(result)
    return {
        "verdict": result.verdict.value,
        "sign": VERDICT_SIGNS[result.verdict],
        "meaning": result.verdict.meaning,
        "reason": reason(result),
        "relation": result.relation,
        "symbols": result.symbols,
        "tolerance": result.tolerance,
        "note": result.note,
        "rows": [vars(row) for row in shown],
        "left": left,
        "hypotheses": [vars(h) for h in result.hypotheses],
        "without": [without(c) for c in result.counterexamples],
        "figures": [drawn(figure) for figure in result.figures],
    }


def drawn(figure: Figure) -> dict[str, str]:
    """A figure as SVG whose styles the page's policy lets through: its script sets them."""
    return {"svg": unstyled(figure_svg(figure)), "caption": figure.caption, "title": figure.title}


def unstyled(html: str) -> str:
    """Inline styles under another name; text cannot look like one, for its quotes are escaped."""
    return html.replace(' style="', ' data-style="')


def _counterexample(entry: Entry, order: Order) -> dict[str, Any]:
    start, seed = time.perf_counter(), order["seed"]
    claim = _claim(entry, order["options"])
    with time_limit(order["seconds"]):
        trials = list(claim.without(claim.draw(seed), seed))
    if not trials:
        reason = entry.fields.get("no-counterexample") or "there is no counterexample"
        return {"none": reason, "seconds": time.perf_counter() - start}
    broken = [_broken(claim, trial, seed) for trial in trials]
    return {"broken": broken, "seconds": time.perf_counter() - start}


def _proof(entry: Entry, order: Order) -> dict[str, Any]:
    start = time.perf_counter()
    with time_limit(order["seconds"]):
        made = prove_entry(entry, _claim(entry, order["options"]), order["seed"])
    return {"html": proof_html(made), "seconds": time.perf_counter() - start}


def _claim(entry: Entry, options: dict[str, str]) -> "Claim[Any]":
    made: type[Claim[Any]] = entry.load()
    kinds = get_type_hints(made)
    return made(**{name: parse(name, text, kinds[name]) for name, text in options.items()})


def _broken(claim: "Claim[Any]", trial: "Trial[Any]", seed: int) -> dict[str, Any]:
    """The hypotheses, numbers and figures of a counterexample."""
    outcome = trial.comparison
    reading = outcome.measured[outcome.worst]
    return {
        "words": trial.words,
        "hypotheses": [vars(h) for h in claim.hypotheses(trial.given)],
        "predicted": numeral(outcome.predicted[outcome.worst]),
        "measured": numeral(reading.value),
        "interval": interval(reading),
        "relation": claim.relation.symbol,
        "verdict": outcome.verdict.value,
        "figures": _figures(claim, trial, seed),
    }


def _figures(claim: "Claim[Any]", trial: "Trial[Any]", seed: int) -> list[dict[str, str]]:
    """The figures of the counterexample, if the claim can draw them quickly."""
    try:
        with time_limit(DRAWING):
            return [drawn(figure) for figure in claim.figures(trial, seed)]
    except Exception:
        return []


WORK = {"check": _check, "live": _live, "counterexample": _counterexample, "proof": _proof}
