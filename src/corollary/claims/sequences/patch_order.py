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
:uses: attention_equivariance, patch_convolution
:covers: vision-transformer
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Claim, Kept, Parity, Suppose, Trial, equals, option
from corollary.core.picture import Image, Marks, picture
from corollary.data.textures import stripes
from corollary.models.transformers.vit import ViT
from corollary.theory.sequences.patches import patches, unpatched

CLASSES = 5


class Given(NamedTuple):
    """A vision transformer, images, and an order of their patches."""

    model: ViT
    x: Float[Tensor, "n 1 s s"]
    order: Int[Tensor, " p"]


def placed(self: "PatchOrder", given: Given, rng: Generator) -> Given:
    """With position embeddings, the shuffled patches give other logits."""
    model = self.model(rng, positions=True)
    nn.init.normal_(model.get_parameter("positions.P"), generator=rng)
    return given._replace(model=model)


class PatchOrder(Claim[Given]):
    images: int = 6  # images
    patch: int = option(4, low=2, high=16)  # side P of a patch
    across: int = option(4, low=2, high=8)  # patches along a side
    layers: int = 2  # encoder blocks
    d: int = option(16, low=4)  # numbers per token, a multiple of 4

    relation = equals(ulps=2**14, scale=1.0)  # sums over tokens in another order, layer by layer
    supposes = (
        Suppose(
            "no positions are added",
            lambda g: not any(True for _ in g.model.positions.parameters()),
            without=placed,
        ),
        Suppose(
            "every patch appears exactly once",
            lambda g: torch.equal(g.order.sort().values, torch.arange(len(g.order))),
            "If half of the patches appear twice, the logits are different.",
            order=lambda g: g.order // 2,
        ),
    )
    symbols = "of the image", "of the shuffled patches"
    shows = Parity("Logits of an image and of its shuffled patches", leave=1)  # number of tokens

    def model(self, rng: Generator, *, positions: bool) -> ViT:
        """A transformer at random weights."""
        side, width = self.patch * self.across, 4 * (self.d // 4)
        return ViT(side, self.patch, width, self.layers, CLASSES, positions=positions, rng=rng)

    def given(self, rng: Generator) -> Given:
        x, _ = stripes(self.images, self.patch * self.across, rng=rng)
        order = torch.randperm(self.across**2, generator=rng)
        return Given(self.model(rng, positions=False), x, order)

    @torch.no_grad()
    def predict(self, given: Given) -> list[float]:
        """Logits, and tokens of the sequence."""
        tokens = given.x.shape[-1] ** 2 // self.patch**2 + 1
        return [*given.model(given.x).flatten().tolist(), float(tokens)]

    @torch.no_grad()
    def measure(self, given: Given) -> Kept:
        mixed = patches(given.x, self.patch)[:, given.order]
        puzzles = unpatched(mixed, self.patch, (given.x.shape[2], given.x.shape[3]))
        tokens = given.model.tokens(puzzles).shape[1]
        return Kept([*given.model(puzzles).flatten().tolist(), float(tokens)], puzzles=puzzles)

    @picture(
        "Without positions these two are the same",
        x="column: the image, then its shuffled patches",
        y="row",
        equal=True,
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        pair = torch.stack([trial.given.x[0, 0], trial.kept.puzzles[0, 0]])
        grey = (pair - pair.min()) / (pair.max() - pair.min())
        side = grey.shape[1]
        shown = torch.cat([grey[0], grey.new_zeros(side, 2), grey[1]], dim=1).tolist()
        edges = (0.0, 2.0 * side + 2), (0.0, float(side))
        yield Image(shown, *edges, label="an image and its shuffled patches")
