r"""Label propagation on citation graphs.

There are no features and no training. Labelled papers keep their class, and every other paper takes
the mean of its neighbours. These means are the solution of a linear system (the harmonic function).
Papers without a path to a labelled paper get no class and count as wrong.

:source: Zhu, Ghahramani and Lafferty (2003), "Semi-supervised learning using Gaussian fields and
    harmonic functions"; measured on these graphs by Kipf and Welling (2017), Table 2 (row LP).
:cost: seconds
"""

from typing import Literal

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components, laplacian
from scipy.sparse.linalg import spsolve

from corollary.core import Experiment, Outcome, Published, Row
from corollary.data.planetoid import planetoid

TABLE_2 = "Kipf and Welling (2017), Table 2"


class LabelPropagation(Experiment):
    data: Literal["cora", "citeseer"] = "cora"  # which graph

    metric = "test accuracy in %"
    rows = (
        Row("Label propagation, Cora", Published(68.0, TABLE_2), data="cora"),
        Row("Label propagation, Citeseer", Published(45.3, TABLE_2), data="citeseer"),
    )
    seeds = 1  # nothing is drawn

    def run(self, seed: int) -> Outcome:
        graph, _, y, train, _, test = planetoid(self.data)
        i, j = graph.edges.T.numpy()
        A = coo_matrix((np.ones(len(i)), (i, j)), shape=(graph.M, graph.M))
        _, part = connected_components(A, directed=False)
        known = train.numpy()
        rest = np.isin(part, part[known]) & ~known  # the others see no label
        L = laplacian(A + A.T).tocsc()
        classes = np.eye(int(y.max()) + 1)[y[train]]
        scores = np.full((graph.M, classes.shape[1]), -1.0)
        scores[rest] = spsolve(L[rest][:, rest], -L[rest][:, known] @ classes)
        right = (scores.argmax(1) == y.numpy()) & (scores.max(1) >= 0)
        return Outcome(100 * float(right[test.numpy()].mean()))
