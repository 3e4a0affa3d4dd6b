"""Targets that are names in a library: ``hf:NAME``, ``timm:NAME``, ``torchvision:NAME``.

``hf:`` takes a folder, a ``config.json`` or a name of the hub: weights are loaded where there are
any, and drawn from seed 0 where there is only a config. Networks of timm and torchvision are built
with fresh weights, from seed 0; ``--weights`` loads others. The cache is used first; then there is
one attempt to connect.
"""

import os
import socket
from collections.abc import Callable
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from corollary.errors import CorollaryError, InputError, MissingExtraError, one_line

PACKAGES = {"hf": "transformers", "timm": "timm", "torchvision": "torchvision"}
EXTRAS = {"hf": "hf", "timm": "timm", "torchvision": "vision"}
PATIENCE = 3.0  # seconds for one connection


def hub_of(target: str) -> str:
    """The library that a target names, or nothing.

    Example:
        >>> hub_of("timm:resnet18"), hub_of("net.py:build")
        ('timm', '')
    """
    hub, _, name = target.partition(":")
    return hub if hub in PACKAGES and name else ""


def must_have_package(target: str) -> None:
    """Raise if the library of a target is not installed."""
    hub = hub_of(target)
    if find_spec(PACKAGES[hub]) is None:
        raise MissingExtraError(
            f"{target} needs {PACKAGES[hub]}, which is not installed; run pip install "
            f"'corollary[{EXTRAS[hub]}]'"
        )


def load_from_hub(target: str) -> Any:
    """The module that a target names.

    Raises:
        InputError: if there is no such module, or it cannot be loaded; the message says why.
    """
    must_have_package(target)
    hub, _, name = target.partition(":")
    build = {"hf": _of_transformers, "timm": _of_timm, "torchvision": _of_torchvision}[hub]
    import torch

    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return build(name)
    except (CorollaryError, MemoryError):
        raise
    except Exception as error:
        raise InputError(
            one_line(f"{target} cannot be loaded ({type(error).__name__}: {error})")
        ) from None


def pretrained(name: str, *, local: bool, fresh: bool = False) -> Any:
    """A model of transformers, built with the class that its config names; remote code is not run.

    Args:
        name: A folder, a file ``config.json``, or a name of the hub.
        local: Look on disk only.
        fresh: Do not look for weights: draw them.
    """
    import transformers

    config = transformers.AutoConfig.from_pretrained(name, local_files_only=local)
    names = getattr(config, "architectures", None) or ["AutoModel"]
    kind = getattr(transformers, names[0], None)
    if kind is None:
        raise InputError(
            f"{name} needs the class {names[0]}, which this version of transformers does not have"
        )
    if fresh:
        return kind(config) if names[0] != "AutoModel" else kind.from_config(config)
    return kind.from_pretrained(name, local_files_only=local)


def _of_transformers(name: str) -> Any:
    place = Path(name)
    if place.is_file():
        return pretrained(name, local=True, fresh=True)
    if place.is_dir():
        weights = any(place.glob("*.safetensors")) or any(place.glob("pytorch_model*.bin"))
        return pretrained(name, local=True, fresh=not weights)
    try:
        return pretrained(name, local=True)
    except (OSError, ValueError):  # it is not in the cache
        _must_be_reachable(name)
    return pretrained(name, local=False)


def _must_be_reachable(name: str) -> None:
    """Raise at once if the hub cannot be reached: its client would try again for half a minute."""
    address = urlsplit(os.environ.get("HF_ENDPOINT") or "https://huggingface.co")
    host = address.hostname or ""
    try:
        for switch in ("COROLLARY_OFFLINE", "HF_HUB_OFFLINE"):
            if os.environ.get(switch, "").lower() not in ("", "0", "false", "no", "off"):
                raise OSError(f"{switch} is set")
        if not any(os.environ.get(proxy) for proxy in ("HTTPS_PROXY", "https_proxy")):
            socket.create_connection((host, address.port or 443), timeout=PATIENCE).close()
    except OSError as error:
        raise InputError(
            f"hf:{name} is not a folder, not a config.json and not in the cache, and {host} "
            f"cannot be reached ({error.strerror or error})"
        ) from None


def _of_timm(name: str) -> Any:
    import timm

    _must_be_listed("timm", name, timm.list_models)
    return timm.create_model(name, pretrained=False)


def _of_torchvision(name: str) -> Any:
    from torchvision import models

    _must_be_listed("torchvision", name, models.list_models)
    return models.get_model(name, weights=None)


def _must_be_listed(hub: str, name: str, names: Callable[[], list[str]]) -> None:
    known = names()
    if name.partition(".")[0] not in known:  # timm's tags of weights come after a dot
        near = get_close_matches(name, known, n=2)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise InputError(f"{hub} has no network '{name}'{hint}")
