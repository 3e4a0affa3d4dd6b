"""Repeats a saved step with the same inputs, weights and random state."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from corollary.errors import InputError, ResultsFileError, one_line
from corollary.theory.modules.keeping import kept
from corollary.watch.first_bad_value import BadValue, first_bad_value
from corollary.watch.forensics import SCHEMA, broken


@dataclass(frozen=True)
class Replay:
    """The result of the repeated step."""

    step: int
    weights: tuple[str, ...]  # parameters that were not finite before the pass
    forward: BadValue | None  # the first bad operation of the pass
    loss: float | None  # where a loss was given
    gradients: tuple[str, ...]  # parameters whose gradient is not finite

    @property
    def broken(self) -> bool:
        """Whether any value was not finite."""
        return bool(self.weights or self.forward or self.gradients)

    def __str__(self) -> str:
        lines = [f"Step {self.step}, repeated:"]
        if self.weights:
            some = ", ".join(self.weights[:3])
            lines.append(f"  weights: {len(self.weights)} tensors are not finite ({some})")
        else:
            lines.append("  weights: finite")
        lines.append(f"  pass: {self.forward or 'finite'}")
        if self.loss is not None:
            lines.append(f"  loss: {self.loss:.6g}")
            bad = ", ".join(self.gradients[-3:])
            lines.append(f"  gradients: {f'not finite in {bad}' if self.gradients else 'finite'}")
        return "\n".join(lines)


def read_step(path: Path) -> dict[str, Any]:
    """The data of a kept step; nothing in the file is executed.

    Raises:
        ResultsFileError: if the file does not contain a step.
    """
    try:
        found = torch.load(path, weights_only=True)
    except (OSError, RuntimeError, pickle.UnpicklingError, EOFError) as error:
        raise ResultsFileError(f"{path} cannot be read ({one_line(str(error))})") from None
    if not isinstance(found, dict) or found.get("kind") != "step" or found["schema"] != SCHEMA:
        raise ResultsFileError(f"expected a step saved by a watcher in {path}, got something else")
    return found


def replayed(
    held: dict[str, Any], model: nn.Module, loss: Callable[[Any], Tensor] | None = None
) -> Replay:
    """Repeat the step with a module of the same architecture.

    Raises:
        InputError: if the weights do not fit the module.
    """
    try:
        model.load_state_dict(held["weights"])
    except RuntimeError as error:
        raise InputError(
            f"the saved weights do not fit the model ({one_line(str(error))})"
        ) from None
    output: list[Any] = []

    def forward() -> None:
        torch.set_rng_state(held["rng"])
        output.append(model(*held["args"], **held["kwargs"]))

    with kept(model):
        model.train(bool(held["training"]))
        bad = first_bad_value(model, forward)
        value: float | None = None
        gradients: tuple[str, ...] = ()
        if loss is not None:
            result = loss(output[-1])
            value = float(result.detach())
            slopes = torch.autograd.grad(result, _trained(model), allow_unused=True)
            gradients = _not_finite(model, slopes)
    return Replay(int(held["step"]), tuple(broken(model)), bad, value, gradients)


def _trained(model: nn.Module) -> list[Tensor]:
    return [p for p in model.parameters() if p.requires_grad]


def _not_finite(model: nn.Module, slopes: Any) -> tuple[str, ...]:
    names = [n for n, p in model.named_parameters() if p.requires_grad]
    pairs = zip(names, slopes, strict=True)
    return tuple(n for n, g in pairs if g is not None and not bool(torch.isfinite(g).all()))
