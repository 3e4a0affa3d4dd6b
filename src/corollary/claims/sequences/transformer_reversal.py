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
:covers: transformer-translation
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy

from corollary.core import Claim, Count, Figure, HeatMap, Hypothesis, at_least, option
from corollary.models.transformers.translation import Transformer, shifted_right
from corollary.train import fit


class Given(NamedTuple):
    """A trained network and strings to reverse."""

    model: Transformer
    strings: Int[Tensor, "n T"]


class TransformerReversal(Claim[Given]):
    T: int = option(4, low=2, high=10)  # length of the strings
    K: int = option(10, low=2, high=50)  # digits
    steps: int = option(200, high=5000)  # updates, of 64 strings each
    tests: int = option(4000, low=500, high=100_000)  # strings to reverse
    relation = at_least(level=0.99)  # an exact binomial interval of the share

    def given(self, rng: Generator) -> Given:
        """A network with sinusoidal positions, trained."""
        return self._trained("sinusoidal", rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Something that tells positions apart."""
        blind = isinstance(given.model.embed_source.positions, nn.Identity)
        yield Hypothesis("positions are added to the source", not blind)

    def predict(self, given: Given) -> float:
        """The share that counts as learned."""
        return 0.99

    def measure(self, given: Given) -> Count:
        """How many strings come back reversed, every digit right."""
        found = given.model.generate(given.strings, given.strings.shape[1])
        right = [d.tokens == tuple(s) for d, s in zip(found, given.strings.flip(1).tolist(),
                                                      strict=True)]  # fmt: skip
        return Count(sum(right), len(right))

    def counterexample(self, rng: Generator) -> Given:
        """The same network and training without positions."""
        return self._trained("none", rng)

    def figure(self, given: Given) -> Figure:
        """Where the decoder looks: cross-attention, mean over strings and heads."""
        model, source = given.model, given.strings[:200]
        with torch.no_grad():
            memory = model.encode(source)
            x = model.embed_target(shifted_right(source.flip(1)[:, :-1], model.start))
            block = model.decoder[0]
            hidden: list[Tensor] = []
            hook = block.cross.register_forward_pre_hook(lambda _, args: hidden.append(args[0]))
            block(x, memory)
            hook.remove()
            A = block.cross.weights(hidden[0], memory).mean(dim=(0, 1))
        T = source.shape[1]
        mark = HeatMap(A.tolist(), x=(0.5, T + 0.5), y=(0.5, T + 0.5), label="weight",
                       role="measured")  # fmt: skip
        return Figure("Cross-attention learns the antidiagonal", x="source position",
                      y="target position", marks=(mark,))  # fmt: skip

    def _trained(self, positions: str, rng: Generator) -> Given:
        """Train on random strings; float32, since precision is not the subject."""
        model = Transformer(
            self.K, self.K, d_model=32, d_ff=64, positions=positions, rng=rng, dtype=torch.float32
        )
        source = torch.randint(0, self.K, (64 * self.steps, self.T), generator=rng)
        target, steps = source.flip(1), self.steps
        fit(
            model, (source, target, target),
            lambda logits, y: cross_entropy(logits.flatten(0, 1), y.flatten()),
            lambda parameters: torch.optim.Adam(parameters, lr=1e-2),
            steps=steps, batch_size=64, rng=rng,
            schedule=lambda step: min(1.0, (step + 1) / 20) * (1 - step / steps),
        )  # fmt: skip
        return Given(model, torch.randint(0, self.K, (self.tests, self.T), generator=rng))
