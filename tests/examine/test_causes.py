"""One cause, once, with its symptoms."""

from corollary.core import Finding, Severity
from corollary.examine.causes import causes_of


def found(exam, severity=Severity.HIGH, **more):
    return Finding(exam, exam, severity, **more)


def titles(*findings):
    causes = causes_of(findings)
    return [(c.finding.title, sorted(s.title for s in c.symptoms)) for c in causes]


def test_symptoms_of_symptoms_belong_to_the_first_cause():
    units, reach = found("trainability/units"), found("trainability/gradient_reach")
    run, regime = found("trainability/trial_run"), found("learning/regime", Severity.MEDIUM)
    assert titles(run, regime, reach, units) == [
        ("trainability/gradient_reach", ["learning/regime", run.title, "trainability/units"])
    ]


def test_of_two_that_explain_each_other_one_is_the_cause():
    a, b = found("trainability/initial_gain"), found("trainability/signal_passage")
    assert len(titles(a, b)) == 1 and len(titles(b, a)) == 1


def test_what_nothing_explains_is_a_cause_of_its_own():
    assert len(titles(found("soundness/labels"), found("soundness/determinism"))) == 2


def test_a_remark_explains_no_alarm():
    low, high = found("soundness/inputs", Severity.LOW), found("trainability/trial_run")
    assert [title for title, _ in titles(low, high)] == ["trainability/trial_run", low.title]


def test_healthy_findings_are_no_causes():
    assert titles(found("soundness/inputs", Severity.NONE)) == []
