r"""Teacher forcing computes all steps at once.

An encoder-decoder transformer that is given the whole target, shifted right by a start token, has
at position t the logits that it would have after reading :math:`y_1,\dots,y_{t-1}` alone,

.. math:: f(x,y)_t=f(x,y_{<t})_t\qquad(t=1,\dots,T),

so one pass trains all T predictions. It is the causal mask that makes it so.

:source: Perez Jensen (2025), Deep Learning, Section 6.4; Lucchi (2025), Foundations of Deep
    Learning, Sections 10.4.3 and 10.4.5; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all
    you need".
:kind: identity
:cost: instant
:covers: transformer-translation, causal-mask
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.models.transformers.translation import Transformer


class Given(NamedTuple):
    """A model with a source and a target."""

    model: Transformer
    source: Int[Tensor, "one s"]
    target: Int[Tensor, "one T"]


@dataclass(frozen=True)
class TeacherForcing(Claim[Given]):
    """The logits of all target tokens, at once and step by step."""

    K: int = option(10, low=2, high=100)  # tokens
    T: int = option(6, high=40)  # length of source and target
    layers: int = option(2, high=4)  # blocks of encoder and decoder
    relation = equals(ulps=2**14, scale=1.0)  # products of other shapes round otherwise

    def given(self, rng: Generator) -> Given:
        """A random network and random tokens."""
        model = Transformer(self.K, self.K, d_model=16, layers=self.layers, rng=rng)
        source, target = torch.randint(0, self.K, (2, 1, self.T), generator=rng)
        return Given(model.requires_grad_(False), source, target)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The mask."""
        causal = all(block.causal for block in given.model.decoder)
        yield Hypothesis("the decoder has a causal mask", causal)

    def predict(self, given: Given) -> list[float]:
        """Step by step: each prefix alone."""
        memory = given.model.encode(given.source)
        steps = range(given.target.shape[1])
        rows = [given.model.decode(given.target[:, :t], memory)[0, -1] for t in steps]
        return torch.stack(rows).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """All at once."""
        return given.model(given.source, given.target).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A decoder that looks ahead."""
        given = self.given(rng)
        _open_eyes(given.model)
        return given

    def figure(self, given: Given) -> Figure:
        """The logit of the right token at each position."""
        T, K = given.target.shape[1], given.model.start
        t, right = list(range(1, T + 1)), given.target[0]

        def of_target(logits: list[float]) -> Tensor:
            return torch.tensor(logits).view(T, K).gather(1, right[:, None])[:, 0]

        masks = [block.causal for block in given.model.decoder]
        marks = (
            Curve(of_target(self.predict(given)), t, label="step by step", role="predicted"),
            Points(t, of_target(self.measure(given)), label="all at once"),
        )
        _open_eyes(given.model)
        ahead = Points(t, of_target(self.measure(given)), label="without the mask", role="other")
        for block, causal in zip(given.model.decoder, masks, strict=True):
            block.causal = causal
        return Figure("One pass, all predictions", x="position t", y="logit of the target",
                      marks=(*marks, ahead))  # fmt: skip


def _open_eyes(model: Transformer) -> None:
    for block in model.decoder:
        block.causal = False
