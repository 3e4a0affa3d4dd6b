"""``corollary verify``: a VNN-LIB property of an ONNX network."""

import json as to_json
from pathlib import Path
from typing import Annotated

import typer

CODES = {"unsat": 0, "sat": 1, "unknown": 3}
SAID = {
    "unsat": "the property holds: no input in its boxes has unsafe outputs",
    "sat": "the property is violated: this input has unsafe outputs",
    "unknown": "neither proved nor violated within the time limit",
}


def verify(
    network: Annotated[Path, typer.Argument(metavar="NET.onnx", help="The network.")],
    prop: Annotated[
        Path,
        typer.Argument(
            metavar="PROP.vnnlib",
            help="The property: a .vnnlib file with the inputs and the unsafe outputs.",
        ),
    ],
    seconds: Annotated[float, typer.Option(help="Time limit, in CPU seconds.", min=0.1)] = 60.0,
    json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    """Decide a VNN-LIB property of an ONNX network: attack, bounds, branch and bound."""
    from corollary.examine.verifying import verify_files

    found = verify_files(network, prop, seconds=seconds)
    example = None if found.example is None else found.example.tolist()
    if json:
        told = {"verdict": found.name, "counterexample": example, "boxes": found.boxes}
        typer.echo(to_json.dumps(told, indent=1))
    else:
        typer.echo(f"{found.name}: {SAID[found.name]} ({found.boxes} boxes bounded)")
        for i, value in enumerate(example or []):
            typer.echo(f"  X_{i} = {value!r}")
    raise typer.Exit(CODES[found.name])
