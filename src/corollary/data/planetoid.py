r"""Citation graphs with the public split: Cora and Citeseer.

A node is a paper, an edge a citation, a feature a word that occurs; 20 papers per class have a
label, 500 are for validation and 1,000 for testing. The graphs are read from
``planetoid/<name>.npz`` in the data folder, or fetched once from the repository of the split's
authors. Those files are pickles: each is verified by its sha256 first, and only arrays, sparse
matrices and lists are unpickled.

:source: Yang, Cohen and Salakhutdinov (2016), "Revisiting semi-supervised learning with graph
    embeddings", for the split; Sen et al. (2008), "Collective classification in network data", for
    the graphs.
"""

import io
import pickle
from collections import defaultdict
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_matrix, vstack
from torch import Tensor

from corollary.data.files import DataFile, data_folders
from corollary.errors import InputError
from corollary.theory.geometry.graph import Graph

Arrays = dict[str, np.ndarray]
HOME = ("https://raw.githubusercontent.com/kimiyoung/planetoid/master/data/",)
PARTS = ("allx", "ally", "graph", "test.index", "tx", "ty", "y")
SHA256 = {
    "citeseer": """
        2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668
        f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95
        d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7
        2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4
        539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21
        55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce
        8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924""",
    "cora": """
        9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543
        2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71
        58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d
        297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875
        b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a
        41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad
        94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1""",
}
NPZ_SHA256 = {
    "citeseer": "a84b1f61aea42109f7b01685ee78951885944c6a78f9635f2b2aed9e5eb9c293",
    "cora": "60af804e46976d8b6291c403b621bc21f006c5825e92078b38bcb10a98da7627",
}


class Citations(NamedTuple):
    """A graph of papers; the masks say which labels train, validate and test."""

    graph: Graph
    x: Float[Tensor, "M d"]  # words of a paper, each row divided by its sum
    y: Int[Tensor, " M"]  # class, -1 where there is none
    train: Bool[Tensor, " M"]
    val: Bool[Tensor, " M"]
    test: Bool[Tensor, " M"]


def planetoid(name: str) -> Citations:
    """``"cora"`` (2,708 papers, 7 classes) or ``"citeseer"`` (3,327 papers, 6 classes).

    15 papers of Citeseer stand alone without words or class; no mask has them.
    """
    if name not in SHA256:
        raise InputError(f"expected 'cora' or 'citeseer', got {name!r}")
    has_npz = any((folder / f"planetoid/{name}.npz").is_file() for folder in data_folders())
    arrays = _from_npz(name) if has_npz else _from_pickles(name)
    M, d = len(arrays["labels"]), int(arrays["num_features"])
    x = torch.zeros(M, d)
    x[torch.as_tensor(arrays["feature_row"]).long(), torch.as_tensor(arrays["feature_col"])] = 1
    y = torch.as_tensor(arrays["labels"])
    masks = (_mask(arrays[f"{part}_index"], y) for part in ("train", "val", "test"))
    graph = Graph.of_edges(M, torch.as_tensor(arrays["edges"].T.astype(np.int64)))
    return Citations(graph, x / x.sum(1, keepdim=True).clamp(min=1), y, *masks)


def _mask(index: np.ndarray, y: Tensor) -> Tensor:
    mask = torch.zeros(len(y), dtype=torch.bool)
    mask[torch.as_tensor(index)] = True
    return mask & (y >= 0)


def _from_npz(name: str) -> Arrays:
    content = DataFile(f"planetoid/{name}.npz", NPZ_SHA256[name], HOME).content()
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        return dict(file)


def _from_pickles(name: str) -> Arrays:
    """Join the parts: test papers stand last, in the order that ``test.index`` gives."""
    files = {
        part: DataFile(f"planetoid/ind.{name}.{part}", sha, HOME).content()
        for part, sha in zip(PARTS, SHA256[name].split(), strict=True)
    }
    test = np.array(files.pop("test.index").split(), dtype=np.int64)
    of = {
        part: _Arrays(io.BytesIO(content), encoding="latin1").load()
        for part, content in files.items()
    }
    known = len(of["ally"])
    M = int(test.max()) + 1
    tx = csr_matrix((M - known, of["tx"].shape[1])).tolil()
    ty = np.zeros((M - known, of["ty"].shape[1]))
    tx[test - known], ty[test - known] = of["tx"], of["ty"]
    x = vstack([of["allx"], tx]).tocoo()
    labels = np.concatenate([of["ally"], ty])
    pairs = {(min(i, j), max(i, j)) for i, near in of["graph"].items() for j in near if i != j}
    order = np.lexsort((x.col, x.row))
    return {
        "edges": np.array(sorted(pairs), dtype=np.int64).T,
        "feature_row": x.row[order],
        "feature_col": x.col[order],
        "num_features": np.array(x.shape[1]),
        "labels": np.where(labels.any(1), labels.argmax(1), -1),
        "train_index": np.arange(len(of["y"])),
        "val_index": np.arange(len(of["y"]), len(of["y"]) + 500),
        "test_index": np.sort(test),
    }


@cache
def _allowed() -> dict[tuple[str, str], Any]:
    """What the pickles name, under the names that old versions of Python and NumPy gave it."""
    core = "numpy._core.multiarray" if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else ""
    array = import_module(core or "numpy.core.multiarray")
    return {
        ("numpy.core.multiarray", "_reconstruct"): array._reconstruct,
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
        ("scipy.sparse.csr", "csr_matrix"): csr_matrix,
        ("collections", "defaultdict"): defaultdict,
        ("__builtin__", "list"): list,
    }


class _Arrays(pickle.Unpickler):
    """Reads arrays, sparse matrices and lists, and refuses anything else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _allowed():
            raise pickle.UnpicklingError(f"{module}.{name} is not an array")
        return _allowed()[module, name]
