import json
from pathlib import Path

import pytest

from corollary.core import Evidence, Finding, Reading, Severity, Status
from corollary.examine.examination import Examination
from corollary.report.sarif import sarif_json, sarif_log

# Fetched by tools/fetch_assets.py, as the schema is not ours to copy.
SCHEMA = Path(__file__).parents[1] / "schemas" / "sarif-2.1.0.json"
DEAD = Finding(
    "trainability/units",
    "Units that are never active",
    Severity.HIGH,
    where="body.net.0",
    quantity="share",
    value=Reading(0.9, 0.8, 1.0),
    expected="below 0.1",
    meaning="They do not learn.",
    advice="Start with smaller biases.",
    change="- bias.fill_(-100)\n+ bias.zero_()",
    evidence=Evidence.CONFIRMED,
    claims=("dead_units",),
)
STUCK = Finding("trainability/trial_run", "The loss stays", Severity.HIGH)
REMARK = Finding("soundness/inputs", "Inputs are \x1b[2J not centred", Severity.LOW)
NOT = Finding("soundness/padding", "Padding", status=Status.NOT_APPLICABLE, meaning="no mask")
CUT = Finding("examination/cut_short", "Cut short", status=Status.FAILED, meaning="It died.")
SOURCE = {"source": {"": ["net.py", 26], "body.net.0": ["my layers.py", 8]}}


def examination(*findings, subject=SOURCE):
    return Examination({"corollary": "0.2.0"}, subject, 1.0, findings)


DONE = examination(DEAD, STUCK, REMARK, NOT, Finding("soundness/finite", "All is finite"))


@pytest.mark.skipif(not SCHEMA.is_file(), reason="python tools/fetch_assets.py fetches the schema")
@pytest.mark.parametrize("done", [DONE, examination(CUT), examination(DEAD, CUT, subject={})])
def test_the_file_is_valid(done):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text())
    data = json.loads(sarif_json(done, "net.py:build"))
    assert [e.message for e in jsonschema.Draft7Validator(schema).iter_errors(data)] == []
    data["runs"][0]["results"].append({"level": "grave"})  # the schema is read
    assert list(jsonschema.Draft7Validator(schema).iter_errors(data))


def test_a_cause_is_one_result_with_its_symptoms():
    dead, remark = run(DONE)["results"]
    assert (dead["ruleId"], dead["level"]) == ("trainability/units", "error")
    text = dead["message"]["text"]
    assert "Units that are never active in body.net.0: share = 0.9 (0.8 to 1)" in text
    assert "Start with smaller biases.\n- bias" in text and "Symptoms: The loss stays." in text
    assert dead["properties"]["evidence"] == "confirmed"
    assert (remark["level"], "\x1b" in remark["message"]["text"]) == ("note", False)
    rules = run(DONE)["tool"]["driver"]["rules"]
    assert [rules[r["ruleIndex"]]["id"] for r in (dead, remark)] == [DEAD.exam, REMARK.exam]


def test_results_are_at_the_lines_of_their_layers(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "code").mkdir()
    monkeypatch.chdir(tmp_path / "code")
    dead, remark = (place(result) for result in run(DONE)["results"])
    assert dead == ("code/my%20layers.py", 8) and remark == ("code/net.py", 26)
    (bare,) = run(examination(DEAD, subject={}))["results"]
    assert place(bare) == ("code/net.py", 1)
    assert bare["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "body.net.0"}]


def test_what_was_not_answered_is_a_notification():
    (told,) = run(DONE)["invocations"]
    assert told["executionSuccessful"]
    assert [n["level"] for n in told["toolExecutionNotifications"]] == ["note"]
    assert not run(examination(DEAD, CUT))["invocations"][0]["executionSuccessful"]


def test_the_fingerprint_outlives_numbers_and_lines():
    later = Finding(DEAD.exam, DEAD.title, Severity.MEDIUM, where=DEAD.where)
    (before,) = run(examination(DEAD))["results"]
    (after,) = run(examination(later, subject={}))["results"]
    assert before["partialFingerprints"] == after["partialFingerprints"]


def run(done):
    return sarif_log(done, "net.py:build")["runs"][0]


def place(result):
    at = result["locations"][0]["physicalLocation"]
    return at["artifactLocation"]["uri"], at["region"]["startLine"]
