"""``corollary scale``: does a learning rate carry over to the large network?"""

import json
from pathlib import Path
from typing import Annotated

import typer

from corollary.cli.options import Data, LossName

EXIT = {"transfers": 0, "undecided": 3, "freezes": 1, "blows up": 1}


def scale(
    target: Annotated[
        str,
        typer.Argument(
            help="net.py:build, a function that takes the width (with --depth, the number of "
            "blocks) and returns a module."
        ),
    ],
    data: Data = "",
    loss: LossName = "",
    widths: Annotated[
        str, typer.Option(help="At least four widths, separated by commas.")
    ] = "128,256,512,1024",
    depth: Annotated[
        bool, typer.Option("--depth", help="Check the depth of a residual network instead.")
    ] = False,
    depths: Annotated[
        str, typer.Option(help="With --depth: at least four depths, separated by commas.")
    ] = "4,8,16,32",
    optimizer: Annotated[
        str,
        typer.Option(help="The optimizer you train with, such as adamw:lr=3e-4,weight_decay=0.1."),
    ] = "",
    lr: Annotated[float | None, typer.Option(help="The learning rate you train with.")] = None,
    seeds: Annotated[int, typer.Option(help="Number of networks per width.", min=1)] = 5,
    steps: Annotated[int, typer.Option(help="Number of optimizer steps.", min=1)] = 3,
    samples: Annotated[int, typer.Option(help="Number of samples in the batch.", min=1)] = 64,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    confirm: Annotated[
        bool, typer.Option(help="Repeat the check with the change that is proposed.")
    ] = True,
    out: Annotated[Path | None, typer.Option(help="Write an HTML report to this file.")] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", help="Write the exponents to this file (- for standard output)."),
    ] = None,
) -> None:
    """Check how a network scales with width or depth, and what makes its learning rate transfer.

    This runs your code. Networks of every size are trained for a few steps; the exponents of
    their activations, of their updates and of the output's change show whether a learning rate
    carries over. The exit code is 0 if it does, 1 if the network blows up or freezes, and 3 if
    undecided.
    """
    from corollary.examine.mistakes import check_words
    from corollary.run.files import check_writable, write_atomically

    sizes = _sizes(depths if depth else widths)
    check_words(target, data, loss=loss)
    for path in (out, json_file):
        if path is not None and str(path) != "-":
            check_writable(path)

    from corollary.core.progress import progress_bar
    from corollary.examine.scaling import check_target

    jobs = len(sizes) * seeds
    with progress_bar(2 * jobs if confirm else jobs) as show:
        check = check_target(
            target,
            data,
            loss=loss,
            optimizer=optimizer or None,
            lr=lr,
            sizes=sizes,
            depth=depth,
            seeds=seeds,
            steps=steps,
            samples=samples,
            seed=seed,
            confirm=confirm,
            progress=show,
        )
    text = json.dumps(check.to_json(), indent=1, allow_nan=False) + "\n"
    if json_file is not None and str(json_file) == "-":
        typer.echo(text, nl=False)
    else:
        typer.echo(str(check))
        if json_file is not None:
            write_atomically(json_file, text)
    if out is not None:
        from corollary.report.scale_page import write_scale

        write_scale(check, out)
        typer.echo(f"Report: {out}", err=True)
    raise typer.Exit(EXIT[check.status.value])


def _sizes(text: str) -> tuple[int, ...]:
    """Widths or depths, as ``64,128,256,512``.

    Example:
        >>> _sizes("64, 128")
        (64, 128)
    """
    from corollary.errors import OptionError

    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise OptionError(f"expected sizes such as 64,128,256,512, got '{text}'") from None
