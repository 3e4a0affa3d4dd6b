r"""The gradient is a difference of two terms, and each is a product of independent layers.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Lemma 51.
"""

import torch
from torch import Tensor

from corollary.claims.landscape.layer_gradient_moment import LayerGradientMoment
from corollary.core import Proof, eq, le, let
from corollary.theory.landscape.random_products import gram_fourth_moment

NEAR = 0.08  # four deviations of a mean over 20,000 networks


def proof(claim: LayerGradientMoment, given: Tensor) -> Proof:
    d, s2, L = claim.d, claim.gain / claim.d, len(given)
    k = L - 1  # the layer that is looked at: one above it
    x = torch.full((d, 1), d**-0.5, dtype=given.dtype)
    y = x * (-1.0) ** torch.arange(d)[:, None]
    below = x.expand(given.shape[1], d, 1)
    for W in given[: k - 1]:
        below = W @ below
    above = given[k]
    own = above.mT @ above @ given[k - 1] @ below @ below.mT
    target = above.mT @ y @ below.mT

    def mean(M: Tensor) -> Tensor:
        return M.square().sum((1, 2)).mean()

    yield let(r"\mathbb E\|\partial\ell/\partial W^k\|_F^2", mean(own - target))
    parts = 2 * mean(own) + 2 * mean(target)
    by = "‖A + B‖² ≤ 2‖A‖² + 2‖B‖²"
    first = r"2\,\mathbb E\|W^{k+1:L}W^{L:1}xx^\top W^{1:k-1}\|^2"
    tex = first + r" + 2\,\mathbb E\|W^{k+1:L}yx^\top W^{1:k-1}\|^2"
    yield le(tex, parts, by, loose=2.0)
    second = 2 * (d * s2) ** (L - 1) * x.square().sum() * y.square().sum()
    rest = r" + 2(d\sigma^2)^{L-1}\|x\|^2\|y\|^2"
    by = "‖uvᵀ‖ = ‖u‖‖v‖, independence, and the forward signal twice"
    yield eq(first + rest, 2 * mean(own) + second, by, within=NEAR)
    gram, fourth = mean(above.mT @ above), below.square().sum((1, 2)).square().mean()
    split = 2 * s2 * fourth * gram + second
    by = "Wᵏ is independent of both sides"
    tex = r"2\sigma^2\,\mathbb E\|W^{k-1:1}x\|^4\,\mathbb E\|W^{k+1:L}W^{L:k+1}\|^2"
    yield eq(tex + rest, split, by, within=NEAR)
    known = 2 * s2 * (s2**2 * d * (d + 2)) ** (k - 1) * gram_fourth_moment(d, s2, L - k) + second
    by = "Gaussian entries: fourth moments with kurtosis 3"
    tex = r"2\sigma^2[\sigma^4d(d+2)]^{k-1}\,\mathbb E\|W^\top W\|^2"
    yield eq(tex + rest, known, by, within=NEAR)
