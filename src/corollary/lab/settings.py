"""The settings of the playground: the fields of a page, checked before any work."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from corollary.errors import OptionError

CLASSES = ("moons", "rings", "xor", "gaussians", "spiral")
SURFACES = ("plane", "hills")  # regression
DATA = CLASSES + SURFACES
ACTIVATIONS = ("relu", "leaky relu", "tanh", "sigmoid", "gelu", "linear")
OPTIMIZERS = ("gradient descent", "momentum", "adam")
LOSSES = ("logistic", "squared")
FEATURES = {  # as one types them, and as one writes them
    "x1": "x₁",
    "x2": "x₂",
    "x1^2": "x₁²",
    "x2^2": "x₂²",
    "x1*x2": "x₁x₂",
    "sin x1": "sin x₁",
    "sin x2": "sin x₂",
}
STRAIGHT = ("x1", "x2")  # of a network that has no others the linear regions are polygons


def _choice(default: str, choices: tuple[str, ...], label: str) -> Any:
    return field(default=default, metadata={"choices": choices, "label": label})


def _range(
    default: float, low: float, high: float, label: str, *, log: bool = False, end: float = 0.0
) -> Any:
    """A number; its slider ends at ``end`` where only less than all is of interest."""
    about = {"low": low, "high": high, "label": label, "log": log, "end": end or high}
    return field(default=default, metadata=about)


def _list(default: tuple[int, ...], most: int, high: int, label: str) -> Any:
    return field(default=default, metadata={"most": most, "high": high, "label": label})


def _some(default: tuple[str, ...], among: Mapping[str, str], label: str) -> Any:
    return field(default=default, metadata={"among": among, "label": label})


@dataclass(frozen=True)
class PlaySettings:
    """Data, network and training of the playground.

    Example:
        >>> PlaySettings.of({"data": "rings", "hidden": "6,4"}).hidden
        (6, 4)
        >>> PlaySettings.of({"hidden": "0", "features": "x2^2, x1"})  # no hidden layer
        ... # doctest: +ELLIPSIS
        PlaySettings(..., features=('x1', 'x2^2'), hidden=(), ...)
    """

    data: str = _choice("moons", DATA, "data")
    n: int = _range(200, 20, 500, "points")
    noise: float = _range(0.15, 0.0, 0.5, "noise")
    features: tuple[str, ...] = _some(STRAIGHT, FEATURES, "inputs")
    hidden: tuple[int, ...] = _list((8, 8), 6, 64, "hidden layers: units per layer")
    activation: str = _choice("relu", ACTIVATIONS, "activation")
    loss: str = _choice("logistic", LOSSES, "loss")
    optimizer: str = _choice("gradient descent", OPTIMIZERS, "optimizer")
    lr: float = _range(0.5, 0.0001, 100.0, "learning rate η", log=True)
    l1: float = _range(0.0, 0.0, 1.0, "L1 penalty", end=0.1)
    l2: float = _range(0.0, 0.0, 1.0, "L2 penalty", end=0.1)
    batch: int = _range(0, 0, 500, "batch size (0 means all points)")
    seed: int = _range(0, 0, 9999, "seed")

    @property
    def regression(self) -> bool:
        """Whether heights are learned, by the squared loss, and not classes."""
        return self.data in SURFACES

    @property
    def straight(self) -> bool:
        """Whether the inputs are coordinates, and none of them bends."""
        return set(self.features) <= set(STRAIGHT)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "PlaySettings":
        """Read from text or JSON.

        Raises:
            OptionError: for the first unknown name or invalid value.
        """
        known = {f.name: f for f in dataclasses.fields(cls)}
        for name in given:
            if name not in known:
                raise OptionError(
                    f"the playground has no setting '{name}'; its settings are {', '.join(known)}"
                )
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
            raise OptionError(
                f"{label} must be one of {', '.join(about['choices'])}, got '{value}'"
            )
        return value
    if "among" in about:
        return _names(value, label, about["among"])
    if "most" in about:
        return _widths(value, label, about["most"], about["high"])
    kind: type[int] | type[float] = int if isinstance(field.default, int) else float
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        what = "a whole number" if kind is int else "a number"
        raise OptionError(f"{label} must be {what}, got '{value}'") from None
    if not (math.isfinite(number) and about["low"] <= number <= about["high"]):
        raise OptionError(
            f"{label} must be between {about['low']:g} and {about['high']:g}, got {number:g}"
        )
    return number


def _parts(value: Any) -> list[str]:
    """The members of a list, or of text with commas between."""
    given = value if isinstance(value, (list, tuple)) else str(value).strip().rstrip(",").split(",")
    return [str(part).strip() for part in given]


def _names(value: Any, label: str, among: Mapping[str, str]) -> tuple[str, ...]:
    """Some of the names there are, each once and in their order."""
    given = [part for part in _parts(value) if part]
    for name in given:
        if name not in among:
            raise OptionError(f"{label} must be among {', '.join(among)}, got '{name[:40]}'")
    if not given:
        raise OptionError(f"{label} needs at least one of {', '.join(among)}")
    return tuple(name for name in among if name in given)


def _widths(value: Any, label: str, most: int, high: int) -> tuple[int, ...]:
    """Widths of layers, from a list or from text such as ``8, 8, 4``; ``0`` is no layer."""
    try:
        widths = tuple(int(part) for part in _parts(value))
    except ValueError:
        raise OptionError(
            f"{label} must be whole numbers separated by commas, such as 8,8,4, "
            f"got '{str(value)[:40]}'"
        ) from None
    if widths == (0,):
        return ()
    if not (len(widths) <= most and all(1 <= width <= high for width in widths)):
        raise OptionError(
            f"{label} must be at most {most} numbers from 1 to {high}, one per layer, got "
            f"'{str(value)[:40]}'"
        )
    return widths
