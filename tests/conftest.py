"""What all tests share: shapes checked at run time, a cache of their own, one thread."""

import os

import pytest
from jaxtyping import install_import_hook

# Shape strings in signatures are checked in tests only; users pay nothing for them.
for room in ("data", "models", "theory"):
    install_import_hook(f"corollary.{room}", "beartype.beartype")


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    import torch

    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """No test reads or writes the user's cache."""
    monkeypatch.setenv("COROLLARY_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("COLUMNS", "100")
    os.environ.pop("FORCE_COLOR", None)


@pytest.fixture
def mutants_caught(request):
    """Adds to the count of wrong predictions that were noticed, printed at the end."""

    def add(number):
        request.node.user_properties.append(("mutants", number))

    return add


def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        counted.append(sum(n for key, n in report.user_properties if key == "mutants"))


counted: list[int] = []


def pytest_terminal_summary(terminalreporter):
    """With parallel workers the reports reach the main process, so the count is complete there."""
    if sum(counted):
        terminalreporter.write_line(f"mutated predictions caught: {sum(counted)} of {sum(counted)}")
