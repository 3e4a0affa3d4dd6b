"""Names that a page or an assistant sends, restricted to one folder."""

from pathlib import Path

from corollary.errors import InputError, one_line
from corollary.examine.datasets import DATA_SETS
from corollary.examine.modules import DEMO, is_folder
from corollary.examine.network_files import NETWORK_FILES

TARGETS = (".py", ".safetensors", *NETWORK_FILES)
DATA_FILES = (".npz", ".csv")
WEIGHTS = (".safetensors", ".pt", ".pth", ".bin")


def checked_target(target: str, folder: Path) -> str:
    """The target unchanged.

    Raises:
        InputError: if it is neither the demo nor something in ``folder``.
    """
    if target in ("", "demo", DEMO):
        return DEMO
    place = folder / (target.rpartition(":")[0] or target)
    _stays_inside(target, place, folder, "the target")
    if not is_folder(str(place)):
        _file_inside(target, folder, "the target", TARGETS, "net.py:build or demo")
    return target


def checked_data(data: str, folder: Path, what: str = "the data") -> str:
    """The same check for data: a known name, or a file in ``folder``."""
    if data and data not in DATA_SETS:
        _file_inside(data, folder, what, (".py", *DATA_FILES), "digits or data.npz")
    return data


def checked_loss(loss: str, folder: Path) -> str:
    """The same check for a loss: a name, or a function in ``folder``."""
    if ":" in loss:
        _file_inside(loss, folder, "the loss", (".py",), "mse or losses.py:mine")
    return loss


def checked_weights(weights: str, folder: Path) -> str:
    """The same check for weights: a file in ``folder``, or a folder saved by transformers in it."""
    if weights:
        _stays_inside(weights, folder / weights, folder, "the weights")
    if weights and not (folder / weights).is_dir():
        _file_inside(weights, folder, "the weights", WEIGHTS, "model.safetensors")
    return weights


def checked_record(record: str, folder: Path) -> Path:
    """The file of a watched run in ``folder``."""
    _file_inside(record, folder, "the record", (".jsonl",), "watch.jsonl")
    return (folder / record).resolve()


def _file_inside(spec: str, folder: Path, what: str, kinds: tuple[str, ...], example: str) -> None:
    """Raise unless this names a file of one of these kinds in the folder; links are followed."""
    place = spec.rpartition(":")[0] or spec
    if not place.endswith(kinds) or (place.endswith(".py") and ":" not in spec):
        raise InputError(one_line(f"expected {what} such as {example}, got '{spec}'"))
    path = folder / place
    _stays_inside(spec, path, folder, what)
    if not path.is_file():
        raise InputError(f"there is no file {place} in the folder {folder}")


def _stays_inside(spec: str, path: Path, folder: Path, what: str) -> None:
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
        path.exists()
    except (OSError, ValueError, RuntimeError):  # too long, a zero byte, links in a circle
        inside = False
    if not inside:
        raise InputError(one_line(f"{what} must be inside the folder {folder}, got '{spec}'"))
