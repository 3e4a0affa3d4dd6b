"""Runs experiments: every row at every seed, in parallel and resumable; a crash becomes a row.

Each job is a pure function of (experiment, row, seed, versions, thread count), so a run that was
interrupted and goes on gives the same values as one that was not.
"""

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from corollary.core import Figure
from corollary.core.experiment import Experiment
from corollary.registry import Entry
from corollary.run.journal import Journal
from corollary.run.reproduction import Job, Reproduction
from corollary.run.results import environment
from corollary.run.run_file import RunFile
from corollary.run.spread import alone, spread
from corollary.run.torch_defaults import torch_defaults

Plan = tuple[Entry, str, int]  # experiment, row, seed


def plans(
    chosen: Sequence[Entry], *, quick: bool = False, seeds: int | None = None
) -> Iterator[Plan]:
    """The jobs to run, in the order of the catalogue; a quick run has one seed."""
    for entry in chosen:
        kind: type[Experiment] = entry.load()
        count = seeds or (1 if quick else kind.seeds)
        for row in kind.rows:
            yield from ((entry, row.name, seed) for seed in range(count))


def reproduce(
    chosen: Sequence[Entry],
    *,
    quick: bool = False,
    seeds: int | None = None,
    jobs: int = 1,
    journal: Journal | RunFile | None = None,
    progress: Callable[[Job], None] | None = None,
) -> Reproduction:
    """Run all rows of the ``chosen`` experiments.

    Args:
        chosen: Entries of the catalogue of experiments.
        quick: At reduced size, one seed.
        seeds: The number of seeds, instead of the number that the experiments define.
        jobs: Processes, or what a Dask or Ray backend set by ``joblib.parallel_config`` makes of
            them.
        journal: Where finished jobs are kept: until the run is complete, or in a run file.
        progress: Called after each job.
    """
    planned = plans(chosen, quick=quick, seeds=seeds)
    todo = {Job(entry.name, row, seed).name: (entry, row, seed) for entry, row, seed in planned}
    done = journal.read(Job) if journal else {}
    done = {
        name: job
        for name, job in done.items()
        if name in todo and not job.error and job.settings == _settings(todo[name], quick)
    }
    where = environment()
    for job in _jobs([plan for name, plan in todo.items() if name not in done], quick, jobs):
        done[job.name] = job
        if journal:
            journal.append(job)
        if progress:
            progress(job)
    return Reproduction(where, quick, tuple(done[name] for name in todo))


def run_job(plan: Plan, quick: bool) -> Job:
    """Run one row at one seed; an error becomes its line of the table."""
    entry, row, seed = plan
    job = Job(entry.name, row, seed, settings=_settings(plan, quick))
    start = time.process_time()
    try:
        with torch_defaults():
            found = entry.load().of_row(row, quick=quick).run(seed)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        return replace(job, seconds=time.process_time() - start, error=why)
    return replace(
        job,
        value=found.value,
        seconds=time.process_time() - start,
        figures=tuple(map(_rounded, found.figures)) if seed == 0 else (),  # one seed is shown
        text=found.text if seed == 0 else "",
        numbers=found.numbers,
    )


def _settings(plan: Plan, quick: bool) -> dict[str, Any]:
    entry, row, _ = plan
    return dataclasses.asdict(entry.load().of_row(row, quick=quick))


def _rounded(figure: Figure) -> Figure:
    """The figure with four significant digits, which is more than a page shows."""

    def short(value: Any) -> Any:
        if isinstance(value, float):
            return float(f"{value:.4g}")
        if isinstance(value, list | tuple):
            return [short(v) for v in value]
        return {k: short(v) for k, v in value.items()} if isinstance(value, dict) else value

    return Figure.from_json(short(figure.to_json()))


def _jobs(waiting: list[Plan], quick: bool, jobs: int) -> Iterator[Job]:
    if jobs == 1:
        yield from (run_job(plan, quick) for plan in waiting)
        return
    from torch import get_num_threads

    threads = get_num_threads()
    yield from spread(alone, [(threads, run_job, plan, quick) for plan in waiting], jobs)
