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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a claim; those of minutes and more belong to `make check-full`."""
    if "entry" in metafunc.fixturenames:
        slow = [pytest.mark.slow]
        params = [
            pytest.param(e, id=e.name, marks=slow if e.cost in ("minutes", "long") else [])
            for e in entries()
            if not e.is_exam
        ]
        metafunc.parametrize("entry", params, scope="session")


@pytest.fixture
def tried(entry: Entry) -> Trial:
    return trial(entry)
