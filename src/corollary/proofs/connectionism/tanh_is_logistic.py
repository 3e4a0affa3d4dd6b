r"""Both are quotients of the same two exponentials.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.4.3, hyperbolic tangent.
"""

import sympy as sp
from torch import nn

from corollary.claims.connectionism.tanh_is_logistic import Given
from corollary.core import Proof, eq, let
from corollary.models.tanh_to_sigmoid import convert_mlp


def proof(given: Given) -> Proof:
    z = sp.Symbol("z", real=True)
    down, up = sp.exp(-2 * z), sp.exp(z)
    yield let(r"2\sigma(2z) - 1", 2 / (1 + down) - 1)
    one = 2 / (1 + down) - (1 + down) / (1 + down)
    yield eq(r"\tfrac2{1+e^{-2z}} - \tfrac{1+e^{-2z}}{1+e^{-2z}}", one, "one denominator")
    yield eq(r"\tfrac{1-e^{-2z}}{1+e^{-2z}}", (1 - down) / (1 + down), "subtracted")
    both = (up - 1 / up) / (up + 1 / up)
    yield eq(r"\tfrac{e^z-e^{-z}}{e^z+e^{-z}}", both, "times eᶻ above and below")
    yield eq(r"\tanh z", sp.tanh(z).rewrite(sp.exp), "its definition")
    yield "Put into a network, the constant −1 goes into the biases."
    first, act, *_ = given.net
    assert isinstance(first, nn.Linear)
    hidden = given.x @ first.weight.T + first.bias
    yield let(r"\tanh(Wx+b)", act(hidden))
    yield eq(r"2\sigma(2Wx+2b) - 1", 2 * (2 * hidden).sigmoid() - 1, "in each unit")
    twin = convert_mlp(given.net, "sigmoid", drop_shift=True)
    yield let(r"f_{\tanh}(x)", given.net(given.x))
    yield eq(r"f_\sigma(x)", twin(given.x), "layer by layer; each reader has a bias to take −V1")
