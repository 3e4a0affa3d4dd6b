"""``corollary train``: train a user's network, with a learning rate that theory suggests."""

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corollary.cli.options import Data, LossName, Target, Weights
from corollary.data.disk import cache_folder
from corollary.errors import InputError, ResultsFileError
from corollary.run.files import check_writable, write_atomically

if TYPE_CHECKING:
    from torch import nn

    from corollary.train.scores import Score
    from corollary.train.subjects import Training

FIRST_PASS = 600.0  # seconds that one pass of one batch may take


class OptimizerName(StrEnum):
    """Optimizers of torch."""

    sgd = "sgd"
    adam = "adam"
    adamw = "adamw"


class ShardingName(StrEnum):
    """How several processes share a run."""

    ddp = "ddp"
    fsdp2 = "fsdp2"


def train(
    target: Target,
    data: Data = "",
    loss: LossName = "",
    weights: Weights = None,
    epochs: Annotated[
        int | None, typer.Option(help="Passes over the data. Default: 20.", min=1)
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="Number of updates, instead of epochs.", min=1)
    ] = None,
    lr: Annotated[
        float | None,
        typer.Option(help="Learning rate. Default: found by short runs before training."),
    ] = None,
    optimizer: Annotated[OptimizerName, typer.Option(help="Optimizer.")] = OptimizerName.sgd,
    momentum: Annotated[float, typer.Option(help="Momentum of sgd.", min=0.0, max=0.999)] = 0.9,
    weight_decay: Annotated[
        float, typer.Option(help="Weight decay, as in torch.optim.", min=0.0)
    ] = 0.0,
    clip: Annotated[float | None, typer.Option(help="Clip the gradient to this norm.")] = None,
    batch_size: Annotated[int, typer.Option(help="Batch size.", min=1)] = 64,
    held_out: Annotated[
        float, typer.Option(help="Fraction of samples held out from training.", min=0.0, max=0.95)
    ] = 0.2,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Write the weights to this .safetensors file.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Save the run to this file every 100 steps and at the end.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue from --checkpoint.")] = False,
    watch: Annotated[
        Path | None,
        typer.Option(help="Write the record of the run to this file, for `corollary watch`."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Write the loss curve to this .svg file.")
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", help="Write the result to this file (- for standard output)."),
    ] = None,
    sharding: Annotated[
        ShardingName,
        typer.Option(help="Under torchrun: replicate the parameters (ddp) or shard them (fsdp2)."),
    ] = ShardingName.ddp,
) -> None:
    """Train a network reproducibly: the same command gives the same weights.

    This runs your code. Ctrl-C ends the run after the current step and still writes the files you
    asked for. To train in several processes, start it with torchrun.
    """
    from corollary.examine.mistakes import check_words
    from corollary.train.launch import joined, launched

    with joined() as processes:
        if sharding is ShardingName.fsdp2 and not launched():
            raise InputError(
                "--sharding fsdp2 needs several processes; start them with torchrun "
                "--nproc-per-node 2 -m corollary train ..."
            )
        _check(steps, epochs, resume, checkpoint, clip)
        check_words(target, data, loss=loss, weights=weights)
        files = [
            path for path in (out, plot, watch, json_file) if path is not None and str(path) != "-"
        ]
        for path in files if processes.first else ():
            check_writable(path)
        from rich.console import Console

        from corollary.examine.prepare import load_subject
        from corollary.train.checkpoint import Checkpoint
        from corollary.train.subjects import train_subject

        said = Console(stderr=True, highlight=False, quiet=not processes.first)
        order = {"target": target, "data": data, "loss": loss, "lr": lr}
        order |= {"weights": None if weights is None else str(weights), "budget": FIRST_PASS}
        subject = load_subject(order | {"batch_size": batch_size, "seed": seed}, to_train=True)
        done = train_subject(
            subject,
            optimizer=optimizer.value,
            momentum=momentum,
            weight_decay=weight_decay,
            steps=steps,
            epochs=20 if steps is None and epochs is None else epochs,
            clip=clip,
            held_out=held_out,
            checkpoint=None if checkpoint is None else Checkpoint(checkpoint, resume=resume),
            progress=said.is_terminal,
            told=lambda sentence: said.print(sentence, markup=False),
            within=partial(_watched, subject.model, watch, sharding, quiet=not processes.first),
            sharding=sharding.value,
        )
        if processes.first:
            _keep(done, subject.model, out, plot, json_file)
        processes.wait()  # torchrun ends all when one leaves with an exit code
    raise typer.Exit(130 if done.interrupted else 3 if done.worse else 0)


