"""A module and its data, named on the command line. Loading runs the user's code.

TARGET is ``file.py:name`` or ``package.module:name`` (called without arguments if it is a function
or a class; it may give ``(model, data)``), or a ``.safetensors`` file written by
:func:`corollary.train.saved.save_model`. DATA is the name of a data set, ``file.py:name`` or
``package.module:name``, or an ``.npz`` or ``.csv`` file.
"""

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from corollary.errors import CorollaryError, InputError, UnknownNameError

TARGETS = ("y", "label", "labels", "target", "targets")
DATA_SETS = ("two_moons", "digits", "mnist", "fashion_mnist")


def load_target(target: str) -> tuple[Any, Any]:
    """The module that ``target`` names, and the data it came with (or None)."""
    if target.endswith(".safetensors"):
        from corollary.train.saved import load_model

        return load_model(Path(target)), None
    made = _called(load_object(target), target)
    from torch import nn

    from corollary.intake import as_module

    model, data = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
    model = as_module(model)
    if not isinstance(model, nn.Module):
        raise InputError(
            f"'{target}' must be or give a torch.nn.Module, but it gives a {type(model).__name__}"
        )
    return model, data


def load_weights(model: Any, path: Path) -> None:
    """Put the numbers of a ``.safetensors`` file into a module that has the same names."""
    from safetensors import SafetensorError
    from safetensors.torch import load_model

    _must_exist(path)
    try:
        load_model(model, str(path))
    except (SafetensorError, RuntimeError, OSError) as error:
        raise InputError(
            one_line(f"the weights in {path} do not fit {type(model).__name__} ({error})")
        ) from None


def load_data(spec: str, seed: int = 0) -> Any:
    """The data that ``spec`` names."""
    if spec in DATA_SETS:
        return _data_set(spec, seed)
    if spec.endswith(".npz"):
        return _npz(Path(spec))
    if spec.endswith(".csv"):
        return _csv(Path(spec))
    if ":" in spec:
        data = _called(load_object(spec), spec)
        if data is None:
            raise InputError(f"'{spec}' gives None; it should give data such as a pair (x, y)")
        return data
    raise UnknownNameError(
        f"there is no data set '{spec}'; give {', '.join(DATA_SETS)}, file.py:name, "
        "or an .npz or .csv file"
    )


def load_object(spec: str) -> Any:
    """The object that ``file.py:name`` or ``package.module:name`` names, as it is."""
    place, colon, name = spec.rpartition(":")
    if not colon or not name:
        raise InputError(
            f"'{spec}' should be file.py:name or package.module:name, as in net.py:build"
        )
    if place.endswith(".py"):
        module = _module_of_file(Path(place))
    else:
        sys.path.insert(0, str(Path.cwd()))
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise InputError(f"the module '{place}' cannot be imported ({error})") from None
        except Exception as error:
            raise _broken(place, error) from None
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise InputError(f"'{place}' has no '{name}'; it has {_offered(module)}")
        found = getattr(found, part)
    return found


def _offered(module: Any) -> str:
    """What a module itself defines and one may call, or all its names if that is nothing."""
    names = {n: v for n, v in vars(module).items() if not n.startswith("_")}
    own = [n for n, v in names.items() if getattr(v, "__module__", "") == module.__name__]
    some = (own or list(names))[:12]
    return ", ".join(some) + (", ..." if len(own or names) > 12 else "") if some else "nothing"


def _module_of_file(path: Path) -> Any:
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None, "a .py file has a loader"
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))  # so that it can import its neighbours
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise _broken(str(path), error) from None
    return module


def _called(found: Any, spec: str) -> Any:
    from torch import nn

    if isinstance(found, nn.Module) or not callable(found):
        return found
    try:
        return found()
    except CorollaryError:
        raise
    except Exception as error:
        raise _broken(spec, error) from None


def _broken(place: str, error: Exception) -> InputError:
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return InputError(f"{place} needs more memory than it may take, see --memory")
    return InputError(one_line(f"{place} stopped with {type(error).__name__}: {error}"))


def one_line(text: str, most: int = 400) -> str:
    r"""A message of others as one line of bounded length.

    Example:
        >>> one_line("size mismatch:\n    expected 2")
        'size mismatch: expected 2'
    """
    folded = " ".join(text.split())
    return folded if len(folded) <= most else folded[: most - 4] + " ..."


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

    _must_exist(path)
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: torch.from_numpy(file[name]) for name in file.files}
    except Exception as error:  # zipfile, zlib and numpy each have their own for a damaged file
        other = "pickle" in str(error) or "np.ndarray" in str(error)
        said = "it is damaged, or holds other things" if other else error
        raise InputError(
            one_line(f"{path} cannot be read as an .npz of numbers ({said})")
        ) from None
    if {"x", "y"} <= set(arrays):
        return arrays["x"], arrays["y"]
    if len(arrays) == 1:
        return next(iter(arrays.values()))
    if len(arrays) == 2:  # the target is the last one, unless their names say otherwise
        return tuple(arrays[name] for name in sorted(arrays, key=lambda n: n in TARGETS))
    has = f"it has {', '.join(arrays)}" if arrays else "it is empty"
    raise InputError(f"{path} needs the arrays x and y, but {has}")


def _csv(path: Path) -> Any:
    """Numbers with the target in the last column; whole numbers there are classes."""
    import numpy as np
    import torch

    _must_exist(path)
    try:
        with path.open(encoding="utf-8") as file:
            first, second = file.readline(), file.readline()
        if not second.strip() and not first.strip():
            raise ValueError("it is empty")
        header = any(_not_a_number(cell) for cell in first.strip().split(","))
        table = np.loadtxt(path, delimiter=",", skiprows=int(header), ndmin=2)
    except (OSError, ValueError) as error:
        said = one_line(str(error).split(";")[0].rstrip("."))  # numpy goes on about its options
        text = "; write text as numbers" if "could not convert" in said else ""
        raise InputError(f"{path} cannot be read as a .csv of numbers ({said}{text})") from None
    if table.shape[0] == 0 or table.shape[1] < 2:
        raise InputError(f"{path} needs rows of at least one input and a target in the last column")
    x, y = torch.from_numpy(table[:, :-1]).float(), torch.from_numpy(table[:, -1])
    whole = bool((y == y.round()).all()) and bool((y >= 0).all())
    return x, y.long() if whole else y.float()


def _must_exist(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"there is no file {path}")


def _not_a_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return True
    return False
