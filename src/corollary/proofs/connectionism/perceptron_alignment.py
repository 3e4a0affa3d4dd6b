r"""Each update adds its point, and every point lies at least γ along u.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, proof of Lemma 1.1.
"""

import torch

from corollary.claims.connectionism.perceptron_alignment import MOST_UPDATES, Given
from corollary.core import Proof, eq, ge, let
from corollary.theory.connectionism.perceptron import perceptron_fit, signed_distance


def proof(given: Given) -> Proof:
    x, y, u, gamma = given
    fit = perceptron_fit(x, y, bias=False, max_updates=MOST_UPDATES)
    w, i = fit.trajectory(x, y), fit.mistakes
    x, y, t = x[i], y[i], torch.arange(1.0, len(i) + 1, dtype=x.dtype)
    yield let(r"\langle u, w_{t+1}\rangle", w[1:] @ u)
    yield eq(r"\langle u, w_t + yx\rangle", (w[:-1] + y[:, None] * x) @ u, "the update")
    yield eq(r"\langle u, w_t\rangle + y\langle u, x\rangle", w[:-1] @ u + y * (x @ u), "linearity")
    along = w[:-1] @ u + signed_distance(x, y, u)
    yield eq(r"\langle u, w_t\rangle + \gamma[u](x, y)", along, "u has length 1")
    yield ge(r"\langle u, w_t\rangle + \gamma", w[:-1] @ u + gamma, "γ is the smallest margin")
    yield "Summed from w₀ = 0:"
    yield let(r"\langle u, w_t\rangle", w[1:] @ u)
    yield ge(r"t\gamma", t * gamma, "induction")
