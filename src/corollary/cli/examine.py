"""``corollary examine``: diagnose a user's network."""

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corollary.cli.options import Cluster, Data, LossName, Target, Weights
from corollary.examine.effort import LIMIT, Effort
from corollary.examine.modules import DEMO
from corollary.report.signs import SEVERITY_COLOURS, SEVERITY_SIGNS

if TYPE_CHECKING:
    from corollary.core import Finding
    from corollary.examine.examination import Examination


class FailOn(StrEnum):
    """The lowest severity that gives exit code 1."""

    low = "low"
    medium = "medium"
    high = "high"


def examine(
    target: Target = "",
    data: Data = "",
    held_out: Annotated[
        str, typer.Option(help="Data that was not used for training, in the same forms as --data.")
    ] = "",
    loss: LossName = "",
    weights: Weights = None,
    lr: Annotated[float | None, typer.Option(help="The learning rate you train with.")] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="The batch size you train with.", min=1)
    ] = None,
    optimizer: Annotated[
        str,
        typer.Option(help="The optimizer you train with, such as adamw:lr=3e-4,weight_decay=0.1."),
    ] = "",
    steps: Annotated[
        int | None, typer.Option(help="The number of steps you train for.", min=1)
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(help="The number of epochs you train for.", min=1)
    ] = None,
    symmetry: Annotated[
        str,
        typer.Option(
            help="A symmetry that must not change the answers: permutation, translation, ..."
        ),
    ] = "",
    effort: Annotated[
        Effort,
        typer.Option(
            help="Amount of work: quick, standard or thorough; the same on every machine."
        ),
    ] = Effort.standard,
    budget: Annotated[
        str, typer.Option(help="Time limit, such as 90, 120s or 5m. Default: set by the effort.")
    ] = "",
    memory: Annotated[float, typer.Option(help="Memory limit in GiB.", min=0.1)] = 8.0,
    only: Annotated[
        list[str] | None, typer.Option(help="Run only this question or exam; may be repeated.")
    ] = None,
    samples: Annotated[
        int, typer.Option(help="Number of samples to use from the data.", min=1)
    ] = 1024,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write an HTML report to this file.")] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", help="Write the findings to this file (- for standard output)."),
    ] = None,
    sarif: Annotated[
        Path | None, typer.Option(help="Write SARIF 2.1.0, for code scanning, to this file.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(help="Write JUnit XML, one test case per exam, to this file.")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(help="Show what changed since this earlier --json file.")
    ] = None,
    fail_on: Annotated[
        FailOn | None, typer.Option(help="Exit with code 1 if a finding has this severity or more.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every finding, also the healthy ones.")
    ] = False,
    each: Annotated[
        str,
        typer.Option(
            help="Examine the network with the weights of each of these files, such as "
            "'checkpoints/*.pt'."
        ),
    ] = "",
    jobs: Annotated[int, typer.Option(help="Number of processes for --each.", min=1)] = 1,
    cluster: Cluster = "",
    demo: Annotated[bool, typer.Option("--demo", help="Examine a small example network.")] = False,
) -> None:
    """Examine a network: whether it trains, generalises and resists attacks, and what is wrong.

    This runs your code, in a separate process with limits on time and memory.
    """
    from corollary.errors import InputError
    from corollary.examine.mistakes import check_words
    from corollary.examine.questions import chosen_exams
    from corollary.run.files import check_writable, write_atomically

    if bool(target) == demo:
        raise InputError("expected a target such as net.py:build, or --demo without a target")
    target = target or DEMO
    exams = chosen_exams(only)
    check_words(target, data, held_out, loss=loss, weights=weights)
    for path in (out, json_file, sarif, junit):
        if path is not None and str(path) != "-":
            check_writable(path)
    before = None if compare is None else _read(compare)
    order = {
        "target": target,
        "weights": None if weights is None else str(weights),
        "data": data,
        "held_out": held_out,
        "loss": loss,
        "lr": lr,
        "batch_size": batch_size,
        "optimizer": optimizer,
        "steps": steps,
        "epochs": epochs,
        "symmetry": symmetry,
        "effort": effort.value,
        "budget": seconds(budget) if budget else LIMIT[effort],
        "only": only,
        "samples": samples,
        "seed": seed,
        "memory": int(memory * 2**30),
    }
    if each:
        from corollary.cli.each import examine_files
        from corollary.run.cluster import joined

        if weights or sarif or junit or compare or everything or demo:
            raise InputError(
                "--each takes the weights from files and writes one table and one page; leave "
                "out --weights, --sarif, --junit, --compare, --all and --demo"
            )
        with joined(cluster, jobs) as workers:
            code = examine_files(order, each, workers, out, json_file, fail_on)
        raise typer.Exit(code)
    if cluster or jobs > 1:
        raise InputError("--jobs and --cluster are for many checkpoints; add --each PATTERN")
    from corollary.examine.child import examine_in_child
    from corollary.examine.examiner import exam_bar

    to_stdout = json_file is not None and str(json_file) == "-"
    with exam_bar(len(exams)) as progress:
        done = examine_in_child(order, progress)
    text = json.dumps(done.to_json(), indent=1, allow_nan=False) + "\n"
    if to_stdout:
        typer.echo(text, nl=False)
    elif json_file is not None:
        write_atomically(json_file, text)
    if out is not None:
        from corollary.report.examination_page import write_examination

        write_examination(done, out, before)
    if sarif is not None:
        from corollary.report.sarif import sarif_json

        write_atomically(sarif, sarif_json(done, target))
    if junit is not None:
        from corollary.core import Severity
        from corollary.report.junit import junit_xml

        write_atomically(junit, junit_xml(done, target, Severity(fail_on or "high")))
    if not to_stdout:
        _print(done, before, out, everything)
    raise typer.Exit(_exit_code(done, fail_on))


