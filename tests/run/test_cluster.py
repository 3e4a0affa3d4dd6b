"""Clusters of Dask and Ray on this machine give the bytes of one process."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest
import torch
from torch import nn

from corollary.errors import InputError, MissingExtraError
from corollary.run import cluster, spread
from corollary.run.cluster import joined
from corollary.run.journal import Journal
from corollary.run.reproduction import Job

CLAIMS = ["novikoff", "xor", "tangent_concentration", "three_lines"]
NET = """
import torch
from torch import nn

def build():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
"""


def test_without_the_word_there_are_processes():
    with joined("", 3) as workers:
        assert workers == 3


def test_another_word_is_told():
    with pytest.raises(InputError, match="ray:ADDRESS, got 'spark'"), joined("spark", 2):
        pass


@pytest.mark.parametrize("kind", ["dask", "ray"])
def test_without_the_package_one_sentence_says_what_to_install(kind, monkeypatch):
    monkeypatch.setitem(cluster.KINDS, kind, ("a_package_that_is_not_there", None))
    with pytest.raises(MissingExtraError, match=rf"pip install 'corollary\[{kind}\]'$"):
        with joined(f"{kind}:10.0.0.1:8786", 2):
            pass


def doubled(number):
    return 2 * number


def test_a_backend_without_single_results_gives_those_of_each_round(monkeypatch):
    """So a journal is written before the last call has ended."""
    from joblib import parallel_config
    from joblib._parallel_backends import ThreadingBackend

    monkeypatch.setattr(ThreadingBackend, "supports_return_generator", False)
    monkeypatch.setattr(spread, "ROUND", 1)
    begun = []
    with parallel_config(backend="threading"):
        found = spread.spread(begun.append, [(n,) for n in range(6)], 2)
        next(found)
        assert len(begun) == 2
        assert list(spread.spread(doubled, [(n,) for n in range(5)], 2)) == [0, 2, 4, 6, 8]
        assert list(spread.spread(doubled, [], 2)) == []


def test_threads_of_a_worker_compute_one_after_another():
    inside, most = [], []

    def work():
        inside.append(0)
        time.sleep(0.01)
        most.append(len(inside))
        inside.pop()

    threads = [threading.Thread(target=spread.alone, args=(1, work)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 4


def test_the_death_of_a_worker_is_told_whatever_the_backend_calls_it(monkeypatch):
    class KilledWorker(Exception):  # of Dask
        pass

    def dies():
        raise KilledWorker

    from joblib import parallel_config

    with parallel_config(backend="threading"):
        with pytest.raises(spread.WorkerDiedError, match="fewer jobs"):
            list(spread.spread(dies, [()], 2))
        with pytest.raises(ZeroDivisionError):
            list(spread.spread(divmod, [(1, 0)], 2))


@pytest.fixture(scope="module", params=["dask", "ray"])
def kind(request):
    package = {"dask": "distributed", "ray": "ray"}[request.param]
    pytest.importorskip(package, reason=f"the package {package} is not installed")
    return request.param


def corollary(*words):
    """A command in a process of its own, whose cluster ends with it."""
    done = subprocess.run(
        [sys.executable, "-m", "corollary", *words], capture_output=True, text=True, timeout=600
    )
    assert done.returncode in (0, 3), done.stdout + done.stderr[-3000:]


@pytest.mark.slow
def test_claims_have_the_bytes_of_one_process(kind, tmp_path):
    alone, together = tmp_path / "alone.json", tmp_path / "cluster.json"
    corollary("check", *CLAIMS, "--json", str(alone))
    corollary("check", *CLAIMS, "--jobs", "2", "--cluster", kind, "--json", str(together))
    assert together.read_bytes() == alone.read_bytes()


@pytest.mark.slow
def test_checkpoints_have_the_bytes_of_one_process(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text(NET)
    net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
    for step in (9, 20):
        if step == 20:
            nn.init.constant_(net[0].weight, float("nan"))
        torch.save(net.state_dict(), f"step{step}.pt")
    words = ["examine", "net.py:build", "--data", "two_moons", "--each", "step*.pt"]
    words += ["--only", "soundness/finite", "--only", "soundness/parameters", "--effort", "quick"]
    corollary(*words, "--json", "alone.json")
    corollary(*words, "--jobs", "2", "--cluster", kind, "--json", "cluster.json")
    assert (tmp_path / "cluster.json").read_bytes() == (tmp_path / "alone.json").read_bytes()
    assert json.loads((tmp_path / "alone.json").read_text())["rows"][1]["examination"]


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("COROLLARY_DATA"), reason="the data are not on disk")
def test_experiments_have_the_values_of_one_process(kind, tmp_path):
    """Seconds differ from run to run; everything else is the same."""
    files = [tmp_path / name for name in ("alone.json", "cluster.json")]
    words = ["reproduce", "label_propagation", "--quick", "--json"]
    corollary(*words, str(files[0]))
    corollary(*words, str(files[1]), "--jobs", "2", "--cluster", kind)
    alone, together = (json.loads(file.read_text()) for file in files)
    for found in (alone, together):
        for job in found["jobs"]:
            del job["seconds"]
    assert together == alone and alone["jobs"]


SWEEP = """
import json, sys
from joblib import Parallel, delayed
import corollary
from corollary.run.cluster import joined

novikoff = corollary.claim("novikoff")
claims = [novikoff(gamma=g) for g in (0.4, 0.2, 0.1)]
def swept(jobs):
    pool = Parallel(n_jobs=jobs)
    found = pool(delayed(claim.check)(seed) for claim in claims for seed in range(2))
    return json.dumps([result.to_json() for result in found])

if __name__ == "__main__":
    alone = swept(1)
    with joined(sys.argv[1], 2) as workers:
        assert swept(workers) == alone
"""


@pytest.mark.slow
def test_a_sweep_has_the_bytes_of_one_process(kind, tmp_path):
    script = tmp_path / "sweep.py"
    script.write_text(SWEEP)
    done = subprocess.run([sys.executable, script, kind], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_one_sentence(kind):
    words = [sys.executable, "-m", "corollary", "check", "xor", "--cluster", f"{kind}:127.0.0.1:9"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert "answers at '127.0.0.1:9'" in done.stderr.splitlines()[-1]


def test_finished_jobs_are_kept_when_a_worker_dies(tmp_path, monkeypatch):
    from corollary.run import reproduce as running

    def half(*_):
        yield Job("coins/coin", "fair", 0, 1.0)
        raise spread.WorkerDiedError("a worker process died")

    class Entry:
        name = "coins/coin"

    journal = Journal(tmp_path / "jobs.jsonl")
    monkeypatch.setattr(running, "spread", half)
    monkeypatch.setattr(
        running, "plans", lambda *_, **__: iter([(Entry, "fair", 0), (Entry, "fair", 1)])
    )
    with pytest.raises(spread.WorkerDiedError):
        running.reproduce([], jobs=2, journal=journal)
    assert list(journal.read(Job)) == ["coins/coin: fair, seed 0"]
