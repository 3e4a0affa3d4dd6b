"""An examination as JUnit XML: a suite per question, a test case per exam.

What failed has the text of its cause, what was not answered is skipped with its reason, and an
examination that was cut short is an error.
"""

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from corollary.core.finding import Severity
from corollary.errors import printable
from corollary.examine.questions import CUT_SHORT, asked
from corollary.report.outcomes import Outcome, outcomes

if TYPE_CHECKING:
    from corollary.examine.examination import Examination

TAGS = {"failed": "failure", "skipped": "skipped", "error": "error"}
COUNTS = {"failed": "failures", "skipped": "skipped", "error": "errors"}


def junit_xml(done: "Examination", target: str, fail_on: Severity = Severity.HIGH) -> str:
    """The file as text.

    Args:
        done: The examination.
        target: What was examined; the class name of its test cases.
        fail_on: The lowest severity that fails a test case.
    """
    found = outcomes(done, fail_on)
    root = ElementTree.Element("testsuites", {"name": "corollary"} | _counts(found))
    for area in dict.fromkeys(outcome.exam.split("/")[0] for outcome in found):
        mine = [outcome for outcome in found if outcome.exam.startswith(f"{area}/")]
        suite = ElementTree.SubElement(root, "testsuite", {"name": asked(area)} | _counts(mine))
        for outcome in mine:
            _add_case(suite, outcome, target, done.subject.get("source", {}))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(
    suite: ElementTree.Element, outcome: Outcome, target: str, source: dict[str, list[str | int]]
) -> None:
    area, stem = outcome.exam.split("/")
    at = source.get(outcome.where) or source.get("") or []
    place = dict(zip(("file", "line"), map(str, at), strict=False))
    named = {"classname": printable(f"{target}.{area}"), "name": stem}
    case = ElementTree.SubElement(suite, "testcase", named | place)
    if tag := TAGS.get(_state(outcome)):
        reason = printable(outcome.reason)
        ElementTree.SubElement(case, tag, message=reason).text = printable(outcome.text) or reason


def _state(outcome: Outcome) -> str:
    return "error" if outcome.exam == CUT_SHORT else outcome.state


def _counts(found: "tuple[Outcome, ...] | list[Outcome]") -> dict[str, str]:
    states = [_state(outcome) for outcome in found]
    return {"tests": str(len(found))} | {
        word: str(states.count(state)) for state, word in COUNTS.items()
    }
