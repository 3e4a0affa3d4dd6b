"""Each claim is drawn, predicted and measured once for all contract tests of it."""

import time
from functools import lru_cache
from typing import NamedTuple

import pytest

from corollary.core.contract import Case
from corollary.registry import Entry, entries


class Trial(NamedTuple):
    """A claim at its defaults, and the CPU seconds of a full check."""

    case: Case
    seconds: float


@lru_cache(maxsize=4)
def trial(entry: Entry) -> Trial:
    case = Case(entry.load()(), entry.fields)
    start = time.process_time()
    assert case.result is not None
    return Trial(case, time.process_time() - start)


def marks(entry: Entry) -> list[pytest.MarkDecorator]:
    """Long claims are for `check-full`; those of seconds, at three seeds, have a budget of 8."""
    if entry.cost == "seconds":
        return [pytest.mark.budget(8)]
    long = [pytest.mark.slow, pytest.mark.timeout(3600)]  # three seeds of minutes, types checked
    return long if entry.cost in ("minutes", "long") else []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per claim."""
    if "entry" in metafunc.fixturenames:
        claims = [e for e in entries() if not e.is_exam]
        params = [pytest.param(e, id=e.name, marks=marks(e)) for e in claims]
        metafunc.parametrize("entry", params, scope="session")


@pytest.fixture
def tried(entry: Entry) -> Trial:
    return trial(entry)


@pytest.fixture
def case(entry: Entry) -> Case:
    return trial(entry).case
