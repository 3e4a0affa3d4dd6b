"""What one can set in the playground: the fields of a page, checked before any work."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from corollary.errors import OptionError

DATA = ("moons", "rings", "xor", "gaussians")
ACTIVATIONS = ("relu", "leaky relu", "tanh", "sigmoid", "gelu", "linear")
OPTIMISERS = ("gradient descent", "momentum", "adam")
LOSSES = ("logistic", "squared")


def _choice(default: str, choices: tuple[str, ...], label: str) -> Any:
    return field(default=default, metadata={"choices": choices, "label": label})


def _range(default: float, low: float, high: float, label: str, *, log: bool = False) -> Any:
    return field(default=default, metadata={"low": low, "high": high, "label": label, "log": log})


@dataclass(frozen=True)
class PlaySettings:
    """Data, network and training of the playground.

    Example:
        >>> PlaySettings.of({"data": "rings", "width": "6"}).width
        6
    """

    data: str = _choice("moons", DATA, "data")
    n: int = _range(200, 20, 500, "points")
    noise: float = _range(0.15, 0.0, 0.5, "noise")
    width: int = _range(8, 1, 64, "units a layer")
    depth: int = _range(2, 1, 5, "hidden layers")
    activation: str = _choice("relu", ACTIVATIONS, "activation")
    loss: str = _choice("logistic", LOSSES, "loss")
    optimiser: str = _choice("gradient descent", OPTIMISERS, "optimiser")
    lr: float = _range(0.5, 0.0001, 100.0, "step size η", log=True)
    batch: int = _range(0, 0, 500, "batch (0: all points)")
    seed: int = _range(0, 0, 9999, "seed")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "PlaySettings":
        """Read from text or JSON.

        Raises:
            OptionError: for the first name or value that is not to be had.
        """
        known = {f.name: f for f in dataclasses.fields(cls)}
        for name in given:
            if name not in known:
                raise OptionError(f"the playground has no '{name}'; it has {', '.join(known)}")
        return cls(**{name: _read(known[name], value) for name, value in given.items()})

    def changed(self) -> dict[str, Any]:
        """What is not at its default."""
        return {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if getattr(self, f.name) != f.default
        }


def _read(field: "dataclasses.Field[Any]", value: Any) -> Any:
    about, label = field.metadata, field.name
    if "choices" in about:
        if value not in about["choices"]:
            raise OptionError(f"{label} is one of {', '.join(about['choices'])}, not '{value}'")
        return value
    kind: type[int] | type[float] = int if isinstance(field.default, int) else float
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        what = "a whole number" if kind is int else "a number"
        raise OptionError(f"{label} needs {what}, but '{value}' came") from None
    if not (math.isfinite(number) and about["low"] <= number <= about["high"]):
        raise OptionError(
            f"{label} must lie between {about['low']:g} and {about['high']:g}, but it is {number:g}"
        )
    return number
