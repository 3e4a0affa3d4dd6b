"""What all tests and examples share: a cache of their own, one thread, one seed, a CPU budget.

With ``COROLLARY_SHAPES=1`` the shape strings in signatures are checked at run time, which costs a
fifth of the suite's time; ``make check-full`` does so.
"""

import os
import random
import time

import numpy as np
import pytest

BUDGET = 2.0  # CPU seconds; what takes longer is marked slow and run by `make check-full`
SLACK = 5.0  # times the budget: a busy machine, and the first test of a process, which imports

if os.environ.get("COROLLARY_SHAPES"):
    from jaxtyping import install_import_hook

    for room in ("data", "models", "theory"):
        install_import_hook(f"corollary.{room}", "beartype.beartype")


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    import torch

    torch.set_num_threads(1)


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


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """No test reads or writes the user's cache."""
    monkeypatch.setenv("COROLLARY_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("COLUMNS", "100")
    os.environ.pop("FORCE_COLOR", None)


def cpu_seconds():
    """Of this process and of the children it has waited for."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Note the CPU seconds of each test; fail one that is far over its budget and not slow."""
    start = cpu_seconds()
    result = yield
    spent = cpu_seconds() - start
    item.user_properties.append(("cpu", spent))
    own = item.get_closest_marker("budget")
    budget = own.args[0] if own else BUDGET
    if spent > SLACK * budget and not item.get_closest_marker("slow"):
        pytest.fail(
            f"took {spent:.1f} CPU seconds, the budget is {budget:g}: make it smaller, or mark it "
            "slow",
            pytrace=False,
        )
    return result


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
