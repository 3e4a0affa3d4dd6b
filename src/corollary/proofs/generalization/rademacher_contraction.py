r"""Take φ away from one point after the other; a pair of functions pays for each.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 64; Ledoux and Talagrand (1991),
    Probability in Banach Spaces, Theorem 4.12; the proof here is that of Mohri, Rostamizadeh and
    Talwalkar (2018), Foundations of Machine Learning, Lemma 5.7.
:supplied: The notes leave the proof of Lemma 64 as an exercise.
"""

import torch
from torch import Tensor

from corollary.claims.generalization.rademacher_contraction import Given
from corollary.core import Proof, eq, le, let
from corollary.theory.generalization.rademacher import rademacher_complexity, sign_vectors


def mixed(values: Tensor, changed: Tensor, j: int, L: float) -> Tensor:
    """𝔼 sup of Σσ_i h_i, with h = L f on the first j points and φ(f) on the rest."""
    h = torch.cat([L * values[:, :j], changed[:, j:]], 1)
    return (sign_vectors(h.shape[1]) @ h.T).amax(1).mean()


def proof(given: Given) -> Proof:
    F, L = given.values, given.L
    m = F.shape[1]
    rest = sign_vectors(m - 1)
    yield "Fix all signs but the first; h(f) is the sum over the other points. For each φ"
    parts: list[list[Tensor]] = [[], [], [], []]
    for phi in given.phi:
        h = rest @ phi(F)[:, 1:].T  # signs, functions
        pairs = h[:, :, None] + h[:, None, :]
        now, first = phi(F)[:, 0], F[:, 0]
        apart = now[:, None] - now
        parts[0].append(((h + now).amax(1) / 2 + (h - now).amax(1) / 2).mean())
        parts[1].append((pairs + apart).amax((1, 2)).mean() / 2)
        parts[2].append((pairs + L * (first[:, None] - first).abs()).amax((1, 2)).mean() / 2)
        parts[3].append(((h + L * first).amax(1) / 2 + (h - L * first).amax(1) / 2).mean())
    one, two, three, four = (torch.stack(p) for p in parts)
    yield let(r"\mathbb E_{\sigma_1}\sup_f(h(f)+\sigma_1\varphi(f_1))", one)
    tex = r"\tfrac12\sup_{f,g}(h(f)+h(g)+\varphi(f_1)-\varphi(g_1))"
    yield eq(tex, two, "one supremum for each sign")
    tex = r"\tfrac12\sup_{f,g}(h(f)+h(g)+L|f_1-g_1|)"
    yield le(tex, three, "φ is L-Lipschitz")
    by = "f and g may change places: the absolute value is not needed"
    yield eq(r"\mathbb E_{\sigma_1}\sup_f(h(f)+\sigma_1Lf_1)", four, by)
    yield "So point by point:"
    chain = torch.stack(
        [torch.stack([mixed(F, phi(F), j, L) for j in range(m + 1)]) for phi in given.phi]
    )
    tex = r"\mathbb E\sup(\sum_{i\le j}\sigma_iLf_i + \sum_{i>j}\sigma_i\varphi(f_i))"
    yield let(tex, chain[:, :-1])
    yield le("\\text{the same with } j+1", chain[:, 1:], "the step above")
    yield let(r"\hat{\mathcal R}_S(\varphi\circ\mathcal F)", chain[:, 0] / m)
    yield le(
        r"L\hat{\mathcal R}_S(\mathcal F)", L * rademacher_complexity(F), "from j = 0 to j = m"
    )
