"""Published results beside the values of the stored run file, and a gallery page per family."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path

from corollary.registry import experiments, family, find_experiment
from corollary.run.reproduction import Line, Reproduction, read_reproduction
from corollary_docs import rst

RUNS = Path(__file__).parents[2] / "reproduced.json"
HEAD = ("experiment", "published", "corollary (95 % interval)", "seeds", "CPU s", "verdict")


def reproduced_page() -> str:
    """One table per family, from the stored runs; then the rows that have no run yet."""
    done = read_reproduction(RUNS)
    lines = list(done.lines())
    judged = [line for line in lines if line.judged]
    reached = sum(line.verdict == "reached" for line in judged)
    means = sum(line.surpassed for line in judged)
    where = done.environment
    intro = (
        "Networks of corollary are trained on real data, and the results are compared with the\n"
        "published ones. ``corollary reproduce NAME`` runs an experiment;\n"
        "``corollary reproduce --all --add docs/reproduced.json`` adds the missing runs to the\n"
        "file from which this page is made.\n\n"
        f"{len(judged)} published results were obtained in the same setting as ours. In {reached}\n"
        "of them, our result is better or its 95 % interval contains the published value. In\n"
        f"{means} of them, the mean alone is at least as good. (With three seeds, intervals are\n"
        "wide.) Other rows say what differs, or that there are fewer than three seeds. The\n"
        "interval is Student's over seeds, widened for skewed values. *CPU s* is the CPU time\n"
        f"per seed with torch {where['torch']} and {where['threads']} thread\n"
        f"({where['platform']}).\n"
    )
    parts = [rst.heading("Published results, reproduced"), intro]
    for area, group in groupby(lines, lambda line: find_experiment(line.experiment).area):
        some = list(group)
        parts += [rst.heading(rst.escaped(family(area)), "-"), _link(area)]
        parts += [rst.table(HEAD, map(_cells, some), "28 12 22 8 10 20")]
        parts += ["Sources:\n", rst.bullets(dict.fromkeys(_sources(some)))]
    parts += _missing(lines)
    return "\n".join(parts)


def _cells(line: Line) -> list[str]:
    published = f"{line.published.value:g}" if line.published else ""
    name = f"{rst.escaped(line.row)} ({rst.escaped(line.metric)})"
    seconds = f"{line.seconds:.2g}" if line.seconds < 100 else f"{line.seconds:.0f}"
    return [name, published, line.number, str(len(line.values)), seconds, rst.prose(line.verdict)]


def _link(area: str) -> str:
    text = "Learning curves, samples and errors of the first seed"
    return rst.raw_html(f'<p><a href="../reproduced/{area}.html">{text}</a></p>')


def _sources(lines: list[Line]) -> Iterator[str]:
    for line in lines:
        yield rst.prose(" ".join(find_experiment(line.experiment).source.split()))


def _missing(lines: list[Line]) -> list[str]:
    have = {(line.experiment, line.row) for line in lines}
    rows = [
        f"{rst.escaped(row.name)}: ``corollary reproduce {entry.stem}``"
        for entry in experiments()
        for row in entry.load().rows
        if (entry.name, row.name) not in have
    ]
    if not rows:
        return []
    return [rst.heading("Not run yet", "-"), "The stored file has no run of:\n", rst.bullets(rows)]


def write_galleries(out: Path) -> None:
    """Write the page of each family.

    Sphinx changes how docutils reads directives, so statements are read in another process.
    """
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as child:
        child.submit(write_pages, out).result()


def write_pages(out: Path) -> None:
    """One self-contained page per family."""
    from corollary.report.reproduction_page import write_reproduction_page

    (out / "reproduced").mkdir(parents=True, exist_ok=True)
    for area, part in families(read_reproduction(RUNS)):
        write_reproduction_page(part, out / "reproduced" / f"{area}.html")


def families(done: Reproduction) -> Iterator[tuple[str, Reproduction]]:
    """The runs of each family."""
    areas = [find_experiment(job.experiment).area for job in done.jobs]
    for name in dict.fromkeys(areas):
        jobs = (job for job, area in zip(done.jobs, areas, strict=True) if area == name)
        yield name, replace(done, jobs=tuple(jobs))
