"""The plugin in a pytest of its own, in this process; the examination itself is made by hand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from corollary.core import Finding, Severity, Status
from corollary.errors import InputError
from corollary.examine import child
from corollary.examine.examination import Examination

TWICE = Finding("soundness/double_softmax", "Softmax is applied twice", Severity.HIGH)
FINE = Finding("soundness/finite", "All outputs are finite")
ODD = Finding("soundness/inputs", "Inputs are not centred", Severity.MEDIUM)
NOT = Finding("soundness/padding", "Padding", status=Status.NOT_APPLICABLE, meaning="no mask")
CUT = Finding("examination/cut_short", "Cut short", status=Status.FAILED, meaning="It died.")
ONLY = [f"--corollary-only={f.exam}" for f in (TWICE, FINE, ODD, NOT)]


class Results(dict):
    """Outcome and text of each test."""

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.skipped:
            told = report.longrepr[2] if report.skipped else report.longreprtext
            self[report.nodeid] = report.outcome, told


@pytest.fixture
def tested(sample, monkeypatch):
    """Run pytest in the sample; the examination has the findings that are given."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    orders = []

    def run(*words, findings=(), error=""):
        def examined(order):
            orders.append(order)
            if error:
                raise InputError(error)
            return Examination({}, {}, 1.0, tuple(findings))

        monkeypatch.setattr(child, "examine_in_child", examined)
        results = Results()
        quiet = ("-p", "corollary.testing.plugin", "-p", "no:cacheprovider", "-q", "-s")
        code = pytest.main([*quiet, "--import-mode=importlib", *words], plugins=[results])
        return code, results

    run.orders = orders
    return run


def test_exams_are_tests_that_pass_fail_or_are_skipped(tested, capsys):
    code, results = tested("--corollary=net.py:build", *ONLY, findings=(TWICE, FINE, ODD, NOT))
    assert code == 1 and len(tested.orders) == 1
    states = {name.rpartition("::")[2]: state for name, (state, _) in results.items()}
    assert states == {
        "examined": "passed",
        TWICE.exam: "failed",
        FINE.exam: "passed",
        ODD.exam: "passed",
        NOT.exam: "skipped",
    }
    assert results[f"net.py::build::{NOT.exam}"][1] == "Skipped: not applicable: no mask"
    text = results[f"net.py::build::{TWICE.exam}"][1]
    assert "Softmax is applied twice" in text and "Error" not in text
    assert "1 failed, 3 passed, 1 skipped" in capsys.readouterr().out


def test_the_threshold_and_the_selection_are_respected(tested):
    words = ("--corollary=net.py:build", *ONLY, "--corollary-fail-on=medium", "-k", "inputs")
    code, results = tested(*words, findings=(TWICE, ODD))
    assert code == 1 and list(results) == [f"net.py::build::{ODD.exam}"]
    assert tested.orders[0]["only"] == [ODD.exam]
    assert (tested.orders[0]["target"], tested.orders[0]["effort"]) == ("net.py:build", "quick")


def test_what_cannot_be_examined_fails_once_and_skips_the_rest(tested):
    code, results = tested("--corollary=net.py:refused", *ONLY, error="it cannot be called")
    assert code == 1 and results["net.py::refused::examined"] == ("failed", "it cannot be called")
    assert {state for state, _ in results.values()} == {"failed", "skipped"}
    code, results = tested("--corollary=net.py:refused", *ONLY, "-k", "finite", error="no")
    assert code == 1 and results[f"net.py::refused::{FINE.exam}"] == ("failed", "no")


def test_an_examination_that_is_cut_short_fails(tested):
    code, results = tested("--corollary=net.py:build", *ONLY, findings=(FINE, CUT))
    assert code == 1 and results["net.py::build::examined"] == ("failed", "It died.")
    assert results[f"net.py::build::{FINE.exam}"][0] == "passed"
    assert "before this exam began" in results[f"net.py::build::{ODD.exam}"][1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--corollary=ned.py:build",), "there is no file ned.py; did you mean net.py?"),
        (("--corollary=net.py:bild",), "'net.py' has no 'bild'; did you mean build?"),
        (("--corollary=net.py:build", "--corollary-only=sound"), "no question or exam 'sound'"),
    ],
)
def test_a_wrong_word_is_one_sentence_before_anything_runs(tested, capsys, words, said):
    code, _ = tested(*words)
    assert code == pytest.ExitCode.USAGE_ERROR and not tested.orders
    assert said in capsys.readouterr().err


TESTS = """
import pytest
import net

@pytest.mark.corollary(only="soundness/double_softmax")
def test_twice():
    return net.build()

@pytest.mark.corollary(only="soundness/double_softmax", fail_on="high")
class TestHealthy:
    def test_returned(self):
        return net.healthy()

    @pytest.mark.corollary(only="soundness/finite")
    def test_fixture(self, corollary_examine, corollary_assert_sound):
        done = corollary_examine(*net.healthy())
        assert {f.exam for f in done.findings} == {"soundness/finite"}
        corollary_assert_sound(*net.healthy())

@pytest.mark.corollary
def test_nothing_returned():
    pass

def test_unmarked():
    pass
"""


def test_marks_and_fixtures(tested, sample):
    (sample / "test_marked.py").write_text(TESTS)
    code, results = tested("--strict-markers", "test_marked.py")
    states = {name.rpartition("::")[2]: state for name, (state, _) in results.items()}
    assert code == 1 and states == {
        "test_twice": "failed",
        "test_returned": "passed",
        "test_fixture": "passed",
        "test_nothing_returned": "failed",
        "test_unmarked": "passed",
    }
    assert "is not sound: 1 cause" in results["test_marked.py::test_twice"][1]
    assert "got NoneType; return the model" in results["test_marked.py::test_nothing_returned"][1]


PAGE = Path(__file__).parents[2] / "docs" / "howto" / "in_ci" / "pytest.md"


def test_the_tests_on_the_page_pass(tested, sample):
    (code,) = re.findall(r"^```py\n# test_net.py\n(.*?)^```", PAGE.read_text("utf-8"), re.S | re.M)
    (sample / "test_page.py").write_text(code)
    code, results = tested("--strict-markers", "test_page.py")
    assert code == 0 and len(results) == 2


def test_the_options_on_the_page_are_those_of_the_plugin(tested, capsys):
    tested("--help")
    known = set(re.findall(r"--corollary[a-z-]*", capsys.readouterr().out))
    assert set(re.findall(r"--corollary[a-z-]*", PAGE.read_text("utf-8"))) == known


def test_without_the_option_the_plugin_imports_nothing_heavy():
    code = (
        "import sys, pytest; sys.argv[1:] = []\n"
        "code = pytest.main(['-p', 'corollary.testing.plugin', '--co', '-q', '/dev/null'])\n"
        "assert not {'torch', 'numpy'} & set(sys.modules)"
    )
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


@pytest.mark.slow
def test_workers_of_xdist_examine_once(sample):
    pytest.importorskip("xdist")
    (sample / "counted.py").write_text(
        "import net\n\ndef build():\n    print('built', file=open('calls.txt', 'a'))\n"
        "    return net.build()\n"
    )
    words = [sys.executable, "-m", "pytest", "-p", "corollary.testing.plugin", "-p", "xdist"]
    words += ["-n", "2", "--corollary=counted.py:build", "--corollary-only=soundness/finite"]
    words += ["--corollary-only=soundness/double_softmax", "--junitxml=tests.xml"]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "1 failed, 2 passed" in done.stdout
    assert (sample / "calls.txt").read_text() == "built\n"
    assert 'classname="counted.build"' in (sample / "tests.xml").read_text()
