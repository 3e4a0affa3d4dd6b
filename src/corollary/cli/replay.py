"""``corollary replay``: repeat a failed training step to see where it breaks."""

from pathlib import Path
from typing import Annotated

import typer


def replay(
    step: Annotated[
        Path, typer.Argument(help="A file that a watcher saved, such as run-step-123.pt.")
    ],
    model: Annotated[str, typer.Option(help="The network: net.py:build or package.module:object.")],
    loss: Annotated[
        str | None, typer.Option(help="file.py:loss, called with the model's output.")
    ] = None,
) -> None:
    """Repeat a training step that a watcher saved, and show the first operation that breaks.

    This runs the code that you name. The exit code is 1 if a value is not finite, and 0 otherwise.
    """
    from corollary.examine.modules import load_module, load_object
    from corollary.watch.replay import read_step, replayed

    kept = read_step(step)
    module, _ = load_module(model)
    function = None if loss is None else load_object(loss)
    found = replayed(kept, module, function)
    typer.echo(str(found))
    raise typer.Exit(1 if found.broken else 0)
