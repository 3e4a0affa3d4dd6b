"""``corollary replay``: a step that broke, made again to see where."""

from pathlib import Path
from typing import Annotated

import typer


def replay(
    step: Annotated[Path, typer.Argument(help="A file that a watcher kept, run-step-123.pt.")],
    model: Annotated[str, typer.Option(help="The network: net.py:build or package.module:object.")],
    loss: Annotated[
        str | None, typer.Option(help="file.py:loss, called with the model's output.")
    ] = None,
) -> None:
    """Repeat a step that a watcher kept, and show the first operation that breaks.

    This runs the code you name. Exit code 1 when something is not finite, 0 when all is finite.
    """
    from corollary.examine.modules import load_module, load_object
    from corollary.watch.replay import read_step, replayed

    kept = read_step(step)
    module, _ = load_module(model)
    function = None if loss is None else load_object(loss)
    found = replayed(kept, module, function)
    typer.echo(str(found))
    raise typer.Exit(1 if found.broken else 0)
