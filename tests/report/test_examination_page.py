import json
from dataclasses import replace

import pytest
from markupsafe import escape

from corollary.core import Curve, Figure, Finding, Reading, Severity, Status
from corollary.errors import InputError
from corollary.examine.examination import Examination
from corollary.report.comparison import changes, named
from corollary.report.examination_page import (
    examination_html,
    examination_page,
    headline,
    write_examination,
)

FIGURE = Figure("Sharpness", x="step", y="λ", marks=(Curve([1, 2, 3], label="sharpness"),))
SUBJECT = {"module": "<script>Net", "parameters": 3, "dtypes": ["float32"], "lr": None}


@pytest.fixture
def done():
    findings = (
        Finding(
            "trainability/step",
            "Largest stable step",
            Severity.HIGH,
            where="net.0",
            value=Reading(0.1, 0.09, 0.11),
            unit="lr",
            expected="above 0.5",
            meaning="It diverges.",
            advice="Use <less>.",
            claims=("novikoff", "gone/claim"),
            figures=(FIGURE,),
        ),
        Finding("trainability/moments", "Moments", value=Reading(1.0, 1.0, 1.0)),
        Finding("soundness/causal", "Leakage", status=Status.NOT_APPLICABLE, meaning="no sequence"),
    )
    return Examination({"torch": "2"}, SUBJECT, 60.0, findings)


def test_it_goes_to_json_and_back(done):
    text = json.dumps(done.to_json(), allow_nan=False)
    assert json.dumps(Examination.from_json(json.loads(text)).to_json()) == text


def test_the_page_tells_verdicts_advice_and_details_and_escapes(done):
    page = examination_page(done)
    for part in (
        "1 thing to fix",
        "something is wrong",
        "not answered",
        "0.1 (0.09 to 0.11)",
        "Use &lt;less&gt;.",
        "Perceptron convergence",
        "gone/claim",
        "<svg",
    ):
        assert part in page
    assert "<script>Net" not in page and "&lt;script&gt;Net" in page
    assert "Content-Security-Policy" in page and "http://" not in page.replace("http://www.w3", "")


def test_a_notebook_cell_needs_no_script(done):
    cell = examination_html(done)
    assert "<script" not in cell and "Largest stable step" in cell


def test_changes_name_what_came_went_and_moved(done):
    step, *rest = done.findings
    milder = replace(done, findings=(replace(step, severity=Severity.LOW), *rest))
    assert changes(done, milder) == ["better: Largest stable step in net.0 (high before, low now)"]
    assert changes(replace(done, findings=tuple(rest)), done)[0].startswith("new: Largest")
    assert changes(done, replace(done, findings=tuple(rest)))[0].startswith("gone: Largest")
    assert changes(done, done) == ["nothing changed"]


def test_the_page_is_written_with_what_changed(done, tmp_path):
    write_examination(done, tmp_path / "e.html", before=done)
    assert "nothing changed" in (tmp_path / "e.html").read_text()


def test_advice_is_ordered_by_severity(done):
    assert [f.advice for f in done.advice()] == ["Use <less>."]
    assert done.worst() is Severity.HIGH


def test_of_equally_grave_findings_each_exam_advises_once_before_it_advises_twice(done):
    def told(exam, advice):
        return Finding(f"soundness/{exam}", "x", Severity.MEDIUM, advice=advice)

    findings = (told("inputs", "divide"), told("inputs", "subtract"), told("labels", "shuffle"))
    advised = replace(done, findings=findings).advice()
    assert [f.advice for f in advised] == ["divide", "shuffle", "subtract"]


def test_failed_exams_are_part_of_the_verdict_and_one_reason_is_told_once(done):
    broken = [
        Finding(f"trainability/{n}", n, status=Status.FAILED, meaning="it raised") for n in "ab"
    ]
    after = replace(done, findings=(*done.findings[1:], *broken))
    assert [a.verdict for a in after.answers()][0] == "nothing wrong found, 2 exams failed"
    page = examination_page(after)
    assert "<b>a; b</b> failed: it raised" in page and page.count("it raised") == 1
    assert "2 exams without an answer" in page


def test_a_layer_that_has_a_number_for_a_name_is_called_a_layer(done):
    step = replace(done.findings[0], where="3")
    assert named(step) == "Largest stable step in layer 3"
    assert "in <code>layer 3</code>" in examination_page(replace(done, findings=(step,)))


def test_printed_it_is_a_screen_of_text(done):
    text = str(done)
    assert text.startswith(headline(done)) and max(map(len, text.splitlines())) <= 100
    assert all(answer.question in text for answer in done.answers())
    assert repr(done).startswith("<Examination of ") and "\n" not in repr(done)


def test_advice_prints_what_to_do_and_is_still_a_tuple(done):
    advice = done.advice()
    assert isinstance(advice, tuple) and str(advice).startswith(f"1. {advice[0].advice[:40]}")
    assert str(done.advice(0)) == "Nothing to do."


def test_it_is_saved_as_a_page_or_as_data(done, tmp_path):
    assert done.save(tmp_path / "e.html").read_text().startswith("<!doctype html>")
    again = Examination.from_json(json.loads(done.save(tmp_path / "e.json").read_text()))
    assert len(again.findings) == len(done.findings)
    with pytest.raises(InputError, match=r"expected a file name that ends in .html or .json"):
        done.save(tmp_path / "e.txt")


def test_a_notebook_cell_tells_what_to_do_and_keeps_its_rules_to_itself(done):
    cell = examination_html(done)
    assert str(escape(done.advice()[0].advice)) in cell
    style = cell[cell.index("<style>") + 7 : cell.index("</style>")]
    depth, outside = 0, ""
    for letter in style:
        outside += letter if depth == 0 else ""
        depth += {"{": 1, "}": -1}.get(letter, 0)
    rules = [rule for rule in outside.replace("}", "").split("{") if rule.strip()]
    assert all(".corollary-result" in rule for rule in rules)
