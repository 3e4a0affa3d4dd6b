r"""Without positions an image is a set of patches.

Attention treats its sequence as a set: permuting the tokens permutes the outputs. The vision
transformer reads its class from ``[CLS]``, which stays in its place, so without position embeddings

.. math:: f(x_{\pi(1)}, \dots, x_{\pi(n)}) = f(x_1, \dots, x_n)

for every order :math:`\pi` of the patches: a photograph and its jigsaw puzzle are one and the same.
The sequence has :math:`HW/P^2 + 1` tokens.

:source: Perez Jensen (2025), Deep Learning, Section 6.6; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.5 and Figure 10.24; Dosovitskiy, Beyer, Kolesnikov et al. (2020), An
    image is worth 16x16 words, Section 3.1.
:kind: theorem
:cost: instant
:covers: vision-transformer
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Image, Points, equals, option
from corollary.data.textures import stripes
from corollary.models.transformers.vit import ViT
from corollary.theory.sequences.patches import patches, unpatched

CLASSES = 5


class Given(NamedTuple):
    """A vision transformer, images, and an order of their patches."""

    model: ViT
    x: Float[Tensor, "n 1 s s"]
    order: Int[Tensor, " p"]


@dataclass(frozen=True)
class PatchOrder(Claim[Given]):
    """Logits of puzzles against those of the images."""

    images: int = 6  # images
    patch: int = option(4, low=2, high=16)  # side P of a patch
    across: int = option(4, low=2, high=8)  # patches along a side
    layers: int = 2  # encoder blocks
    d: int = option(16, low=4)  # numbers a token, a multiple of 4
    relation = equals(ulps=2**14, scale=1.0)  # sums over tokens in another order, layer by layer

    def given(self, rng: Generator) -> Given:
        """A model without positions, at random weights."""
        return self._drawn(False, rng)

    def _drawn(self, positions: bool, rng: Generator) -> Given:
        side, width = self.patch * self.across, 4 * (self.d // 4)
        model = ViT(side, self.patch, width, self.layers, CLASSES, positions=positions, rng=rng).to(
            rng.device
        )
        if positions:
            nn.init.normal_(model.positions.P, generator=rng)
        x, _ = stripes(self.images, side, rng=rng)
        order = torch.randperm(self.across**2, generator=rng, device=rng.device)
        return Given(model, x, order)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Nothing tells where a patch was."""
        none = isinstance(given.model.positions, nn.Identity)
        yield Hypothesis("no positions are added", none)

    @torch.no_grad()
    def predict(self, given: Given) -> list[float]:
        """Tokens of the sequence, and the logits of the images."""
        tokens = given.x.shape[-1] ** 2 // self.patch**2 + 1
        return [float(tokens), *given.model(given.x).flatten().tolist()]

    @torch.no_grad()
    def measure(self, given: Given) -> list[float]:
        """The same of the puzzles."""
        puzzles = self._puzzles(given)
        tokens = given.model.tokens(puzzles).shape[1]
        return [float(tokens), *given.model(puzzles).flatten().tolist()]

    def _puzzles(self, given: Given) -> Tensor:
        mixed = patches(given.x, self.patch)[:, given.order]
        return unpatched(mixed, self.patch, tuple(given.x.shape[2:]))

    def counterexample(self, rng: Generator) -> Given:
        """With position embeddings the puzzle is another image."""
        return self._drawn(True, rng)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """An image beside its puzzle, and all logits."""
        placed = self._drawn(True, torch.Generator().manual_seed(0))
        pairs = [(self.predict(g)[1:], self.measure(g)[1:]) for g in (given, placed)]
        low, high = min(pairs[0][0]), max(pairs[0][0])
        logits = Figure(
            "The class of an image and of its puzzle",
            x="logit of the image",
            y="logit of the puzzle",
            marks=(
                Curve([low, high], [low, high], label="equal", role="predicted"),
                Points(*pairs[1], label="with positions", role="other"),
                Points(*pairs[0], label="without positions"),
            ),
        )
        pair = [_grey(given.x[0, 0]), _grey(self._puzzles(given)[0, 0])]
        gap = pair[0].new_zeros(len(pair[0]), 2)
        width = 2 * len(pair[0]) + 2.0
        puzzle = Figure(
            "Without positions these two are the same",
            x="column: the image, then its puzzle",
            y="row",
            equal=True,
            marks=(
                Image(
                    torch.cat([pair[0], gap, pair[1]], dim=1).tolist(),
                    (0.0, width),
                    (0.0, float(len(gap))),
                    label="an image and its puzzle",
                ),
            ),
        )
        return logits, puzzle


def _grey(x: Tensor) -> Tensor:
    return (x - x.min()) / (x.max() - x.min())
