"""Sinks of other packages: TensorBoard, MLflow and Weights & Biases.

Each sink logs numbers under the names of the readings, and events as text. The packages are
imported when a sink is created; a missing one is reported in one sentence.
"""

import importlib
import math
import os
from typing import Any

from corollary.core.numbers import from_json_number
from corollary.errors import MissingExtraError
from corollary.watch.event import Event


def package(name: str, what: str, install: str) -> Any:
    """Import an optional package.

    Raises:
        MissingExtraError: if it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(
            f"{what} needs a package that is not installed; run pip install {install}"
        ) from None


def numbers(line: dict[str, Any]) -> dict[str, float]:
    """The numbers of a line to be drawn, by name; only finite ones.

    Example:
        >>> numbers({"kind": "step", "step": 3, "loss": 0.5, "lr": 0.1})
        {'loss': 0.5, 'learning rate': 0.1}
    """
    if line["kind"] == "step":
        found = {"loss": line["loss"], "learning rate": line["lr"]}
    elif line["kind"] == "reading":
        found = {str(line["name"]): line["value"]}
    else:
        return {}
    plain = {name: from_json_number(value) for name, value in found.items()}
    return {name: value for name, value in plain.items() if math.isfinite(value)}


class TensorBoard:
    """Writes scalars and events for TensorBoard.

    Args:
        folder: The log directory.
        writer: An existing ``SummaryWriter``, instead of a new one.
    """

    def __init__(self, folder: str | os.PathLike[str] = "runs", *, writer: Any = None) -> None:
        if writer is None:
            module = package("torch.utils.tensorboard", "the TensorBoard sink", "tensorboard")
            writer = module.SummaryWriter(str(folder))
        self.writer = writer

    def write(self, line: dict[str, Any]) -> None:
        """Take one line."""
        for name, value in numbers(line).items():
            self.writer.add_scalar(f"corollary/{name}", value, line["step"])
        if line["kind"] == "event":
            event = Event.from_json(line)
            self.writer.add_text(f"corollary/{event.cause}", str(event), event.step)

    def close(self) -> None:
        """Write the remaining data."""
        self.writer.flush()


class MLflow:
    """Logs metrics and events to the active MLflow run, or to a new one."""

    def __init__(self) -> None:
        self.mlflow = package("mlflow", "the MLflow sink", "mlflow")
        self.own = self.mlflow.active_run() is None
        if self.own:
            self.mlflow.start_run()
        self.events: list[str] = []

    def write(self, line: dict[str, Any]) -> None:
        """Take one line."""
        for name, value in numbers(line).items():
            self.mlflow.log_metric(f"corollary/{name}", value, step=line["step"])
        if line["kind"] == "event":
            self.events.append(str(Event.from_json(line)))

    def close(self) -> None:
        """Log the events as one file; end the run if the sink created it."""
        if self.events:
            self.mlflow.log_text("\n".join(self.events) + "\n", "corollary-events.txt")
        if self.own:
            self.mlflow.end_run()


class WandB:
    """Logs to a Weights & Biases run.

    Args:
        run: An existing run; by default the active run, or else a new offline run.
    """

    def __init__(self, run: Any = None) -> None:
        if run is None:
            wandb = package("wandb", "the Weights & Biases sink", "wandb")
            run = wandb.run or wandb.init(mode="offline")
        self.run = run
        self.run.define_metric("corollary/*", step_metric="corollary/step")

    def write(self, line: dict[str, Any]) -> None:
        """Take one line."""
        found = {f"corollary/{name}": value for name, value in numbers(line).items()}
        if line["kind"] == "event":
            event = Event.from_json(line)
            self.run.summary[f"corollary/{event.cause}"] = str(event)
        if found:
            self.run.log(found | {"corollary/step": line["step"]})

    def close(self) -> None:
        """The run is the user's to finish."""
