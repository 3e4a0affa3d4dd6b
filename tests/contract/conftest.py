"""Each claim is drawn, predicted and measured once for all contract tests of it."""

import time
from functools import lru_cache
from typing import Any, NamedTuple

import pytest

from corollary.core import Claim, Result, generator
from corollary.registry import Entry, entries


class Trial(NamedTuple):
    """A claim at its defaults with all it gives, and the CPU seconds of a full check."""

    claim: Claim[Any]
    given: Any
    predicted: Any
    measured: Any
    result: Result
    seconds: float


@lru_cache(maxsize=4)
def trial(entry: Entry) -> Trial:
    claim = entry.load()()
    start = time.process_time()
    result = claim.check(seed=0)
    seconds = time.process_time() - start
    given = claim.given(generator(0, claim.name()))
    return Trial(claim, given, claim.predict(given), claim.measure(given), result, seconds)


def marks(entry: Entry) -> list[pytest.MarkDecorator]:
    """All tests of a claim share a worker, and so its trial; long claims are for `check-full`."""
    slow = [pytest.mark.slow] if entry.cost in ("minutes", "long") else []
    return [pytest.mark.xdist_group(entry.name), *slow]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a claim."""
    if "entry" in metafunc.fixturenames:
        params = [pytest.param(e, id=e.name, marks=marks(e)) for e in entries() if not e.is_exam]
        metafunc.parametrize("entry", params, scope="session")


@pytest.fixture
def tried(entry: Entry) -> Trial:
    return trial(entry)