def _watched(
    model: "nn.Module", record: Path | None, sharding: ShardingName, quiet: bool
) -> AbstractContextManager[object]:
    """Watch the run and report problems as they occur; sharded parameters cannot be watched."""
    if sharding is ShardingName.fsdp2:
        return nullcontext()
    from corollary.watch.watcher import watch

    return watch(model, to=record, quiet=quiet, evidence=0)


def _check(
    steps: int | None,
    epochs: int | None,
    resume: bool,
    checkpoint: Path | None,
    clip: float | None,
) -> None:
    """Reject options that contradict each other."""
    if steps is not None and epochs is not None:
        raise InputError("expected --epochs or --steps, got both")
    if resume and checkpoint is None:
        raise InputError("--resume needs --checkpoint with the file to continue from")
    if clip is not None and not 0 < clip < float("inf"):
        raise InputError(f"expected a positive and finite --clip, got {clip}")


def _keep(
    done: "Training",
    model: "nn.Module",
    out: Path | None,
    plot: Path | None,
    json_file: Path | None,
) -> None:
    """Write the requested files; a file that cannot be written does not stop the others.

    Raises:
        ResultsFileError: at the end, if a file could not be written.
    """
    from corollary.report.svg import figure_svg
    from corollary.train.subjects import save_weights

    text = json.dumps(done.to_json(), indent=1, allow_nan=False) + "\n"
    to_stdout = json_file is not None and str(json_file) == "-"
    problems = []
    if out is not None:
        problems += _written(partial(save_weights, model, out), partial(_rescue, model, out))
    if plot is not None:
        problems += _written(partial(write_atomically, plot, figure_svg(done.figure) + "\n"))
    if json_file is not None and not to_stdout:
        problems += _written(partial(write_atomically, json_file, text))
    if to_stdout:
        typer.echo(text, nl=False)
    else:
        _print(done, None if problems else out)
    if problems:
        raise ResultsFileError("; ".join(problems))


def _written(write: Callable[[], None], rescue: Callable[[], str] = lambda: "") -> list[str]:
    """The problems, each with the action taken; empty if there were none."""
    try:
        write()
    except ResultsFileError as error:
        return [f"{error}{rescue()}"]
    return []


def _rescue(model: "nn.Module", out: Path) -> str:
    """Save the weights in another place, so that a full disk does not lose hours of training."""
    from corollary.train.subjects import save_weights

    for folder in (cache_folder() / "weights", Path(tempfile.gettempdir())):
        place = folder / f"{out.stem}-{os.getpid()}{out.suffix}"
        if not _written(partial(save_weights, model, place)):
            return f"; the weights are in {place}"
    return "; the weights could not be saved in the cache folder either, so they are lost"


def _print(done: "Training", out: Path | None) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console.print(f"{done.history.stopped[:1].upper()}{done.history.stopped[1:]}.", markup=False)
    if done.worse:
        console.print(
            f"The loss is higher than at the start. Use a learning rate below {done.lr:.3g}, "
            "omit --lr so that corollary chooses a learning rate, or clip the gradient with "
            "--clip."
        )
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for head in ("", "samples", "loss", "accuracy"):
        table.add_column(head, justify="left" if not head else "right")
    table.add_row("training", *_row(done.learned))
    if done.held_out is not None:
        table.add_row("held out", *_row(done.held_out))
    console.print(table)
    if out is not None:
        console.print(f"Weights: {out}", soft_wrap=True, markup=False)


def _row(score: "Score") -> tuple[str, str, str]:
    if score.accuracy is None:
        return f"{score.samples:,}", f"{score.loss:.4g}", ""
    share = f"{score.accuracy:.3f} ({score.low:.3f} to {score.high:.3f})"
    return f"{score.samples:,}", f"{score.loss:.4g}", share
