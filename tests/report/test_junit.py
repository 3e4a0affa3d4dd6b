from xml.etree import ElementTree

from corollary.core import Finding, Severity, Status
from corollary.examine.examination import Examination
from corollary.report.junit import junit_xml

TWICE = Finding("soundness/double_softmax", "Softmax <twice>", Severity.HIGH, meaning="It & it.")
ODD = Finding("soundness/inputs", "Inputs\x1b", Severity.MEDIUM, where="head", advice="Scale.")
FINE = Finding("trainability/units", "All units are active")
NOT = Finding("trainability/noise", "Noise", status=Status.LEFT_OUT, meaning="too much work")
CUT = Finding("examination/cut_short", "Cut short", status=Status.FAILED, meaning="It died.")
SUBJECT = {"source": {"": ["net.py", 3], "head": ["net.py", 9]}}


def cases(*findings, **options):
    """The counts of the whole, and each test case by name."""
    done = Examination({}, SUBJECT, 1.0, findings)
    root = ElementTree.fromstring(junit_xml(done, "net.py:build", **options))
    assert root.tag == "testsuites" and all(s.tag == "testsuite" for s in root)
    for word in ("tests", "failures", "errors", "skipped"):
        assert int(root.get(word)) == sum(int(suite.get(word)) for suite in root)
    return root, {case.get("name"): case for case in root.iter("testcase")}


def test_exams_are_test_cases_in_a_suite_per_question():
    root, found = cases(TWICE, ODD, FINE, NOT)
    assert [suite.get("name") for suite in root] == ["Is it sound?", "Will it train?"]
    assert [found[n].get("classname") for n in ("inputs", "units")] == [
        "net.py:build.soundness",
        "net.py:build.trainability",
    ]
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("4", "1", "1")
    failure = found["double_softmax"].find("failure")
    assert failure.get("message") == "Softmax <twice> (high)" and "It & it." in failure.text
    assert found["noise"].find("skipped").get("message") == "left out: too much work"
    assert len(found["units"]) == 0 and found["units"].get("line") == "3"


def test_the_threshold_decides_what_fails():
    root, found = cases(TWICE, ODD, fail_on=Severity.MEDIUM)
    assert root.get("failures") == "2"
    assert found["inputs"].get("line") == "9" and "Scale." in found["inputs"][0].text


def test_an_examination_that_is_cut_short_is_an_error():
    root, found = cases(FINE, CUT)
    assert root.get("errors") == "1" and root.get("skipped") == "0"
    assert "It died." in found["cut_short"].find("error").text
