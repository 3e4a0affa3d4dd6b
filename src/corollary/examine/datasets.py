"""Data that is named on the command line. Loading may run the user's code.

DATA is the name of a data set, ``file.py:name`` or ``package.module:name``, or an ``.npz`` or
``.csv`` file.
"""

from difflib import get_close_matches
from pathlib import Path
from typing import Any

from corollary.errors import InputError, UnknownNameError, one_line
from corollary.examine.modules import called, load_object, must_exist

DATA_SETS = ("two_moons", "digits", "mnist", "fashion_mnist")
TARGETS = ("y", "label", "labels", "target", "targets")  # names that an array of targets may have


def load_data(spec: str, seed: int = 0) -> Any:
    """The data that ``spec`` names."""
    if spec in DATA_SETS:
        return _data_set(spec, seed)
    if spec.endswith(".npz"):
        return _npz(Path(spec))
    if spec.endswith(".csv"):
        return _csv(Path(spec))
    if ":" in spec:
        data = called(load_object(spec), spec)
        if data is None:
            raise InputError(f"expected data such as a pair (x, y) from '{spec}', got None")
        return data
    raise _unknown(spec)


def known_form(spec: str) -> None:
    """Raise if ``spec`` names neither a data set nor a data file."""
    if spec.endswith((".npz", ".csv")):
        must_exist(Path(spec))
    elif spec not in DATA_SETS:
        raise _unknown(spec)


def _unknown(spec: str) -> UnknownNameError:
    near = get_close_matches(spec, DATA_SETS, n=1)
    hint = f"did you mean {near[0]}? Other forms:" if near else f"give {', '.join(DATA_SETS)},"
    return UnknownNameError(
        f"there is no data set '{spec}'; {hint} file.py:name, or an .npz or .csv file"
    )


def _data_set(name: str, seed: int) -> Any:
    from corollary.core import generator
    from corollary.data import real
    from corollary.data.two_moons import two_moons

    if name == "two_moons":
        x, y = two_moons(512, rng=generator(seed, name))
        return x.float(), (y > 0).long()
    x, y = getattr(real, name)()
    return x.unsqueeze(1), y  # one channel, as convolutions and flattening models expect


def _npz(path: Path) -> Any:
    import numpy as np
    import torch

    must_exist(path)
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: torch.from_numpy(file[name]) for name in file.files}
    except Exception as error:  # zipfile, zlib and numpy each have their own for a damaged file
        other = "pickle" in str(error) or "np.ndarray" in str(error)
        said = "the file is damaged, or is not an .npz file" if other else error
        raise InputError(
            one_line(f"{path} cannot be read as an .npz of numbers ({said})")
        ) from None
    if {"x", "y"} <= set(arrays):
        return arrays["x"], arrays["y"]
    if len(arrays) == 1:
        return next(iter(arrays.values()))
    if len(arrays) == 2:  # the target is the last one, unless their names say otherwise
        return tuple(arrays[name] for name in sorted(arrays, key=lambda n: n in TARGETS))
    has = ", ".join(arrays) or "none"
    raise InputError(f"expected the arrays x and y in {path}, got {has}")


def _csv(path: Path) -> Any:
    """Numbers with the target in the last column; whole numbers in that column are classes."""
    import numpy as np
    import torch

    must_exist(path)
    try:
        with path.open(encoding="utf-8") as file:
            first, second = file.readline(), file.readline()
        if not second.strip() and not first.strip():
            raise ValueError("the file is empty")
        header = any(_not_a_number(cell) for cell in first.strip().split(","))
        table = np.loadtxt(path, delimiter=",", skiprows=int(header), ndmin=2)
    except (OSError, ValueError) as error:
        said = one_line(str(error).split(";")[0].rstrip("."))  # numpy goes on about its options
        text = "; encode text as numbers" if "could not convert" in said else ""
        raise InputError(f"{path} cannot be read as a .csv of numbers ({said}{text})") from None
    if table.shape[0] == 0 or table.shape[1] < 2:
        raise InputError(
            f"expected rows with at least one input and a target in the last column in {path}"
        )
    x, y = torch.from_numpy(table[:, :-1]).float(), torch.from_numpy(table[:, -1])
    whole = bool((y == y.round()).all()) and bool((y >= 0).all())
    return x, y.long() if whole else y.float()


def _not_a_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return True
    return False
