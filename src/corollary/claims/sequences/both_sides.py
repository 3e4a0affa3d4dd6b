r"""BERT is bidirectional: every output depends on every input.

Without a causal mask every contextual vector depends on every token: of the :math:`T^2` blocks
:math:`\partial h_i / \partial x_j` none is zero,

.. math:: \frac{1}{T^2}\,\#\Bigl\{(i, j) : \frac{\partial h_i}{\partial x_j} \ne 0\Bigr\} = 1 ,

already after one encoder block. With a causal mask the share is :math:`(T + 1)/(2T)`: no word
knows those to its right, however many blocks there are.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Sections 1 and 3.1.
:kind: theorem
:uses: causal_mask
:covers: bert-encoder
:scale-free: it counts derivatives that are not zero.
"""

from copy import deepcopy
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Figure, HeatMap, Kept, Suppose, Trial, equals, option
from corollary.models.transformers.bert import MiniBERT
from corollary.theory.sequences.masks import causal_mask

VOCAB, WIDTH = 30, 8


class Given(NamedTuple):
    blocks: nn.ModuleList  # of the encoder
    x: Float[Tensor, "1 t d"]  # embedded tokens
    mask: Bool[Tensor, "t t"]  # which position may read which


def no_values(given: Given) -> Given:
    """Attention that reads nothing leaves each word alone."""
    blocks = deepcopy(given.blocks)
    for block in blocks:
        nn.init.zeros_(block.get_parameter("attention.W_v.W"))
    return given._replace(blocks=blocks)


class BothSides(Claim[Given]):
    length: int = option(8, low=2, high=24)  # tokens T
    layers: int = option(1, low=1, high=4)  # encoder blocks

    relation = equals(ulps=8)  # a count over T²
    supposes = (
        Suppose(
            "every position may read every position",
            lambda g: bool(g.mask.all()),
            "With a causal mask, no word depends on words to its right.",
            mask=lambda g: causal_mask(len(g.mask)),
        ),
        Suppose(
            "attention reads values that are not zero",
            lambda g: min(block.attention.W_v.W.norm() for block in g.blocks),
            no_values,
        ),
    )
    symbols = "1", "share of ∂h_i/∂x_j ≠ 0"
    predicts = 1.0

    def given(self, rng: Generator) -> Given:
        bert = MiniBERT(VOCAB, self.layers, WIDTH, heads=2, rng=rng)
        ids = torch.randint(VOCAB, (1, self.length), generator=rng)
        free = torch.ones(self.length, self.length, dtype=torch.bool)
        return Given(bert.blocks, bert.embed(ids).detach(), free)

    def measure(self, given: Given) -> Kept:
        def encoded(x: Tensor) -> Tensor:
            for block in given.blocks:
                x = block(x, mask=given.mask)
            return x[0]

        J = torch.autograd.functional.jacobian(encoded, given.x)[:, :, 0]  # (t, d, t, d)
        strength = J.square().sum(dim=(1, 3)).sqrt()
        return Kept((strength > 0).double().mean(), strength=strength)

    def figure(self, trial: Trial[Given]) -> tuple[Figure, ...]:
        """With and without a causal mask."""
        shown = {"BERT: every word depends on every word": trial}
        if trial.without:
            shown["With a causal mask: no word depends on words to its right"] = trial.without[0]
        return tuple(picture(title, t.kept.strength) for title, t in shown.items())


def picture(title: str, strength: Float[Tensor, "t t"]) -> Figure:
    """The length of each block of the Jacobian, on a logarithmic scale."""
    least = float(strength[strength > 0].min()) / 10
    edges = (-0.5, len(strength) - 0.5)
    label = "log10 of the length of ∂h_i/∂x_j"
    mark = HeatMap(strength.clamp(min=least).log10().tolist(), edges, edges, label=label)
    return Figure(title, x="input j", y="output i", equal=True, marks=(mark,))
