import pickle
from collections import defaultdict
from importlib import import_module

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from corollary.data.planetoid import planetoid
from corollary.errors import DataUnavailableError, InputError

module = import_module("corollary.data.planetoid")  # the door has the function under this name


def loaded(name):
    try:
        return planetoid(name)
    except DataUnavailableError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("name", "M", "edges", "d", "k", "train"),
    [("cora", 2708, 5278, 1433, 7, 140), ("citeseer", 3327, 4552, 3703, 6, 120)],
)
def test_the_graphs_have_their_published_sizes(name, M, edges, d, k, train):
    graph, x, y, *masks = loaded(name)
    assert (graph.M, len(graph.edges), x.shape[1], int(y.max()) + 1) == (M, edges, d, k)
    assert [int(mask.sum()) for mask in masks] == [train, 500, 1000]
    assert x.sum(1).max() == pytest.approx(1, abs=1e-6)  # float32 sums of up to 54 words


def test_no_paper_without_a_class_is_in_a_mask():
    _, x, y, *masks = loaded("citeseer")
    assert int((y < 0).sum()) == 15
    assert not any(bool(mask[y < 0].any()) for mask in masks)


def test_the_pickles_of_the_authors_become_the_same_arrays(monkeypatch, tmp_path):
    """Five papers, the last two for testing in swapped order, and one that stands alone."""
    one = np.eye(2)
    graph = defaultdict(list, {0: [1, 1], 1: [0], 2: [2, 3], 3: [2], 4: [], 5: []})
    parts = {
        "allx": csr_matrix(np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])),
        "ally": one[[0, 1, 1]],
        "graph": graph,
        "tx": csr_matrix(np.array([[1.0, 1, 0], [0, 1, 1]])),
        "ty": one[[0, 1]],
        "y": one[[0]],
    }
    contents = {name: pickle.dumps(part, protocol=2) for name, part in parts.items()}
    contents["test.index"] = b"5\n3\n"
    monkeypatch.setattr(
        module, "DataFile", lambda path, *_: FakeFile(contents[path.split("toy.")[1]])
    )
    monkeypatch.setitem(module.SHA256, "toy", " ".join("0" * 7))
    allowed = {(m, n): value for (m, n), value in module._allowed().items()}
    monkeypatch.setattr(module, "_allowed", lambda: allowed | TODAY)
    arrays = module._from_pickles("toy")
    assert arrays["edges"].T.tolist() == [[0, 1], [2, 3]]
    assert arrays["labels"].tolist() == [0, 1, 1, 1, -1, 0]
    rows = list(zip(arrays["feature_row"].tolist(), arrays["feature_col"].tolist(), strict=True))
    assert rows == [(0, 0), (1, 1), (2, 2), (3, 1), (3, 2), (5, 0), (5, 1)]
    assert arrays["test_index"].tolist() == [3, 5]


class FakeFile:
    def __init__(self, content):
        self._content = content

    def content(self):
        return self._content


TODAY = {
    ("scipy.sparse._csr", "csr_matrix"): csr_matrix,
    ("numpy._core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
    ("_codecs", "encode"): __import__("_codecs").encode,
}


def test_a_pickle_that_names_anything_else_is_refused():
    import io

    with pytest.raises(pickle.UnpicklingError, match="is not an array"):
        module._Arrays(io.BytesIO(pickle.dumps(print))).load()


def test_an_unknown_graph_is_refused():
    with pytest.raises(InputError, match="expected 'cora' or 'citeseer', got 'pubmed'"):
        planetoid("pubmed")
