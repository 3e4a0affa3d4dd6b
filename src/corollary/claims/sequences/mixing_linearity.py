r"""Convolutions mix linearly, attention does not.

A layer that mixes positions with weights which do not depend on its input is linear:

.. math:: f(aX+bY)=a\,f(X)+b\,f(Y).

A convolution is one, with the same Toeplitz matrix for all X; so is attention whose weights are
frozen, linear in its values. Attention proper mixes with
:math:`A(X)=\operatorname{softmax}(XW_Q(XW_K)^\top/\sqrt{d_k})`, and is not.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.1, Attention vs. CNN.
:kind: identity
:covers: attention-data-dependent-weights
"""

from copy import deepcopy
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.core import Claim, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import Level, Marks, Points, Role, picture
from corollary.models.attention.mixing import mixing_matrix
from corollary.models.attention.single_head import SingleHeadSelfAttention


class Given(NamedTuple):
    """Two sequences, two numbers and a layer."""

    X: Float[Tensor, "T d"]
    Y: Float[Tensor, "T d"]
    a: float
    b: float
    layer: nn.Module


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
        mixed: Tensor = self.live.W_o(self.A @ self.live.W_v(X))
        return mixed


def run(layer: nn.Module, X: Tensor) -> Tensor:
    """The layer along the rows of X."""
    out: Tensor = layer(X.T[None])[0].T if isinstance(layer, nn.Conv1d) else layer(X)
    return out


def attention(given: Given, rng: Generator) -> Given:
    """The layer is attention, whose weights depend on the input."""
    live = SingleHeadSelfAttention(given.X.shape[1], bias=False, rng=rng)
    return given._replace(layer=live.requires_grad_(False))


def offset(given: Given) -> Given:
    """With a bias, one side adds it once, and the other side adds it a + b times."""
    layer = deepcopy(given.layer)
    if isinstance(layer, Frozen):
        layer.live.W_o.b = nn.Parameter(given.X.new_ones(given.X.shape[1]), requires_grad=False)
    else:
        layer.bias = nn.Parameter(given.X.new_ones(given.X.shape[1]), requires_grad=False)
    return given._replace(layer=layer)


class MixingLinearity(Claim[Given]):
    T: int = option(10, low=3, high=100)  # length of the sequences
    d: int = option(4, high=32)  # numbers per position
    layer: Literal["convolution", "frozen"] = "convolution"  # or attention with frozen weights

    relation = equals(ulps=256, scale=1.0)  # sums of T d products
    supposes = (
        Suppose(
            "mixing weights do not depend on the input",
            lambda g: near(mixing_matrix(g.layer, g.X), mixing_matrix(g.layer, g.Y), to=0.0),
            without=attention,
        ),
        Suppose(
            "the layer maps zeros to zeros",
            lambda g: near(run(g.layer, 0 * g.X), 0.0, to=0.0),
            without=offset,
        ),
    )
    symbols = "a f(X) + b f(Y)", "f(aX + bY)"

    def given(self, rng: Generator) -> Given:
        X, Y, X0 = normal(rng, 3, self.T, self.d)
        if self.layer == "frozen":
            live = SingleHeadSelfAttention(self.d, bias=False, rng=rng).requires_grad_(False)
            return Given(X, Y, 2.0, -0.5, Frozen(live, live.weights(X0)))
        # skip_init: the weights come from rng, and torch's own generator is not touched
        conv = skip_init(nn.Conv1d, self.d, self.d, 3, padding=1, bias=False, dtype=torch.float64)
        conv.weight.data.normal_(0, (3 * self.d) ** -0.5, generator=rng)
        return Given(X, Y, 2.0, -0.5, conv.requires_grad_(False))

    def predict(self, given: Given) -> Tensor:
        fX, fY = (run(given.layer, Z) for Z in (given.X, given.Y))
        return (given.a * fX + given.b * fY).flatten()

    def measure(self, given: Given) -> Tensor:
        return run(given.layer, given.a * given.X + given.b * given.Y).flatten()

    @picture("Attention is not homogeneous", x="a", y="‖f(aX) − a f(X)‖ / ‖f(X)‖")
    def marks(self, trial: Trial[Given]) -> Marks:
        scales = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]

        def defects(given: Given, label: str, role: Role) -> Points:
            X, fX = given.X, run(given.layer, given.X)
            off = [float((run(given.layer, a * X) - a * fX).norm() / fX.norm()) for a in scales]
            return Points(scales, off, label=label, role=role)

        yield Level(0.0, label="linear")
        yield defects(trial.given, "fixed weights", "measured")
        for t in trial.without[:1]:
            yield defects(t.given, "attention", "other")
