import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from corollary.core import Verdict
from corollary.errors import OptionError, TimeLimitError, UnknownNameError
from corollary.registry import Entry, find
from corollary.run.check import check, run, run_entry
from corollary.run.journal import Journal
from corollary.run.limits import time_limit
from corollary.run.results import Run
from corollary.suites import suite

BROKEN = '''"""A claim that cannot be loaded.

:source: Nobody (2000).
:kind: bound
:covers: none
"""
raise RuntimeError("no such luck")
'''


@pytest.fixture
def broken(tmp_path, monkeypatch):
    folder = tmp_path / "claims" / "mishaps"
    folder.mkdir(parents=True)
    (folder / "broken.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(str(tmp_path))
    return Entry("mishaps/broken", "claims.mishaps.broken", folder / "broken.py", BROKEN[3:100])


def test_a_crash_is_a_result_with_its_reason(broken):
    result, _ = run_entry(broken, {}, seed=0, timeout=None)
    assert result.verdict is Verdict.CRASHED
    assert "RuntimeError: no such luck" in result.note


def test_a_time_out_is_a_result():
    result, _ = run_entry(find("novikoff"), {"n": 100_000}, seed=0, timeout=0.001)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "time limit of 0.001 s" in result.note


@pytest.mark.slow  # three processes import torch
def test_a_process_that_dies_costs_only_its_own_entry():
    class Deadly(Entry):
        def load(self):
            os._exit(9)

    novikoff = find("novikoff")
    deadly = Deadly("mishaps/deadly", novikoff.module, novikoff.path, BROKEN[3:100])
    done = run([novikoff, deadly, find("xor")], jobs=2)
    verdicts = [result.verdict for result in done.results]
    assert verdicts == [Verdict.HOLDS, Verdict.CRASHED, Verdict.HOLDS]
    assert "died" in done.results[1].note


def wraps():
    try:
        time.sleep(30)
    except BaseException as error:
        raise RuntimeError("something of ours") from error


def swallows():
    for _ in range(2):
        with suppress(BaseException):
            time.sleep(30)
    time.sleep(30)


def misnames():
    try:
        time.sleep(30)
    except Exception:
        raise RuntimeError("no such luck") from None


@pytest.mark.parametrize("library", [wraps, swallows, misnames])
def test_no_library_hides_the_end_of_the_time(library):
    start = time.perf_counter()
    with pytest.raises(TimeLimitError, match="time limit of 0.05 s"), time_limit(0.05):
        library()
    assert time.perf_counter() - start < 10


def test_an_error_before_the_end_of_the_time_stays_what_it_is():
    with pytest.raises(ZeroDivisionError), time_limit(10):
        _ = 1 / 0


def test_an_import_is_not_interrupted(tmp_path, monkeypatch):
    """Half a module would stay behind, and every later run of the process would find it."""
    text = "import time\ntime.sleep(0.2)\nwhole = True\n"
    (tmp_path / "slow_to_import.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(TimeLimitError), time_limit(0.05):
        import slow_to_import

        time.sleep(10)
    import slow_to_import

    assert slow_to_import.whole


def test_the_time_limit_gives_the_signal_back():
    before = signal.getsignal(signal.SIGALRM)
    with time_limit(10):
        pass
    assert signal.getsignal(signal.SIGALRM) is before


def test_processes_and_order_change_nothing():
    chosen = suite("quick")[:3]
    alone = run(chosen, seed=5).to_json()
    together = run(chosen, seed=5, jobs=2).to_json()
    backwards = run(chosen[::-1], seed=5).to_json()
    assert together == alone
    assert backwards["results"][::-1] == alone["results"]


def test_a_resumed_run_gives_the_json_of_an_uninterrupted_one(tmp_path):
    chosen = suite("quick")[:3]
    whole = run(chosen, seed=2)
    journal = Journal(tmp_path / "run.jsonl")
    journal.append(whole.results[0])
    with journal.path.open("a") as file:
        file.write('{"name": "cut sho')  # killed while writing
    assert json.dumps(run(chosen, seed=2, journal=journal).to_json()) == json.dumps(whole.to_json())


@pytest.mark.slow  # three processes import torch
def test_an_interrupted_command_resumes_to_the_same_file(tmp_path):
    env = os.environ | {"COROLLARY_CACHE": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"}
    words = [sys.executable, "-c", "from corollary.cli import main; main()", "check"]
    words += ["--suite", "connectionism", "--seed", "3", "--json"]
    # A job in the background of a script inherits a SIGINT that is ignored.
    process = subprocess.Popen(
        [*words, str(tmp_path / "a.json")],
        env=env,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    journals = tmp_path / "cache" / "runs"
    while process.poll() is None and not any(
        journal.read_text().endswith("\n") for journal in journals.glob("*.jsonl")
    ):  # the file is there a moment before its first line
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert not (tmp_path / "a.json").exists()
    kept = sum(len(j.read_text().splitlines()) for j in journals.glob("*.jsonl"))
    assert kept >= 1
    done = subprocess.run([*words, str(tmp_path / "a.json"), "--resume"], env=env)
    fresh = subprocess.run([*words, str(tmp_path / "b.json")], env=env)
    assert done.returncode == fresh.returncode == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert not list(journals.glob("*.jsonl"))


def test_an_unknown_option_names_those_there_are():
    with pytest.raises(OptionError, match="no.* option 'gama'.*gamma"):
        check("novikoff", gama=1)


def test_a_near_miss_is_answered_with_suggestions():
    with pytest.raises(UnknownNameError, match="did you mean novikoff"):
        find("novikof")


def test_exit_codes_tell_the_worst_verdict():
    done = check("novikoff")
    assert done.exit_code == 0
    from dataclasses import replace

    def with_verdict(*verdicts):
        return Run({}, 0, tuple(replace(done.results[0], verdict=v) for v in verdicts)).exit_code

    assert with_verdict(Verdict.HOLDS, Verdict.INCONCLUSIVE) == 3
    assert with_verdict(Verdict.CRASHED, Verdict.FAILS) == 1
    assert with_verdict(Verdict.VACUOUS) == 0
