"""Runs entries of the catalogue: seeds, processes, time limits, and crashes turned into results.

A run is a pure function of (entries, options, seed, versions, thread count): each entry has its
own generator, results stand in the order asked for, and nothing that varies between two runs (the
time it took, the process it ran in) is part of a result. An interrupted run leaves its journal
behind and, resumed, gives the very JSON that an uninterrupted one gives.
"""

import platform
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from corollary import __version__
from corollary.core import Result, Verdict
from corollary.errors import CorollaryError, OptionError, ResultsFileError, TimeLimitError
from corollary.journal import Journal
from corollary.registry import Entry, find
from corollary.suites import suite

SCHEMA = 1  # version of the results file
COST_SECONDS = {"instant": 1.0, "seconds": 10.0, "minutes": 300.0, "long": 3600.0}
# A claim may take this many times its stated cost, for machines differ, and so many seconds more,
# for the first one of a process imports torch and may compile kernels.
PATIENCE, START_UP = 10.0, 60.0
Progress = Callable[[Entry, Result, float], None]  # called with each result and its seconds


@dataclass(frozen=True)
class Run:
    """The results of one run, with all that is needed to repeat it."""

    environment: dict[str, Any]
    seed: int
    results: tuple[Result, ...]

    @property
    def exit_code(self) -> int:
        """0 if all hold, 1 if one is refuted, else 3 if one was not decided."""
        codes = {result.verdict.exit_code for result in self.results}
        return 1 if 1 in codes else max(codes, default=0)

    def counts(self) -> dict[Verdict, int]:
        """How many results ended in each verdict."""
        return {v: sum(r.verdict is v for r in self.results) for v in Verdict}

    def to_json(self) -> dict[str, Any]:
        """The results file as plain data."""
        return {
            "schema": SCHEMA,
            "environment": self.environment,
            "seed": self.seed,
            "results": [result.to_json() for result in self.results],
        }

    @classmethod
    def from_json(cls, data: Any) -> "Run":
        """Read a results file's data.

        Raises:
            ResultsFileError: if this is not a results file, or one of another schema.
        """
        try:
            if data["schema"] != SCHEMA:
                raise ResultsFileError(
                    f"a results file of schema {SCHEMA} is needed, but this one has schema "
                    f"{data['schema']}; run `corollary check --json` again"
                )
            results = tuple(Result.from_json(r) for r in data["results"])
            return cls(dict(data["environment"]), int(data["seed"]), results)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ResultsFileError):
                raise
            raise ResultsFileError(
                "this is not a complete results file of `corollary check --json` "
                f"({type(error).__name__}: {error})"
            ) from None

    def _repr_html_(self) -> str:
        from corollary.report.html import run_html

        return run_html(self)


def environment() -> dict[str, Any]:
    """Versions, platform, thread count and precision: what bitwise equality depends on."""
    import numpy
    import torch

    return {
        "corollary": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "platform": f"{platform.system()} {platform.machine()}",
        "threads": torch.get_num_threads(),
        "dtype": "float64",
    }


