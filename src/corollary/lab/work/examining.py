"""One examination; the user's code runs here."""

from collections.abc import Sequence
from typing import Any

from corollary.core import Finding
from corollary.errors import CorollaryError, one_line
from corollary.examine.examination import Examination
from corollary.examine.examiner import examine_subject
from corollary.examine.prepare import load_subject
from corollary.examine.questions import chosen_exams
from corollary.lab.work.channel import Channel, starved
from corollary.lab.work.checking import unstyled
from corollary.registry import Entry
from corollary.report.examination_page import examination_page, facts
from corollary.report.page import template
from corollary.run.results import environment


def serve(channel: Channel) -> None:
    """Carry out the one order that is sent, then end."""
    order = channel.next()
    assert order is not None
    try:
        over = _examined(channel, order)
    except CorollaryError as error:
        over = {"error": one_line(str(error))}
    except (SystemExit, KeyboardInterrupt) as error:
        over = {"error": f"the code of {order['target']} raised {type(error).__name__}"}
    except Exception as error:
        if starved(error):
            raise
        over = {"error": one_line(f"{order['target']}: {type(error).__name__}: {error}")}
    channel.say(over=over)


def _examined(channel: Channel, order: dict[str, Any]) -> dict[str, Any]:
    only = order.get("only") or None
    total = len(chosen_exams(only))
    channel.say(progress={"done": 0, "total": total, "title": "loading the network"})
    subject = load_subject(order)
    where, found = environment(), list[Finding]()
    count = 0

    def progress(entry: Entry, findings: Sequence[Finding]) -> None:
        nonlocal count
        count += 1
        found.extend(findings)
        so_far = Examination(where, subject.describe(), order["budget"], tuple(found))
        said = {"done": count, "total": total, "title": entry.title}
        channel.say(progress=said, page=page(so_far))

    done = examine_subject(subject, budget=order["budget"], only=only, progress=progress)
    channel.say(file={"html": examination_page(done), "json": done.to_json()})
    return {"done": True}


def page(done: Examination) -> dict[str, Any]:
    """What the page shows of an examination."""
    told = facts(done)
    findings = template("findings.html.jinja")
    return {
        "headline": told["headline"],
        "advice": [list(item) for item in told["advice"]],
        "answers": [
            {key: answer[key] for key in ("name", "question", "verdict", "severity")}
            | {"html": unstyled(findings.render(answer=answer))}
            for answer in told["answers"]
        ],
    }
