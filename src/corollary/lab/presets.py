"""Named settings of the playground, each with an address of its own: ``/play?preset=NAME``."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from corollary.errors import OptionError


class Preset(NamedTuple):
    """Settings worth looking at, and what one sees there."""

    title: str
    about: str
    settings: Mapping[str, Any]


PRESETS: dict[str, Preset] = {
    "edge-of-stability": Preset(
        "Edge of stability",
        "the sharpness rises until it meets the dashed limit, and stays there.",
        {"data": "moons", "hidden": (16, 16), "activation": "tanh", "loss": "squared", "lr": 0.3},
    ),
    "dead-relu": Preset(
        "Dead ReLU",
        "a learning rate of 20 kills a whole layer within a few steps, for good.",
        {"data": "moons", "hidden": (8, 8), "lr": 20.0},
    ),
    "lazy": Preset(
        "Lazy",
        "64 units per layer fit the data while the tangent kernel hardly turns.",
        {"data": "gaussians", "hidden": (64,), "activation": "tanh", "lr": 0.02},
    ),
    "rich": Preset(
        "Rich",
        "four units per layer have to learn features, and the tangent kernel turns far.",
        {"data": "rings", "hidden": (4, 4), "activation": "tanh", "lr": 0.5},
    ),
    "too-small": Preset(
        "Too small",
        "one unit per layer cannot bend enough; the loss stays near that of a constant.",
        {"data": "xor", "hidden": (1, 1), "lr": 0.3},
    ),
    "overfitting": Preset(
        "Overfitting",
        "few noisy points, many weights: the test loss rises while the training loss falls.",
        {"data": "moons", "n": 30, "noise": 0.5, "hidden": (64, 64), "optimizer": "adam"}
        | {"lr": 0.01},
    ),
    "product-feature": Preset(
        "One good feature",
        "with the product of the coordinates as input, no hidden layer is needed for xor.",
        {"data": "xor", "features": ("x1*x2",), "hidden": (), "lr": 0.1},
    ),
}


def preset_settings(name: str) -> dict[str, Any]:
    """The settings of a preset.

    Raises:
        OptionError: if there is none of that name.
    """
    if name not in PRESETS:
        raise OptionError(f"there is no preset '{name[:40]}'; there are {', '.join(PRESETS)}")
    return dict(PRESETS[name].settings)
