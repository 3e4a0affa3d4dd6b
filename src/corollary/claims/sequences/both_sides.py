r"""BERT reads both sides.

Without a causal mask every contextual vector depends on every token: of the :math:`T^2` blocks
:math:`\partial h_i / \partial x_j` none is zero,

.. math:: \frac{1}{T^2}\,\#\Bigl\{(i, j) : \frac{\partial h_i}{\partial x_j} \ne 0\Bigr\} = 1 ,

already after one encoder block. With a causal mask the share is :math:`(T + 1)/(2T)`: no word
knows those to its right, however many blocks there are.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Sections 1 and 3.1.
:kind: theorem
:cost: instant
:covers: bert-encoder
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Figure, HeatMap, Hypothesis, equals, option
from corollary.models.transformers.bert import MiniBERT
from corollary.theory.sequences.masks import causal_mask

VOCAB, WIDTH = 30, 8


class Given(NamedTuple):
    """Encoder blocks, embedded tokens, and which position may read which."""

    blocks: nn.ModuleList
    x: Float[Tensor, "1 t d"]
    mask: Bool[Tensor, "t t"]


@dataclass(frozen=True)
class BothSides(Claim[Given]):
    """The share of blocks of the Jacobian that are not zero."""

    length: int = option(8, low=2, high=24)  # tokens T
    layers: int = option(1, low=1, high=4)  # encoder blocks
    relation = equals(ulps=8)  # a count over T²

    def given(self, rng: Generator) -> Given:
        """A small BERT on random tokens."""
        bert = MiniBERT(VOCAB, self.layers, WIDTH, heads=2, rng=rng)
        ids = torch.randint(VOCAB, (1, self.length), generator=rng, device=rng.device)
        free = torch.ones(self.length, self.length, dtype=torch.bool, device=rng.device)
        return Given(bert.blocks, bert.embed(ids).detach(), free)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No mask."""
        yield Hypothesis("every position may read every position", bool(given.mask.all()))

    def predict(self, given: Given) -> float:
        """All."""
        return 1.0

    def measure(self, given: Given) -> float:
        """Blocks that are not zero."""
        return float((_strengths(given) > 0).double().mean())

    def counterexample(self, rng: Generator) -> Given:
        """The causal mask of a decoder."""
        return self.given(rng)._replace(mask=causal_mask(self.length, device=rng.device))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Who knows whom, with and without a causal mask."""
        causal = given._replace(mask=causal_mask(self.length))
        return (
            _picture("BERT: every word knows every word", given),
            _picture("With a causal mask: none knows those to its right", causal),
        )


def _strengths(given: Given) -> Float[Tensor, "t t"]:
    """Length of each block of the Jacobian, output position by input position."""

    def encoded(x: Tensor) -> Tensor:
        for block in given.blocks:
            x = block(x, mask=given.mask)
        return x[0]

    J = torch.autograd.functional.jacobian(encoded, given.x)[:, :, 0]  # (t, d, t, d)
    return J.pow(2).sum(dim=(1, 3)).sqrt()


def _picture(title: str, given: Given) -> Figure:
    strength = _strengths(given)
    shown = strength.clamp(min=float(strength[strength > 0].min()) / 10).log10()
    edges = (-0.5, len(strength) - 0.5)
    return Figure(
        title,
        x="input j",
        y="output i",
        equal=True,
        marks=(HeatMap(shown.tolist(), edges, edges, label="log10 of the length of ∂h_i/∂x_j"),),
    )