def check(
    names: str | Sequence[str] | None = None,
    *,
    suite_name: str | None = None,
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
    if suite_name is not None or not chosen:
        chosen += suite(suite_name or "quick")
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
        timeout: Seconds for each entry; by default ten times its stated cost and a minute more.
        options: Parameters for the claims that have them; at least one claim must.
        journal: Where finished results are kept until the run is complete.
        progress: Called after each result.
    """
    options = options or {}
    # Every option is tried on its claim before anything runs: a typing mistake costs no minutes.
    settings = {e.name: _settings(e, options) for e in chosen}
    _all_used(options, settings)
    todo = {e.name: e for e in chosen}
    done = journal.read() if journal else {}
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
    """Check one claim; whatever goes wrong becomes its result. Gives the seconds it took, too."""
    cost = COST_SECONDS.get(entry.cost, COST_SECONDS["long"])
    limit = timeout or PATIENCE * cost + START_UP
    start = time.perf_counter()
    try:
        with time_limit(limit):
            result = entry.load()(**settings).check(seed)
    except TimeLimitError:
        result = _unfinished(
            entry, settings, seed, Verdict.INCONCLUSIVE, f"the time limit of {limit:g} s ended"
        )
    except Exception as error:  # a crash is a row of the report, never the end of it
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = "" if isinstance(error, CorollaryError) else f" at {last.name}, line {last.lineno}"
        note = f"{type(error).__name__}: {error}{where}"
        result = _unfinished(entry, settings, seed, Verdict.CRASHED, note)
    return result, time.perf_counter() - start


class _TimeIsUpError(BaseException):
    """Raised by the alarm. Not an ``Exception``, which libraries catch, wrap or swallow."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`TimeLimitError` from the block after ``seconds``.

    The limit uses the process's alarm signal, so it works in the main thread of a process (ours
    and joblib's workers); elsewhere, as in a cluster's worker threads, there is no limit. A block
    inside another block suspends the outer limit.
    """
    usable = hasattr(signal, "setitimer") and (
        threading.current_thread() is threading.main_thread()
    )
    if not usable:
        yield
        return
    up, over = False, False

    def stop(_: int, frame: FrameType | None) -> None:
        nonlocal up
        if over:  # the block has just ended
            return
        later = _at_a_bad_place(frame)
        signal.setitimer(signal.ITIMER_REAL, 0.1 if later else 1.0)  # 1.0: if ours is swallowed
        if not later:
            up = True
            raise _TimeIsUpError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # ours, or what a library made of it
        if not up:
            raise
        raise TimeLimitError(f"the time limit of {seconds:g} s ended") from error
    finally:
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _at_a_bad_place(frame: FrameType | None) -> bool:
    """Between a ``with`` and its block, or in LLVM's bookkeeping, where an exception ends us."""
    if frame is not None and frame.f_globals.get("__name__") == "contextlib":
        return True
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] in ("numba", "llvmlite"):
            return True
        frame = frame.f_back
    return False


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
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError
    from torch import get_num_threads

    def outcomes(chosen: list[Entry]) -> Iterator[tuple[Result, float]]:
        pool = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        yield from pool(
            delayed(_run_in_worker)(e, settings[e.name], seed, timeout, get_num_threads())
            for e in chosen
        )

    left = {entry.name: entry for entry in waiting}
    # Long entries first, so that no process is left alone with one at the end.
    order = sorted(waiting, key=lambda e: -COST_SECONDS.get(e.cost, 0.0))
    try:
        for result, seconds in outcomes(order):
            yield left.pop(result.name), result, seconds
    except TerminatedWorkerError:  # a process died (out of memory, say), and took others along
        for entry in list(left.values()):
            try:
                ((result, seconds),) = outcomes([entry])
            except TerminatedWorkerError:
                note = "the process that ran it died; it may need more memory than there is"
                result = _unfinished(entry, settings[entry.name], seed, Verdict.CRASHED, note)
                seconds = 0.0
            yield entry, result, seconds


def _run_in_worker(
    entry: Entry, settings: dict[str, Any], seed: int, timeout: float | None, threads: int
) -> tuple[Result, float]:
    import torch

    torch.set_num_threads(threads)  # bits depend on the thread count, so workers use the parent's
    return run_entry(entry, settings, seed, timeout)


def _settings(entry: Entry, options: dict[str, Any]) -> dict[str, Any]:
    """The options that this entry has, as its types; a wrong one raises here."""
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
                f"none of the chosen claims has an option '{name}'; they have: {names}"
            )


def _unfinished(
    entry: Entry, settings: dict[str, Any], seed: int, verdict: Verdict, note: str
) -> Result:
    parameters = {o.name: o.default for o in entry.options} | settings
    return Result(entry.name, entry.title, verdict, seed=seed, parameters=parameters, note=note)
