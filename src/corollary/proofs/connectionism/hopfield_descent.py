r"""One neuron moves, and the energy sees it through its field alone.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Hopfield (1982), "Neural networks and
    physical systems with emergent collective computational abilities".
:formal: Lean 4: physlib, pull request 664 (Hopfield networks).
"""

import torch

from corollary.claims.connectionism.hopfield_descent import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.connectionism.hopfield.energy import energy


def proof(given: Given) -> Proof:
    W, b, x, _ = given
    states = torch.stack([x, *(flip.state for flip in given.flips())])
    old, new = states[:-1], states[1:]
    step = new - old  # one entry of each row is not 0
    H = energy(W, b, states)
    yield let("H(X') - H(X)", H[1:] - H[:-1])
    form = -(old @ W * step).sum(1) / 2 - (step @ W * old).sum(1) / 2 + step @ b
    form = form - (step @ W * step).sum(1) / 2
    tex = r"-\tfrac12X^\top W\Delta - \tfrac12\Delta^\top WX"
    tex += r" - \tfrac12\Delta^\top W\Delta + b^\top\Delta"
    yield eq(tex, form, "expanded, with Δ = X' − X")
    linear = -(step @ W * old).sum(1) + step @ b - (step @ W * step).sum(1) / 2
    yield eq(r"-\Delta^\top(WX-b) - \tfrac12\Delta^\top W\Delta", linear, "W is symmetric")
    field = old @ W.T - b
    yield eq(r"-\Delta_ih_i", -(step * field).sum(1), "only Δ_i is not 0, and w_ii is")
    size = (field * (step != 0)).sum(1).abs()
    yield eq(r"-2|h_i|", -2 * size, "X_i takes the sign of its field")
    yield le("0", 0.0, "so the energy never rises")
