r"""Teacher forcing computes all steps at once.

An encoder-decoder transformer that is given the whole target, shifted right by a start token, has
at position t the logits that it would have after reading :math:`y_1,\dots,y_{t-1}` alone,

.. math:: f(x,y)_t=f(x,y_{<t})_t\qquad(t=1,\dots,T),

so one pass trains all T predictions. It is the causal mask that makes it so.

:source: Perez Jensen (2025), Deep Learning, Section 6.4; Lucchi (2025), Foundations of Deep
    Learning, Sections 10.4.3 and 10.4.5; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all
    you need".
:kind: identity
:uses: decoder_causality
:covers: transformer-translation, causal-mask
"""

from copy import deepcopy
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Marks, Points, Suppose, Trial, equals, option, picture
from corollary.models.transformers.blocks import DecoderBlock
from corollary.models.transformers.translation import Transformer


class Given(NamedTuple):
    model: Transformer
    source: Int[Tensor, "one s"]  # tokens read
    target: Int[Tensor, "one T"]  # tokens to be written


def looks_ahead(given: Given) -> Given:
    """Without the mask, the decoder sees the token that it has to predict."""
    model = deepcopy(given.model)
    for block in model.decoder:
        assert isinstance(block, DecoderBlock)
        block.causal = False
    return given._replace(model=model)


class TeacherForcing(Claim[Given]):
    K: int = option(10, low=2, high=100)  # tokens
    T: int = option(6, high=40)  # length of source and target
    layers: int = option(2, high=4)  # blocks of encoder and decoder

    relation = equals(ulps=2**14, scale=1.0)  # products of other shapes round otherwise
    supposes = Suppose(
        "the decoder has a causal mask",
        lambda g: all(block.causal for block in g.model.decoder),
        without=looks_ahead,
    )
    symbols = "step by step", "all at once"

    def given(self, rng: Generator) -> Given:
        model = Transformer(self.K, self.K, d_model=16, layers=self.layers, rng=rng)
        source, target = torch.randint(0, self.K, (2, 1, self.T), generator=rng)
        return Given(model.requires_grad_(False), source, target)

    def predict(self, given: Given) -> Tensor:
        """Each prefix alone."""
        memory, T = given.model.encode(given.source), range(self.T)
        return torch.cat([given.model.decode(given.target[:, :t], memory)[0, -1] for t in T])

    def measure(self, given: Given) -> Tensor:
        return torch.flatten(given.model(given.source, given.target))

    @picture(
        "Logits of the targets, in one pass and step by step",
        x="position t",
        y="logit of the target",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        right, t = trial.given.target[0], range(1, trial.given.target.shape[1] + 1)

        def of_target(logits: Tensor) -> Tensor:
            return logits.view(len(t), -1).gather(1, right[:, None])[:, 0]

        yield Curve(of_target(trial.predicted), t, self.symbols[0], "predicted")
        for run in trial.all:
            yield Points(t, of_target(run.measured), run.words or self.symbols[1], run.role)
