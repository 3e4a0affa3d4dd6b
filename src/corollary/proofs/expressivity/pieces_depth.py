r"""A layer adds the pieces of its inputs, and then at most doubles them.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 32; Telgarsky (2016), "Benefits of depth
    in neural networks".
:supplied: The notes leave the proof of Lemma 32 to the exercises.
"""

from math import prod

import torch
from torch import Tensor, nn

from corollary.claims.expressivity.pieces_depth import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.expressivity.regions.line import affine_pieces


def counts(layers: nn.Module) -> Tensor:
    """Affine pieces of each output."""
    slopes = affine_pieces(layers, -2.0, 3.0).slopes
    size = slopes.abs().amax(0).clamp(min=1e-300)
    return 1 + (slopes.diff(dim=0).abs() > 1e-9 * size).sum(0)


def proof(given: Given) -> Proof:
    model, widths = given
    depth = len(widths)
    before = [counts(model[: 2 * i + 1]).max() for i in range(depth + 1)]
    after = [counts(model[: 2 * i]) for i in range(1, depth + 1)]
    top = torch.stack([c.max() for c in after])
    summed = torch.stack([c.sum() for c in after])
    yield "In layer i, for the unit with most pieces, before and after its rectifier:"
    yield let(r"\delta_A(\sigma(z_i))", top)
    yield le(r"2\,\delta_A(z_i)", 2 * torch.stack(before[:-1]), "a rectifier doubles at most")
    yield "And what the next layer reads is a sum of the units of this one:"
    yield let(r"\delta_A(z_{i+1})", torch.stack(before[1:]))
    yield le(r"\sum_j\delta_A(u_{ij})", summed, "bends of a sum are bends of its terms")
    most = top * torch.tensor(widths)
    yield le(r"m_i\max_j\delta_A(u_{ij})", most, "m_i units", loose=1.5)
    bound = torch.tensor([2.0**i * prod(widths[:i]) for i in range(1, depth + 1)]).double()
    yield le(r"2^i\prod_{j\le i}m_j", bound, "induction, from one piece", loose=1.5)
    m = sum(widths)
    yield "For the whole network, m units in L layers:"
    yield let(r"2^L\prod_jm_j", 2**depth * prod(widths))
    mean = (2 * m / depth) ** depth
    yield le(r"(2m/L)^L", mean, "the geometric mean is below the arithmetic mean")
    yield eq(r"2^L(m/L)^L", 2**depth * (m / depth) ** depth, "powers taken apart")
