"""A module that is named on the command line. Loading runs the user's code.

TARGET is ``file.py:name`` or ``package.module:name`` (called without arguments if it is a function
or a class; it may give ``(model, data)``), a ``.safetensors`` file written by
:func:`corollary.train.saved.save_model`, a folder of transformers (``save_pretrained``), a file of
ONNX, torch.export or TorchScript (:mod:`corollary.examine.network_files`), or a name in a library
(:mod:`corollary.examine.hubs`).
"""

import importlib
import importlib.util
import os
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from corollary.errors import CorollaryError, InputError, one_line
from corollary.examine.hubs import hub_of, load_from_hub, pretrained
from corollary.examine.network_files import NETWORK_FILES, load_network_file

DEMO = "corollary.exams.demo:build"
# What a folder of transformers may hold, best first; an index names the files that weights are in.
IN_FOLDER = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
FORM = "expected file.py:name or package.module:name, such as net.py:build, got '{}'"


def load_module(target: str) -> tuple[Any, Any]:
    """The module that ``target`` names, and the data returned together with it (or None)."""
    if target.endswith(".safetensors"):
        from corollary.train.saved import load_model

        return load_model(Path(target)), None
    if target.endswith(NETWORK_FILES):
        return load_network_file(Path(target)), None
    if hub_of(target):
        return load_from_hub(target), None
    if is_folder(target):
        return _pretrained(Path(target)), None
    made = called(load_object(target), target)
    from torch import nn

    model, data = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
    model = unwrapped(model)
    if not isinstance(model, nn.Module):
        raise InputError(
            f"expected '{target}' to be or to return a torch.nn.Module, got type "
            f"{type(model).__name__}"
        )
    return model, data


def is_folder(target: str) -> bool:
    """Whether a target is a folder of transformers: it has a ``config.json``."""
    return (Path(target) / "config.json").is_file()


def file_of_weights(path: Path) -> Path:
    """The file that holds the weights: ``path`` itself, or a file in that folder.

    Raises:
        InputError: if there is none.
    """
    if not path.is_dir():
        must_exist(path)
        return path
    found = [path / name for name in IN_FOLDER if (path / name).is_file()]
    if not found:
        raise InputError(f"the folder {path} has no weights; expected {IN_FOLDER[0]} in it")
    return found[0]


def _pretrained(folder: Path) -> Any:
    """The model of a folder; code within the folder is not run."""
    try:
        return pretrained(str(folder), local=True)
    except ModuleNotFoundError:
        raise InputError(
            f"{folder} is a model saved by transformers; run pip install transformers to examine it"
        ) from None
    except CorollaryError:
        raise
    except Exception as error:
        raise _broken(str(folder), error) from None


def unwrapped(model: Any) -> Any:
    """The module inside a compiled or data-parallel wrapper; any other module unchanged.

    Both compute the same function, but only the layers of the inner module can be inspected.

    Example:
        >>> from torch import nn
        >>> unwrapped(nn.DataParallel(nn.Linear(2, 1)))
        Linear(in_features=2, out_features=1, bias=True)
    """
    from torch import nn

    within = getattr(model, "_orig_mod", None)  # of torch.compile
    if isinstance(within, nn.Module):
        return unwrapped(within)
    if isinstance(model, nn.DataParallel | nn.parallel.DistributedDataParallel):
        return unwrapped(model.module)
    return model


def load_object(spec: str) -> Any:
    """The object that ``file.py:name`` or ``package.module:name`` names, unchanged."""
    place, colon, name = spec.rpartition(":")
    if not colon or not name:
        raise InputError(FORM.format(spec))
    if place.endswith(".py"):
        module = _module_of_file(Path(place))
    else:
        _make_importable(Path.cwd())
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise InputError(f"the module '{place}' cannot be imported ({error})") from None
        except Exception as error:
            raise _broken(place, error) from None
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise no_such_name(place, name, _offered(module))
        found = getattr(found, part)
    return found


def no_such_name(place: str, name: str, names: list[str]) -> InputError:
    """The error for a name that ``place`` does not define, with the nearest names it defines."""
    near = get_close_matches(name, names, n=1)
    some = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "") or "nothing"
    hint = f"did you mean {near[0]}?" if near else f"it has {some}"
    return InputError(f"'{place}' has no '{name}'; {hint}")


def _offered(module: Any) -> list[str]:
    """The callable names that a module itself defines, or all its names if there are none."""
    names = {n: v for n, v in vars(module).items() if not n.startswith("_")}
    own = [n for n, v in names.items() if getattr(v, "__module__", "") == module.__name__]
    return own or list(names)


def _module_of_file(path: Path) -> Any:
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    name = path.stem if _is_free(path) else f"file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, "a .py file needs the name of a loader"
    module = importlib.util.module_from_spec(spec)
    _make_importable(path.resolve().parent)  # its neighbours
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise _broken(str(path), error) from None
    return module


def _is_free(path: Path) -> bool:
    """Whether no other module has the name of this file, unlike json.py or torch.py."""
    loaded = sys.modules.get(path.stem)
    mine = loaded is None or getattr(loaded, "__file__", None) == str(path)
    return mine and path.stem not in sys.stdlib_module_names


def _make_importable(folder: Path) -> None:
    """Make a folder importable, before installed packages and after the standard library."""
    library = Path(os.__file__).parent
    places = [k for k, p in enumerate(sys.path, 1) if Path(p) in (library, library / "lib-dynload")]
    if str(folder) not in sys.path:
        sys.path.insert(max(places, default=len(sys.path)), str(folder))


def called(found: Any, spec: str) -> Any:
    """The result of calling a function or a class; a module or data unchanged."""
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
        return InputError(f"{place} needs more memory than allowed; see --memory")
    return InputError(one_line(f"{place} stopped with {type(error).__name__}: {error}"))


def must_exist(path: Path) -> None:
    """Raise if there is no such file."""
    if not path.is_file():
        raise InputError(f"there is no file {path}")