def seconds(text: str) -> float:
    """A time such as ``90``, ``120s`` or ``2m`` in seconds.

    Example:
        >>> seconds("2m"), seconds("90"), seconds("1.5s")
        (120.0, 90.0, 1.5)
    """
    from corollary.errors import OptionError

    factor = {"s": 1.0, "m": 60.0, "h": 3600.0}.get(text[-1:], 0.0)
    try:
        value = float(text[:-1]) * factor if factor else float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise OptionError(f"expected a time such as 90s or 2m for --budget, got '{text}'")
    return value


def _read(path: Path) -> "Examination":
    from corollary.errors import ResultsFileError
    from corollary.examine.examination import Examination
    from corollary.run.files import read_json

    try:
        return Examination.from_json(read_json(path))
    except ResultsFileError as error:
        raise ResultsFileError(f"--compare {path}: {error}") from None


def _print(
    done: "Examination", before: "Examination | None", out: Path | None, everything: bool
) -> None:
    from rich.console import Console
    from rich.text import Text

    from corollary.report.summary import examination_text

    console = Console(highlight=False)
    more = (
        "printed below"
        if everything
        else ("print all of them with --all, or write a page with --out page.html")
    )
    console.print(Text(examination_text(done, more)), soft_wrap=True)
    for answer in done.answers() if everything else ():
        console.print()
        style = SEVERITY_COLOURS[answer.severity.value] if answer.answered else "dim"
        console.print(Text.assemble((answer.question, "bold"), "  ", (answer.verdict, style)))
        for finding in sorted(answer.findings, key=lambda f: -f.severity.rank):
            _print_finding(console, finding)
    if before is not None:
        from corollary.report.comparison import changes

        for line in changes(before, done):
            console.print(Text(line))
    if out is not None:
        console.print(f"Report: {out}", soft_wrap=True, markup=False)


def _print_finding(console: Any, finding: "Finding") -> None:
    from rich.padding import Padding
    from rich.text import Text

    from corollary.report.comparison import named

    if finding.status.value != "done":
        line = Text(f"{finding.title}: {finding.status.value}: {finding.meaning}", style="dim")
    else:
        number = f": {finding.number}" if finding.number else ""
        style = SEVERITY_COLOURS[finding.severity.value]
        sign = SEVERITY_SIGNS[finding.severity.value]
        line = Text.assemble((f"{sign} {named(finding)}{number}", style), f"  {finding.meaning}")
    console.print(Padding(line, (0, 0, 0, 2)))


def _exit_code(done: "Examination", fail_on: FailOn | None) -> int:
    from corollary.core import Severity
    from corollary.examine.questions import CUT_SHORT

    if any(f.exam == CUT_SHORT for f in done.findings):
        print("corollary: the examination was cut short", file=sys.stderr)
        interrupted = any("Interrupted" in f.meaning for f in done.findings)
        return 130 if interrupted else 3
    return int(fail_on is not None and done.worst().rank >= Severity(fail_on.value).rank)
