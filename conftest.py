"""What all tests and examples share: checked shapes, a cache of their own, one thread, one seed."""

import os
import random

import numpy as np
import pytest
from jaxtyping import install_import_hook

# Shape strings in signatures are checked in tests only; users pay nothing for them.
for room in ("data", "models", "theory"):
    install_import_hook(f"corollary.{room}", "beartype.beartype")


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    import torch

    torch.set_num_threads(1)


def pytest_addoption(parser):
    parser.addoption("--seed", type=int, default=0, help="where the global generators start")


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


mutants = {"made": 0, "caught": 0}


def pytest_runtest_logreport(report):
    """Add up the wrong predictions of the contract suite; workers send their reports here."""
    if report.when == "call":
        for key, number in report.user_properties:
            if key.startswith("mutants_"):
                mutants[key.removeprefix("mutants_")] += number


def pytest_terminal_summary(terminalreporter):
    if mutants["made"]:
        made, caught = mutants["made"], mutants["caught"]
        terminalreporter.write_line(f"mutated predictions caught: {caught} of {made}")
