"""Each claim is drawn, predicted and measured once for all contract tests of it."""

import time
from functools import lru_cache
from typing import Any, NamedTuple

import pytest

from corollary.core import Claim, Figure, Result, generator
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


def claims_by_cost(config: pytest.Config) -> list[Entry]:
    """Long claims belong to `make check-full`, which runs with ``-m slow`` or no mark at all."""
    return [e for e in entries() if not e.is_exam]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "entry" in metafunc.fixturenames:
        params = [
            pytest.param(
                e, id=e.name, marks=[pytest.mark.slow] if e.cost in ("minutes", "long") else []
            )
            for e in claims_by_cost(metafunc.config)
        ]
        metafunc.parametrize("entry", params)


@pytest.fixture
def tried(entry: Entry) -> Trial:
    return trial(entry)


__all__ = ["Figure", "Trial", "trial"]
