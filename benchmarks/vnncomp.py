"""Verdicts on instances of VNN-COMP 2022, and what its tools found.

python benchmarks/vnncomp.py BENCHMARKS RESULTS [--family acasxu] [--at-most 25] [--seconds 20]

BENCHMARKS is the folder ``benchmarks`` of github.com/ChristopherBrix/vnncomp2022_benchmarks, and
RESULTS a checkout of vnncomp2022_results. Of each family, instances at equal distances in its list
are run, so that the sample is not chosen by difficulty. The published verdict is the one that all
tools gave that decided the instance; if tools contradict each other, the instance counts as
disputed. ``--json`` writes one row per instance.
"""

import argparse
import csv
import gzip
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from corollary.errors import CorollaryError
from corollary.examine.verifying import verify_files

Told = dict[tuple[str, str], str]  # verdicts by network and property
DECIDED = {"sat", "unsat"}
FAMILIES = ("acasxu", "mnist_fc", "reach_prob_density", "rl_benchmarks", "tllverifybench")


@dataclass(frozen=True)
class Row:
    """An instance: its published verdict and ours."""

    family: str
    network: str
    prop: str
    published: str  # sat, unsat, disputed, or nothing if no tool decided it
    ours: str
    seconds: float  # of CPU

    @property
    def contradicts(self) -> bool:
        """Whether the two verdicts exclude each other."""
        return {self.published, self.ours} == DECIDED


def published(results: Path) -> Told:
    """The verdicts by network and property."""
    told: dict[tuple[str, str], set[str]] = {}
    for file in sorted(results.glob("*/results.csv")):
        with file.open(newline="") as lines:
            for _, network, prop, _, verdict, *_ in csv.reader(lines):
                if verdict in DECIDED:
                    told.setdefault((Path(network).name, Path(prop).name), set()).add(verdict)
    return {key: said.pop() if len(said) == 1 else "disputed" for key, said in told.items()}


def instances(folder: Path, at_most: int) -> list[tuple[Path, Path]]:
    """Networks with properties, at equal distances in the list of the family."""
    with (folder / "instances.csv").open(newline="") as lines:
        pairs = [(folder / network, folder / prop) for network, prop, *_ in csv.reader(lines)]
    step = max(1, -(-len(pairs) // at_most))
    return pairs[::step]


def unzipped(path: Path, folder: Path) -> Path:
    """The file, or what is in its archive."""
    archive = path.with_name(f"{path.name}.gz")
    if path.is_file() or not archive.is_file():
        return path
    target = folder / path.name
    with gzip.open(archive) as packed, target.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return target


def verdicts(
    folder: Path, told: dict[tuple[str, str], str], how: argparse.Namespace
) -> Iterator[Row]:
    """Each instance with both verdicts; what cannot be read has its error as verdict."""
    for network, prop in instances(folder, how.at_most):
        start = time.process_time()
        with tempfile.TemporaryDirectory() as there:
            files = unzipped(network, Path(there)), unzipped(prop, Path(there))
            try:
                ours = verify_files(*files, seconds=how.seconds).name
            except CorollaryError as error:
                ours = str(error)
        said = told.get((network.name, prop.name), "")
        yield Row(folder.name, network.name, prop.name, said, ours, time.process_time() - start)


def table(rows: list[Row]) -> Table:
    """One row per family: how many verdicts agree, are new, are open, and contradict."""
    shown = Table("family", "instances", "sat", "unsat", "unknown", "agree", "contradict", box=None)
    for family in dict.fromkeys(row.family for row in rows):
        mine = [row for row in rows if row.family == family]
        count = Counter(row.ours if row.ours in DECIDED else "unknown" for row in mine)
        agree = sum(row.ours in DECIDED and row.ours == row.published for row in mine)
        wrong = sum(row.contradicts for row in mine)
        counts = (len(mine), count["sat"], count["unsat"], count["unknown"], agree, wrong)
        shown.add_row(family, *map(str, counts))
    return shown


def main() -> int:
    """Run the instances; the exit code is 1 if a verdict contradicts the published one."""
    about = argparse.ArgumentParser(description=__doc__)
    about.add_argument("benchmarks", type=Path)
    about.add_argument("results", type=Path)
    about.add_argument("--family", action="append", help="may be repeated")
    about.add_argument("--at-most", type=int, default=25, help="instances per family")
    about.add_argument("--seconds", type=float, default=20.0, help="of CPU per instance")
    about.add_argument("--json", type=Path)
    how = about.parse_args()
    told, rows = published(how.results), []
    for family in how.family or FAMILIES:
        for row in verdicts(how.benchmarks / family, told, how):
            rows.append(row)
            said = row.published or "undecided"
            print(f"{row.network} {row.prop}: {row.ours} ({said}, {row.seconds:.1f} s)", flush=True)
    Console().print(table(rows))
    if how.json:
        how.json.parent.mkdir(parents=True, exist_ok=True)
        how.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return int(any(row.contradicts for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
