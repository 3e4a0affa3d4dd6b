"""Are findings the same for every seed, and on a busy machine?

python benchmarks/stability.py [--json PATH] [--only NAME] [--effort quick] [--seeds 5]

Each of ten small networks is examined with several seeds, and with the first seed again beside two
busy processes. Loud findings (medium and high) are compared by exam and severity.
"""

import argparse
import json
import multiprocessing
import warnings
from collections import Counter
from pathlib import Path

import torch
from networks.small import SMALL
from rich.console import Console
from rich.table import Table

from corollary import examine
from corollary.core import Severity

LOUD = Severity.MEDIUM, Severity.HIGH


def findings(name: str, effort: str, seed: int) -> tuple[list[str], list[str]]:
    """Loud findings, and everything that was found with its number."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = examine(**SMALL[name](), effort=effort, seed=seed, progress=False)
    loud = sorted({f"{f.exam} {f.severity}" for f in done.findings if f.severity in LOUD})
    return loud, [f"{f.exam} {f.title} {f.severity} {f.number}" for f in done.findings]


def busy() -> None:
    """Work without end."""
    while True:
        torch.randn(200, 200) @ torch.randn(200, 200)


def compared(name: str, effort: str, seeds: int) -> dict:
    """What wavers from seed to seed, and whether load changes anything at all."""
    runs = [findings(name, effort, seed) for seed in range(seeds)]
    load = [multiprocessing.Process(target=busy, daemon=True) for _ in range(2)]
    for process in load:
        process.start()
    loaded = findings(name, effort, 0)
    for process in load:
        process.terminate()
    counts = Counter(line for loud, _ in runs for line in loud)
    return {
        "network": name,
        "effort": effort,
        "always": sorted(line for line, n in counts.items() if n == seeds),
        "wavers": {line: n for line, n in counts.items() if n < seeds},
        "same under load": loaded == runs[0],
    }


def main() -> None:
    """Examine, print, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    table, rows = Table("network", "loud for every seed", "wavers", "same under load"), []
    for name in SMALL:
        if options.only.lower() in name.lower():
            rows.append(row := compared(name, options.effort, options.seeds))
            wavers = "\n".join(
                f"{line}: {n} of {options.seeds}" for line, n in row["wavers"].items()
            )
            told = "yes" if row["same under load"] else "NO"
            table.add_row(name, "\n".join(row["always"]), wavers, told)
    Console().print(table)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
