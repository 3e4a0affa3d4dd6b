"""Options that several commands share: a network and its data, completion, claim parameters."""

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from corollary.errors import OptionError
from corollary.examine.datasets import DATA_SETS

# A network and its data, as `examine` and `train` take them.
Target = Annotated[
    str,
    typer.Argument(
        help="The network: net.py:build, package.module:object, a file (.safetensors, .onnx, "
        ".pt2, TorchScript), a folder saved by transformers, hf:NAME, timm:NAME or "
        "torchvision:NAME."
    ),
]
Data = Annotated[
    str, typer.Option(help=f"The data: {', '.join(DATA_SETS)}, file.py:loader, x.npz or x.csv.")
]
LossName = Annotated[
    str,
    typer.Option(
        help="The loss: cross_entropy, mse, bce or file.py:loss. By default it is "
        "chosen from the targets."
    ),
]
Weights = Annotated[
    Path | None,
    typer.Option(
        help="The weights to load: a .safetensors file, a state dict in a .pt file, or a folder."
    ),
]
Cluster = Annotated[
    str,
    typer.Option(
        help="Use a cluster instead of processes: dask:ADDRESS or ray:ADDRESS; without an address, "
        "a cluster of --jobs workers on this machine."
    ),
]


def complete_name(incomplete: str) -> list[str]:
    """Names for the shell's completion."""
    from corollary.registry import entries

    return [e.stem for e in entries() if e.stem.startswith(incomplete)] + [
        e.name for e in entries() if e.name.startswith(incomplete) and "/" in incomplete
    ]


def complete_area(incomplete: str) -> list[str]:
    """Areas for the shell's completion."""
    from corollary.registry import areas

    return [area for area in areas() if area.startswith(incomplete)]


def complete_suite(incomplete: str) -> list[str]:
    """Suites for the shell's completion."""
    from corollary.suites import suites

    return [name for name in suites() if name.startswith(incomplete)]


def known_area(area: str) -> str:
    """The area of this name; an error with the nearest names if there is none."""
    from corollary.errors import UnknownNameError
    from corollary.registry import areas

    if area not in areas():
        near = get_close_matches(area, areas(), n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(areas())}"
        raise UnknownNameError(f"there is no area called '{area}'; {hint}")
    return area


def split_words(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Split command-line words into names and claim parameters.

    Example:
        >>> split_words(["novikoff", "--gamma", "0.01", "--n=50", "--no-bias"])
        (['novikoff'], {'gamma': '0.01', 'n': '50', 'bias': 'false'})
    """
    names: list[str] = []
    options: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("--"):
            if word.startswith("-") and len(word) > 1:
                raise OptionError(f"expected an option that starts with --, got '{word}'")
            names.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        name = name.replace("-", "_")
        if not equals:
            if name.startswith("no_"):
                name, value = name.removeprefix("no_"), "false"
            else:
                following = next(rest, None)
                if following is None:
                    raise OptionError(f"expected a value after --{name}")
                value = following
        options[name] = value
    return names, options
