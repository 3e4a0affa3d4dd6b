"""Sharded tensors of a checkpoint: each process writes its own, any number of them reads all.

The checkpoint's file holds a reference where a tensor is sharded, and names the folder beside it in
which ``torch.distributed.checkpoint`` has put the shards, as safetensors files (so nothing is
pickled). The file is written last and in one move, so it always names a folder that is complete.
"""

import secrets
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from corollary.errors import InputError, MissingExtraError
from corollary.train.parallel import is_sharded

Where = tuple[Any, ...]  # keys and positions that lead to a value in a nested state
_REFERENCE = {"sharded", "shape", "dtype"}


def taken_apart(state: Any) -> tuple[Any, dict[str, Tensor]]:
    """The state with references in place of its sharded tensors, and those by name.

    Example:
        >>> taken_apart({"a": [1, {"b": None}]})
        ({'a': [1, {'b': None}]}, {})
    """
    found: dict[str, Tensor] = {}
    memory: set[int] = set()

    def change(where: Where, value: Any) -> Any:
        if not (isinstance(value, Tensor) and is_sharded(value)):
            return value
        name = ".".join(str(key) for key in where)
        shard: Any = value  # a DTensor
        start = shard.to_local().data_ptr()
        # A copy of what has been seen: weights may be tied, and the files cannot share memory.
        found[name] = value.detach().clone() if start in memory else value.detach()
        memory.add(start)
        kind = str(value.dtype).removeprefix("torch.")
        return {"sharded": name, "shape": list(value.shape), "dtype": kind}

    return _changed(state, (), change), found


def put_together(state: Any, folder: Path | None, like: Callable[[Where], Tensor | None]) -> Any:
    """The state with tensors in place of its references, laid out as those of ``like``.

    Where ``like`` gives a sharded tensor of the same shape, this process gets its shard, whether
    the checkpoint has shards or the whole; all processes must call this.
    """
    missing: dict[str, Tensor] = {}

    def change(where: Where, value: Any) -> Any:
        model = like(where)
        if isinstance(value, Tensor):
            return _laid_out(value, model)
        shape, dtype = torch.Size(value["shape"]), getattr(torch, value["dtype"])
        if model is not None and is_sharded(model) and model.shape == shape:
            missing[value["sharded"]] = torch.empty_like(model, dtype=dtype)
        else:
            missing[value["sharded"]] = torch.empty(shape, dtype=dtype)
        return missing[value["sharded"]]

    state = _changed(state, (), change)
    if missing:
        _read(folder, missing)
    return state


def write_shards(folder: Path, tensors: dict[str, Tensor]) -> None:
    """Write each process's shards; waits for the others."""
    from torch.distributed.checkpoint.api import CheckpointException
    from torch.distributed.checkpoint.state_dict_saver import save

    writer, _ = _storage()
    try:
        save(dict(tensors), storage_writer=writer(str(folder), save_distributed=True))
    except (CheckpointException, OSError) as error:
        raise InputError(f"the shards in {folder} cannot be written ({_why(error)})") from None


def new_folder(path: Path, step: int) -> str:
    """A name for the shards of this step, beside the checkpoint."""
    return f"{path.name}.shards/{step}-{secrets.token_hex(4)}"


def remove_other_folders(path: Path, kept: str | None) -> None:
    """Remove shards that the checkpoint no longer names."""
    home = path.with_name(f"{path.name}.shards")
    for folder in home.iterdir() if home.is_dir() else ():
        if kept is None or folder != path.parent / kept:
            shutil.rmtree(folder, ignore_errors=True)
    if kept is None and home.is_dir():
        shutil.rmtree(home, ignore_errors=True)


def _read(folder: Path | None, tensors: dict[str, Tensor]) -> None:
    import torch.distributed as dist
    from torch.distributed.checkpoint.api import CheckpointException
    from torch.distributed.checkpoint.state_dict_loader import load

    _, reader = _storage()
    alone = not (dist.is_available() and dist.is_initialized())
    try:
        if folder is None or not folder.is_dir():
            raise FileNotFoundError("there is no such folder")
        with warnings.catch_warnings():  # that one process alone reads is meant
            warnings.simplefilter("ignore")
            load(tensors, storage_reader=reader(str(folder)), no_dist=alone)
    except (CheckpointException, OSError) as error:
        raise InputError(f"the shards in {folder} cannot be read ({_why(error)})") from None


def _storage() -> tuple[Any, Any]:
    try:
        from torch.distributed.checkpoint import hf_storage
    except ImportError:
        raise MissingExtraError(
            f"checkpoints of sharded models need a newer torch than {torch.__version__}; "
            "train with sharding='ddp'"
        ) from None
    return hf_storage.HuggingFaceStorageWriter, hf_storage.HuggingFaceStorageReader


def _laid_out(whole: Tensor, model: Tensor | None) -> Tensor:
    if model is None or not is_sharded(model) or model.shape != whole.shape:
        return whole
    from torch.distributed.tensor import distribute_tensor

    # Each process has read the whole tensor, so there is nobody to send it.
    like: Any = model  # a DTensor
    return distribute_tensor(whole, like.device_mesh, like.placements, src_data_rank=None)


def _changed(value: Any, where: Where, change: Callable[[Where, Any], Any]) -> Any:
    if isinstance(value, Tensor) or (isinstance(value, dict) and set(value) == _REFERENCE):
        return change(where, value)
    if isinstance(value, dict):
        return {k: _changed(v, (*where, k), change) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return type(value)([_changed(v, (*where, i), change) for i, v in enumerate(value)])
    return value


def _why(error: BaseException) -> str:
    failures = getattr(error, "failures", None)  # of each process, with where it was raised
    if failures:
        error = next(iter(failures.values()))[0]
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
