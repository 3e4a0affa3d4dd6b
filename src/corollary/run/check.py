"""Runs entries of the catalogue: seeds, processes, time limits, and crashes turned into results.

A run is a pure function of (entries, options, seed, versions, thread count): each entry has its own
generator, results have the requested order, and nothing that varies between two runs (such as its
duration or process) is part of a result. An interrupted run keeps its journal; when it is resumed,
it gives exactly the JSON of an uninterrupted run.
"""

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from corollary.core import Result, Verdict
from corollary.errors import CorollaryError, OptionError, TimeLimitError
from corollary.registry import Entry, find
from corollary.run.journal import Journal
from corollary.run.limits import time_limit
from corollary.run.results import Run, environment
from corollary.run.spread import WorkerDiedError, alone, spread
from corollary.run.torch_defaults import torch_defaults
from corollary.suites import suite as entries_of

COST_SECONDS = {"instant": 1.0, "seconds": 10.0, "minutes": 300.0, "long": 3600.0}
# A claim may take this many times its stated cost, because machines differ, and this many seconds
# more, because the first one of a process imports torch and may compile kernels.
PATIENCE, START_UP = 10.0, 60.0
Progress = Callable[[Entry, Result, float], None]  # called with each result and its seconds


def check(
    names: str | Sequence[str] | None = None,
    *,
    suite: str | None = None,
    seed: int = 0,
    jobs: int = 1,
    timeout: float | None = None,
    **options: Any,
) -> Run:
    """Check claims by name, or a suite; ``options`` set parameters of the claims that have them.

    Example:
        >>> run = check("novikoff", gamma=0.2)
        >>> run.results[0].verdict.value
        'holds'
    """
    if isinstance(names, str):
        names = [names]
    chosen = [find(name) for name in names or ()]
    if suite is not None or not chosen:
        chosen += entries_of(suite or "quick")
    return run(chosen, seed=seed, jobs=jobs, timeout=timeout, options=options)


def run(
    chosen: Sequence[Entry],
    *,
    seed: int = 0,
    jobs: int = 1,
    timeout: float | None = None,
    options: dict[str, Any] | None = None,
    journal: Journal | None = None,
    progress: Progress | None = None,
) -> Run:
    """Run ``chosen`` in ``jobs`` processes.

    Args:
        chosen: Entries, each run once, results in this order.
        seed: The user's seed; each entry derives its own from it and its name.
        jobs: Processes. Work is handed to joblib, so a Dask or Ray backend set by
            ``joblib.parallel_config`` spreads it over a cluster.
        timeout: Seconds for each entry; by default ten times its stated cost plus one minute.
        options: Parameters for the claims that have them; at least one claim must have each
            parameter.
        journal: Where finished results are kept until the run is complete.
        progress: Called after each result.
    """
    options = options or {}
    # Every option is tried on its claim before anything runs: a typing mistake costs no minutes.
    settings = {e.name: _settings(e, options) for e in chosen}
    _all_used(options, settings)
    todo = {e.name: e for e in chosen}
    done = journal.read(Result) if journal else {}
    done = {name: result for name, result in done.items() if name in todo}
    waiting = [e for e in todo.values() if e.name not in done]
    where = environment()  # before the work: worker processes have their own thread counts
    for entry, result, seconds in _results(waiting, settings, seed, jobs, timeout):
        done[entry.name] = result
        if journal:
            journal.append(result)
        if progress:
            progress(entry, result, seconds)
    return Run(where, seed, tuple(done[name] for name in todo))


def run_entry(
    entry: Entry, settings: dict[str, Any], seed: int, timeout: float | None
) -> tuple[Result, float]:
    """Check one claim; an error becomes its result. Also returns the seconds it took."""
    cost = COST_SECONDS.get(entry.cost, COST_SECONDS["long"])
    limit = timeout or PATIENCE * cost + START_UP
    start = time.perf_counter()
    try:
        with time_limit(limit), torch_defaults():
            result = entry.load()(**settings).check(seed)
    except TimeLimitError:
        result = _unfinished(
            entry,
            settings,
            seed,
            Verdict.INCONCLUSIVE,
            f"the time limit of {limit:g} s was reached",
        )
    except Exception as error:  # a crash is a row of the report, never the end of it
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = "" if isinstance(error, CorollaryError) else f" at {last.name}, line {last.lineno}"
        note = f"{type(error).__name__}: {error}{where}"
        result = _unfinished(entry, settings, seed, Verdict.CRASHED, note)
    return result, time.perf_counter() - start


def _results(
    waiting: list[Entry],
    settings: dict[str, dict[str, Any]],
    seed: int,
    jobs: int,
    timeout: float | None,
) -> Iterator[tuple[Entry, Result, float]]:
    if jobs == 1:
        for entry in waiting:
            yield entry, *run_entry(entry, settings[entry.name], seed, timeout)
        return
    from torch import get_num_threads

    threads = get_num_threads()

    def outcomes(chosen: list[Entry]) -> Iterator[tuple[Result, float]]:
        rows = [(threads, run_entry, e, settings[e.name], seed, timeout) for e in chosen]
        yield from spread(alone, rows, jobs)

    left = {entry.name: entry for entry in waiting}
    # Long entries first, so that no process is left alone with one at the end.
    order = sorted(waiting, key=lambda e: -COST_SECONDS.get(e.cost, 0.0))
    try:
        for result, seconds in outcomes(order):
            yield left.pop(result.name), result, seconds
    except WorkerDiedError:  # a process died (out of memory, say), and took others along
        for entry in list(left.values()):
            try:
                ((result, seconds),) = outcomes([entry])
            except WorkerDiedError:
                note = "the process of this claim died; it may have run out of memory"
                result = _unfinished(entry, settings[entry.name], seed, Verdict.CRASHED, note)
                seconds = 0.0
            yield entry, result, seconds


def _settings(entry: Entry, options: dict[str, Any]) -> dict[str, Any]:
    """The options that this entry accepts, converted to their types; a wrong value raises."""
    known = {option.name for option in entry.options}
    mine = {name: value for name, value in options.items() if name in known}
    if not mine:
        return {}
    from typing import get_type_hints

    from corollary.core.options import parse

    claim = entry.load()
    kinds = get_type_hints(claim)
    typed = {
        name: parse(name, value, kinds[name]) if isinstance(value, str) else value
        for name, value in mine.items()
    }
    claim(**typed)
    return typed


def _all_used(options: dict[str, Any], settings: dict[str, dict[str, Any]]) -> None:
    used = {name for mine in settings.values() for name in mine}
    for name in options:
        if name not in used:
            known = sorted({o.name for e in settings for o in find(e).options})
            names = ", ".join(known) if known else "none"
            raise OptionError(
                f"none of the chosen claims has an option '{name}'; the claims have the options "
                f"{names}"
            )


def _unfinished(
    entry: Entry, settings: dict[str, Any], seed: int, verdict: Verdict, note: str
) -> Result:
    parameters = {o.name: o.default for o in entry.options} | settings
    return Result(entry.name, entry.title, verdict, seed=seed, parameters=parameters, note=note)
