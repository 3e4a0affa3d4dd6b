"""Real models through ``examine``: CPU time, questions answered, memory, and what is said.

python benchmarks/real_models.py [--json PATH] [--only NAME] [--effort quick] [--pages FOLDER]

Each model is examined in a process of its own. CPU time is that beyond imports and building. Exams
that do not apply (a bound for one-dimensional inputs, say, and a network that reads images) are not
counted among the questions; those that were left out as too much work are.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

from networks.large import LARGE
from rich.console import Console
from rich.table import Table

from corollary.core import Finding, Severity, Status

LOUD = Severity.MEDIUM, Severity.HIGH


def examined(name: str, effort: str, page: str) -> dict:
    """One model in this process."""
    import torch

    from corollary import examine

    torch.manual_seed(0)
    torch.set_num_threads(1)
    arguments = LARGE[name]()
    spent: dict[str, float] = {}
    last = began = time.process_time()

    def clocked(entry: object, found: object) -> None:
        nonlocal last
        now = time.process_time()
        spent[entry.name], last = now - last, now

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = examine(**arguments, effort=effort, progress=clocked)
    seconds = time.process_time() - began
    if page:
        done.save(Path(page))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "model": name,
        "effort": effort,
        "seconds": round(seconds, 1),
        "before the exams": round(seconds - sum(spent.values()), 1),
        "memory": round(memory, 2),
        **counted(list(done.findings)),
        "loud": [said(f) for f in done.findings if f.severity in LOUD],
        "slowest": sorted(((round(s, 1), n) for n, s in spent.items()), reverse=True)[:8],
    }


def counted(findings: list[Finding]) -> dict:
    """Exams that have an answer, that were too much work, that do not apply, that failed."""
    exams: dict[str, list[Finding]] = {}
    for f in findings:
        exams.setdefault(f.exam, []).append(f)
    silent = [f for found in exams.values() if not _answered(found) for f in found[-1:]]
    of = {
        status: [f"{f.exam}: {f.meaning}" for f in silent if f.status is status]
        for status in Status
    }
    left_out, failed = of[Status.LEFT_OUT], of[Status.FAILED]
    answered = len(exams) - len(silent)
    return {
        "answered": answered,
        "applicable": answered + len(left_out) + len(failed),
        "left out": left_out,
        "failed": failed,
        "not applicable": of[Status.NOT_APPLICABLE],
    }


def _answered(found: list[Finding]) -> bool:
    return any(f.status is Status.DONE for f in found)


def said(f: Finding) -> str:
    return f"{f.severity} {f.exam}: {f.title}. {f.meaning} {f.advice}"


def in_a_process(name: str, effort: str, pages: str) -> dict:
    """As :func:`examined`, in a new process."""
    page = str(Path(pages) / f"{name} {effort}.html".replace(" ", "-")) if pages else ""
    code = "import sys, json, real_models as r; print(json.dumps(r.examined(*sys.argv[1:])))"
    here = Path(__file__).parent
    run = subprocess.run(
        [sys.executable, "-c", code, name, effort, page], cwd=here, stdout=subprocess.PIPE
    )
    if run.returncode:
        return {"model": name, "effort": effort, "crashed": run.returncode}
    return json.loads(run.stdout.splitlines()[-1])


def main() -> None:
    """Examine, print, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--pages", default="")
    options = parser.parse_args()
    console, table = (
        Console(),
        Table("model", "effort", "CPU s", "memory GiB", "answered", "failed"),
    )
    rows = []
    pages = str(Path(options.pages).resolve()) if options.pages else ""
    for name in LARGE:
        if options.only.lower() in name.lower():
            rows.append(row := in_a_process(name, options.effort, pages))
            if "crashed" in row:
                table.add_row(name, row["effort"], f"ended with {row['crashed']}")
                continue
            share = f"{row['answered']} of {row['applicable']}"
            cost = f"{row['seconds']:.0f}", f"{row['memory']:.2f}"
            table.add_row(name, row["effort"], *cost, share, str(len(row["failed"])))
            console.print(name, row["slowest"])
            for key in ("failed", "left out", "loud"):
                for line in row[key]:
                    console.print(f"  {key}: {line}", highlight=False)
    console.print(table)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
