r"""A transformer learns to reverse.

An encoder-decoder transformer with one block each, trained on random strings of digits with their
reversal as target, reverses

.. math:: \Pr(\text{greedy output}=x_T\cdots x_1)\ge0.99

of strings it has not been trained on: cross-attention learns the antidiagonal. Without positions
the encoder's output is a set and the decoder has no means to know which token was last.

:source: Perez Jensen (2025), Deep Learning, Section 6.4 and Figure 6.3; Lucchi (2025), Foundations
    of Deep Learning, Section 10.4.3; Vaswani, Shazeer, Parmar et al. (2017), "Attention is all you
    need".
:kind: experiment
:cost: seconds
:uses: teacher_forcing, attention_equivariance
:covers: transformer-translation
"""

import copy
from functools import partial
from typing import Any, NamedTuple

import torch
from jaxtyping import Int
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy

from corollary.core import Claim, Count, Kept, Suppose, Trial, at_least, option
from corollary.core.picture import HeatMap, Marks, picture
from corollary.models.transformers.translation import Transformer, shifted_right
from corollary.train import fit


class Given(NamedTuple):
    model: Transformer  # before training
    source: Int[Tensor, "s T"]  # strings to learn from
    strings: Int[Tensor, "n T"]  # strings to reverse


def tells_positions(given: Given) -> float:
    """How much the code of the first token changes when it stands last."""
    with torch.no_grad():
        codes = given.model.embed_source(given.strings[:1])
        turned = given.model.embed_source(given.strings[:1].flip(1))
        return float((codes - turned.flip(1)).abs().max())


class TransformerReversal(Claim[Given]):
    T: int = option(4, low=2, high=10)  # length of the strings
    K: int = option(10, low=2, high=50)  # digits
    steps: int = option(200, high=5000)  # updates, of 64 strings each
    tests: int = option(4000, low=500, high=100_000)  # strings to reverse

    relation = at_least(level=0.99)  # an exact binomial interval of the share
    supposes = Suppose(
        "positions are added to the source",
        tells_positions,
        "Without positions, the source is a set, and the network cannot know which token was last.",
        model=lambda self, rng: self.network("none", rng),
    )
    symbols = "0.99", "share of strings that are reversed correctly"
    predicts = 0.99

    def given(self, rng: Generator) -> Given:
        digits = partial(torch.randint, 0, self.K, generator=rng)
        source, strings = (digits((n, self.T)) for n in (64 * self.steps, self.tests))
        return Given(self.network("sinusoidal", rng), source, strings)

    def network(self, positions: str, rng: Generator) -> Transformer:
        """In float32: precision is not the subject."""
        size: dict[str, Any] = {"d_model": 32, "d_ff": 64, "dtype": torch.float32}
        return Transformer(self.K, self.K, positions=positions, rng=rng, **size)

    def measure(self, given: Given, rng: Generator) -> Kept:
        model = copy.deepcopy(given.model)
        target, n = given.source.flip(1), self.steps
        fit(
            model,
            (given.source, target, target),
            lambda logits, y: cross_entropy(logits.flatten(0, 1), y.flatten()),
            partial(torch.optim.Adam, lr=1e-2),
            steps=n,
            batch_size=64,
            rng=rng,
            schedule=lambda step: min(1.0, (step + 1) / 20) * (1 - step / n),
        )
        return Kept(reversed_by(model, given.strings), model=model)

    @picture("Cross-attention learns the antidiagonal", x="source position", y="target position")
    def marks(self, trial: Trial[Given]) -> Marks:
        model, source = trial.kept.model, trial.given.strings[:200]
        block, hidden = model.decoder[0], list[Tensor]()
        with torch.no_grad():
            memory = model.encode(source)
            x = model.embed_target(shifted_right(source.flip(1)[:, :-1], model.start))
            hook = block.cross.register_forward_pre_hook(lambda _, args: hidden.append(args[0]))
            block(x, memory)
            hook.remove()
            A = block.cross.weights(hidden[0], memory).mean(dim=(0, 1))  # over strings and heads
        edges = (0.5, source.shape[1] + 0.5)
        yield HeatMap(A, x=edges, y=edges, label="weight", role="measured")


def reversed_by(model: Transformer, strings: Int[Tensor, "n T"]) -> Count:
    """How many strings come back reversed, every digit right."""
    found = model.generate(strings, strings.shape[1])
    pairs = zip(found, strings.flip(1).tolist(), strict=True)
    return Count(sum(d.tokens == tuple(s) for d, s in pairs), len(strings))
