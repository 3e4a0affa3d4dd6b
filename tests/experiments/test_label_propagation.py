import numpy as np
import pytest
from scipy.sparse import csr_matrix

from corollary.data.planetoid import planetoid
from corollary.errors import CorollaryError
from corollary.experiments.graphs.label_propagation import LabelPropagation


@pytest.fixture
def cora():
    try:
        return planetoid("cora")
    except CorollaryError as error:
        pytest.skip(str(error))


def test_it_is_where_averaging_over_neighbours_ends(cora):
    i, j = np.concatenate([cora.graph.edges.numpy(), cora.graph.edges.numpy()[:, ::-1]]).T
    A = csr_matrix((np.ones(len(i)), (i, j)), shape=(cora.graph.M, cora.graph.M))
    mean = csr_matrix(A / A.sum(1))
    y, train = cora.y.numpy(), cora.train.numpy()
    labels = np.eye(y.max() + 1)[y[train]]
    scores = np.zeros((cora.graph.M, y.max() + 1))
    for _ in range(3000):
        scores = mean @ scores
        scores[train] = labels
    right = (scores.argmax(1) == y) & (scores.max(1) > 0)
    share = 100 * right[cora.test.numpy()].mean()
    assert LabelPropagation(data="cora").run(0).value == pytest.approx(share, abs=0.2)
