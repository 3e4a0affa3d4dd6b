"""What all tests and examples share: a cache of their own, one thread, one seed, a CPU budget.

Tests that share something costly run in one process: all that the contract asks of a claim, a
folder that starts servers, or else a file, whose fixtures are then made once.

With ``COROLLARY_SHAPES=1`` the shape strings in signatures are checked at run time, which costs a
fifth of the suite's time; ``make check-full`` does so.
"""

import itertools
import os
import random
import re
import time
from importlib.util import find_spec

import numpy as np
import pytest

BUDGET = 2.0  # CPU seconds; what takes longer is marked slow and run by `make check-full`
SLACK = 5.0  # times the budget: machines differ
START_UP = 3.0  # CPU seconds for what the first test of a file imports and compiles
TOGETHER = (
    "tests/cli/examine/",
    "tests/lab/",
    "tests/mcp/",
)  # each test starts processes: one at a time

SHAPES = bool(os.environ.get("COROLLARY_SHAPES"))
if SHAPES:
    from jaxtyping import install_import_hook

    for room in ("data", "models", "theory"):
        install_import_hook(f"corollary.{room}", "shapes.checked")


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    import torch

    torch.set_num_threads(1)


@pytest.fixture(autouse=True, scope="session")
def compilation_is_noted():
    if find_spec("numba"):
        from numba.core import event

        event.Listener.register(Compiling)
        event.register("numba:compile", compiling)


def pytest_addoption(parser):
    parser.addoption("--seed", type=int, default=0, help="where the global generators start")
    parser.addoption("--costs", type=int, default=15, help="how many costly tests to list")


@pytest.fixture(autouse=True)
def one_seed(request):
    """A layer drawn without a generator is the same in every run, in any order of the tests."""
    import torch

    seed = request.config.getoption("seed")
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


@pytest.fixture(scope="session")
def fresh_folders(tmp_path_factory):
    """One folder per test; ``mktemp`` would look through all earlier ones each time."""
    parent = tmp_path_factory.mktemp("caches")
    return (parent / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_cache(fresh_folders, monkeypatch):
    """No test reads or writes the user's cache."""
    cache = next(fresh_folders)
    cache.mkdir()
    monkeypatch.setenv("COROLLARY_CACHE", str(cache))
    monkeypatch.setenv("COLUMNS", "100")
    os.environ.pop("FORCE_COLOR", None)


REFERENCE = 0.085  # CPU seconds of the work below on one idle core of 2.5 GHz


def slowness():
    """How many times longer work takes now than on an idle core; at least 1.

    Other programs slow a test down even in CPU seconds, because they share caches and cores.
    """
    import torch

    start = time.process_time()
    matrix = torch.ones(64, 64, dtype=torch.float64)
    for k in range(6000):
        matrix[k % 64] += sum(range(60))
    return max(1.0, (time.process_time() - start) / REFERENCE)


@pytest.fixture(scope="session", name="slowness")
def slowness_now():
    """The function, for tests that judge CPU seconds."""
    return slowness


def cpu_seconds():
    """Of this process and of the children it has waited for, without compiling kernels."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system - compiling.seconds


class Compiling:
    """CPU seconds that numba has compiled: once per machine, in whichever test comes first."""

    seconds = depth = 0

    def notify(self, event):
        self.depth += 1 if event.is_start else -1
        if event.is_start and self.depth == 1:
            self.began = time.process_time()
        elif event.is_end and self.depth == 0:
            self.seconds += time.process_time() - self.began


compiling = Compiling()


begun: set[os.PathLike[str]] = set()  # files of which a test has run


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Note the CPU seconds of each test; fail one that is far over its budget and not slow."""
    start = cpu_seconds()
    result = yield
    spent = cpu_seconds() - start
    item.user_properties.append(("cpu", spent))
    own = item.get_closest_marker("budget")
    budget = own.args[0] if own else BUDGET
    extra = 0.0 if item.path in begun else START_UP
    begun.add(item.path)
    free = SHAPES or item.get_closest_marker("slow")  # to check every call takes its time
    if not free and spent > SLACK * budget + extra and spent > slowness() * SLACK * budget + extra:
        pytest.fail(
            f"took {spent:.1f} CPU seconds, the budget is {budget:g}: make it smaller, or mark it "
            "slow",
            pytrace=False,
        )
    return result


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out whole units, in the order of collection: long ones first, doctests at the end."""
    from xdist.scheduler import LoadScopeScheduling

    class Units(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return unit(nodeid)

    config.option.loadscopereorder = False
    return Units(config, log)


def unit(nodeid):
    """The tests that run in one process with this one."""
    path = nodeid.partition("::")[0]
    entry = re.search(r"\[(\w+/\w+)[-\]]", nodeid) if "test_every_claim" in path else None
    return entry[1] if entry else next((f for f in TOGETHER if path.startswith(f)), path)


costs: dict[str, float] = {}
totals: dict[str, float] = {}
summaries: list[str] = []


def pytest_runtest_logreport(report):
    """Add up what tests report; workers send their reports here."""
    if report.when == "call":
        for key, number in report.user_properties:
            if key == "cpu":
                costs[report.nodeid] = number
            elif key.startswith("mutants_"):
                totals[key] = totals.get(key, 0) + number
            elif key == "summary":
                summaries.append(number)


def pytest_terminal_summary(terminalreporter, config):
    if costs:
        terminalreporter.write_line(f"{sum(costs.values()) / 60:.1f} CPU minutes in tests; most:")
        shown = sorted(costs, key=costs.__getitem__)[::-1][: config.getoption("costs")]
        for name in shown:
            terminalreporter.write_line(f"  {costs[name]:5.1f} s  {name}")
    if totals.get("mutants_made"):
        made, caught = totals["mutants_made"], totals["mutants_caught"]
        terminalreporter.write_line(f"mutated predictions caught: {caught:g} of {made:g}")
    for line in summaries:
        terminalreporter.write_line(line)
