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
        "the sharpness rises to the dashed line, the limit of stability, and stays there.",
        {"data": "moons", "hidden": (16, 16), "activation": "tanh", "loss": "squared", "lr": 0.3},
    ),
    "dead-relu": Preset(
        "Dead ReLU",
        "at a learning rate of 20, all units of a layer die within a few steps.",
        {"data": "moons", "hidden": (8, 8), "lr": 20.0},
    ),
    "lazy": Preset(
        "Lazy",
        "64 hidden units fit the data, and the tangent kernel hardly changes.",
        {"data": "gaussians", "hidden": (64,), "activation": "tanh", "lr": 0.02},
    ),
    "rich": Preset(
        "Rich",
        "four units per layer have to learn features, so the tangent kernel changes a lot.",
        {"data": "rings", "hidden": (4, 4), "activation": "tanh", "lr": 0.5},
    ),
    "too-small": Preset(
        "Too small",
        "with one unit per layer, the loss stays near the loss of a constant output.",
        {"data": "xor", "hidden": (1, 1), "lr": 0.3},
    ),
    "overfitting": Preset(
        "Overfitting",
        "few noisy points and many weights: the training loss falls, the test loss rises.",
        {"data": "moons", "n": 30, "noise": 0.5, "hidden": (64, 64), "optimizer": "adam"}
        | {"lr": 0.01},
    ),
    "product-feature": Preset(
        "One good feature",
        "with the product x1·x2 as input, xor needs no hidden layer.",
        {"data": "xor", "features": ("x1*x2",), "hidden": (), "lr": 0.1},
    ),
}


def preset_settings(name: str) -> dict[str, Any]:
    """The settings of a preset.

    Raises:
        OptionError: if there is none of that name.
    """
    if name not in PRESETS:
        raise OptionError(f"there is no preset '{name[:40]}'; the presets are {', '.join(PRESETS)}")
    return dict(PRESETS[name].settings)
