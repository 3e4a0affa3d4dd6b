r"""Shortcuts keep the Jacobian of a deep stack near the identity.

Each residual layer :math:`g_l(x)=x+f_l(x)` has the Jacobian :math:`I+J_l`. If
:math:`\|J_l\|_2<1` for all :math:`l`, the Jacobian :math:`J` of the stack of :math:`L` layers obeys

.. math:: \sigma_{\max}(J)\le\prod_l(1+\|J_l\|_2),\qquad
   \sigma_{\min}(J)\ge\prod_l(1-\|J_l\|_2),

so with :math:`\|J_l\|_2` of order :math:`1/L` neither signals nor gradients vanish or explode. The
same layers without shortcuts have :math:`\sigma_{\max}(J)\le\prod_l\|J_l\|_2`, which vanishes.
Measured are :math:`\sigma_{\max}` and :math:`1/\sigma_{\min}` along the depth.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.2; Perez Jensen (2025), Deep
    Learning, Section 2.3; He, Zhang, Ren and Sun (2016), "Identity mappings in deep residual
    networks".
:kind: bound
:cost: instant
:covers: residual-layer
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, at_most, option


class Given(NamedTuple):
    """Weights of tanh layers, an input, and whether there are shortcuts."""

    W: Float[Tensor, "L n n"]
    x: Float[Tensor, " n"]
    shortcut: bool


class ResidualJacobian(Claim[Given]):
    L: int = option(40, low=2, high=400)  # layers
    n: int = option(12, low=1, high=100)  # width
    c: float = option(2.0, low=0.1, high=5.0)  # spectral norm of every weight matrix, times L
    relation = at_most(ulps=4096)  # products of L matrices of width n, and an SVD

    def given(self, rng: Generator) -> Given:
        """Gaussian matrices scaled to norm c/L, a Gaussian input."""
        f64 = {"generator": rng, "device": rng.device, "dtype": torch.float64}
        W = torch.randn(self.L, self.n, self.n, **f64)
        W = W * (self.c / self.L / torch.linalg.matrix_norm(W, ord=2))[:, None, None]
        return Given(W, torch.randn(self.n, **f64), True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Shortcuts, and small layers."""
        yield Hypothesis("every layer has a shortcut with the identity", given.shortcut)
        largest = float(_norms(given).max())
        yield Hypothesis("every ‖J_l‖ is below 1", largest < 1, f"largest {largest:.3g}")

    def predict(self, given: Given) -> list[float]:
        """Bounds of both extremes at every depth."""
        norms = _norms(given)
        return [*(1 + norms).cumprod(0).tolist(), *(1 / (1 - norms)).cumprod(0).tolist()]

    def measure(self, given: Given) -> list[float]:
        """The largest singular value, and one over the smallest, at every depth."""
        largest, smallest = extremes(given)
        return [*largest.tolist(), *(1 / smallest).tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """The same layers without shortcuts: the smallest singular value vanishes."""
        return self.given(rng)._replace(shortcut=False)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Both extremes along the depth with shortcuts; and the largest one without."""
        depth = list(range(1, 1 + len(given.W)))
        high, low = extremes(given)
        norms = _norms(given)
        plain = extremes(given._replace(shortcut=False))[0]
        shown = int((plain > 1e-30).sum())
        y = "singular values of the Jacobian"
        near = Figure(
            "Shortcuts keep singular values near 1",
            x="layers L",
            y=y,
            log_y=True,
            marks=(
                Curve((1 + norms).cumprod(0), x=depth, label="Π(1 + ‖J_l‖)", role="predicted"),
                Curve(high, x=depth, label="σ_max"),
                Curve(low, x=depth, label="σ_min"),
                Curve((1 - norms).cumprod(0), x=depth, label="Π(1 − ‖J_l‖)", role="predicted"),
            ),
        )
        gone = Figure(
            "Without shortcuts even the largest one vanishes",
            x="layers L",
            y=y,
            log_y=True,
            marks=(
                Curve(low[:shown], x=depth[:shown], label="σ_min with shortcuts"),
                Curve(plain[:shown], x=depth[:shown], label="σ_max without", role="other"),
            ),
        )
        return near, gone


def layer_jacobians(given: Given) -> Float[Tensor, "L n n"]:
    """Jacobians of the layers' functions at the inputs they see, shortcuts left out."""
    x, out = given.x, []
    for W in given.W:
        h = torch.tanh(W @ x)
        out.append((1 - h**2)[:, None] * W)
        x = x + h if given.shortcut else h
    return torch.stack(out)


def extremes(given: Given) -> tuple[Float[Tensor, " L"], Float[Tensor, " L"]]:
    """Largest and smallest singular value of the Jacobian of the first 1, ..., L layers."""
    J = torch.eye(len(given.x)).to(given.x)
    products = []
    for factor in layer_jacobians(given) + given.shortcut * J:
        J = factor @ J
        products.append(J)
    s = torch.linalg.svdvals(torch.stack(products))
    return s[:, 0], s[:, -1]


def _norms(given: Given) -> Float[Tensor, " L"]:
    return torch.linalg.matrix_norm(layer_jacobians(given), ord=2)
