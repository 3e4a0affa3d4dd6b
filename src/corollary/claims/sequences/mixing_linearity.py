r"""Convolutions mix linearly, attention does not.

A layer that mixes positions with weights which do not depend on its input is linear:

.. math:: f(aX+bY)=a\,f(X)+b\,f(Y).

A convolution is one, with the same Toeplitz matrix for all X; so is attention whose weights are
frozen, linear in its values. Attention proper mixes with
:math:`A(X)=\operatorname{softmax}(XW_Q(XW_K)^\top/\sqrt{d_k})`, and is not.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.1, Attention vs. CNN.
:kind: identity
:cost: instant
:covers: attention-data-dependent-weights
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.attention.mixing import mixing_matrix
from corollary.models.attention.single_head import SingleHeadSelfAttention


class Given(NamedTuple):
    """Two sequences, two numbers and a layer."""

    X: Float[Tensor, "T d"]
    Y: Float[Tensor, "T d"]
    a: float
    b: float
    layer: nn.Module


@dataclass(frozen=True)
class MixingLinearity(Claim[Given]):
    """The layer at a combination against the combination of its values."""

    T: int = option(10, low=3, high=100)  # length of the sequences
    d: int = option(4, high=32)  # numbers a position
    layer: Literal["convolution", "frozen"] = "convolution"  # or attention with frozen weights
    relation = equals(ulps=256, scale=1.0)  # sums of T d products

    def given(self, rng: Generator) -> Given:
        """Gaussian sequences, a random layer without biases."""
        X, Y, X0 = torch.randn(3, self.T, self.d, generator=rng, dtype=torch.float64)
        live = SingleHeadSelfAttention(self.d, bias=False, rng=rng).requires_grad_(False)
        if self.layer == "frozen":
            return Given(X, Y, 2.0, -0.5, Frozen(live, live.weights(X0)))
        # skip_init: the weights come from rng, and torch's own generator is not touched
        conv = skip_init(nn.Conv1d, self.d, self.d, 3, padding=1, bias=False, dtype=torch.float64)
        conv.weight.data.normal_(0, (3 * self.d) ** -0.5, generator=rng)
        return Given(X, Y, 2.0, -0.5, conv.requires_grad_(False))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The same matrix at every input."""
        A, B = (mixing_matrix(given.layer, Z) for Z in (given.X, given.Y))
        off = float((A - B).abs().max())
        yield Hypothesis(
            "mixing weights do not depend on the input", off == 0, f"differ by {off:g}"
        )

    def predict(self, given: Given) -> list[float]:
        """The combination of the values."""
        fX, fY = (_run(given.layer, Z) for Z in (given.X, given.Y))
        return (given.a * fX + given.b * fY).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """The value at the combination."""
        return _run(given.layer, given.a * given.X + given.b * given.Y).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Attention, with weights that follow the input."""
        live = SingleHeadSelfAttention(self.d, bias=False, rng=rng).requires_grad_(False)
        return self.given(rng)._replace(layer=live)

    def figure(self, given: Given) -> Figure:
        """How far f(aX) is from a f(X), for the layer and for attention."""
        rng = torch.Generator().manual_seed(0)
        live = SingleHeadSelfAttention(given.X.shape[1], bias=False, rng=rng).requires_grad_(False)
        scales = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
        marks = (
            Curve([0.0] * len(scales), scales, label="linear", role="predicted"),
            Points(scales, _defects(given.layer, given.X, scales), label="fixed weights"),
            Points(scales, _defects(live, given.X, scales), label="attention", role="other"),
        )
        return Figure(
            "Attention is not homogeneous", x="a", y="‖f(aX) − a f(X)‖ / ‖f(X)‖", marks=marks
        )


class Frozen(nn.Module):
    """Attention with weights that stay what they were at one input."""

    def __init__(self, live: SingleHeadSelfAttention, A: Float[Tensor, "T T"]) -> None:
        super().__init__()
        self.live, self.A = live, A

    def weights(self, X: Float[Tensor, "T d"]) -> Float[Tensor, "T T"]:
        """The frozen ones, whatever X is."""
        return self.A

    def forward(self, X: Float[Tensor, "T d"]) -> Float[Tensor, "T d"]:
        """Values of X, mixed with the frozen weights."""
        return self.live.W_o(self.A @ self.live.W_v(X))


def _run(layer: nn.Module, X: Tensor) -> Tensor:
    return layer(X.T[None])[0].T if isinstance(layer, nn.Conv1d) else layer(X)


def _defects(layer: nn.Module, X: Tensor, scales: list[float]) -> list[float]:
    fX = _run(layer, X)
    return [float((_run(layer, a * X) - a * fX).norm() / fX.norm()) for a in scales]
