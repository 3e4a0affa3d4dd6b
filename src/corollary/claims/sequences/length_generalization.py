r"""Parity beyond the training length.

The parity of the bits read so far is one bit of state, flipped by each 1. A recurrent network that
has learned it on strings of :math:`n` bits goes on for as long as one likes. A transformer with
positions answers as well up to :math:`n` bits, but by another way, which ends there: beyond the
training length it is near chance. Measured are the accuracy of the transformer within the training
length, what it loses beyond, and the accuracy of the recurrent network beyond, each as the mean
over networks that differ in their start. This is an experiment with small networks, not a theorem
about all of them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.6; Hahn (2020), Theoretical
    limitations of self-attention in neural sequence models; Anil, Wu, Andreassen et al. (2022),
    Exploring length generalization in large language models.
:kind: experiment
:cost: minutes
:covers: transformer-limitations
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from corollary.core import (
    Band,
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Level,
    Sample,
    at_least,
    option,
)
from corollary.models.many import Many, summed
from corollary.models.mlp import LinearLayer
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.network import RecurrentNetwork
from corollary.models.transformers.gpt import GPT
from corollary.train import fit

TESTED = 400  # strings on which accuracy is measured


class Given(NamedTuple):
    """Accuracy at each place, run by run, of two networks; whether the first has attention."""

    attention: list[list[float]]
    recurrent: list[list[float]]
    is_transformer: bool


class LengthGeneralization(Claim[Given]):
    n: int = option(8, low=2, high=40)  # bits of the training strings
    longest: int = option(32, low=4, high=200)  # bits of the test strings
    seeds: int = option(6, low=2, high=20)  # networks of each kind
    steps: int = 500  # training steps
    within: float = option(0.9, low=0.5, high=1.0)  # accuracy of the transformer up to n bits
    lost: float = option(0.2, low=0.0, high=0.5)  # what it loses beyond
    kept: float = option(0.9, low=0.5, high=1.0)  # accuracy of the recurrent network beyond
    relation = at_least(level=0.95)  # means over the networks, with a Student interval

    def given(self, rng: Generator) -> Given:
        """Both networks trained on the same strings."""
        return self._runs(_transformer, rng)

    def _runs(self, first: Callable[[Generator], nn.Module], rng: Generator) -> Given:
        size = (4000, self.n)
        x = torch.randint(2, size, generator=rng, device=rng.device)
        test = torch.randint(2, (TESTED, self.longest), generator=rng, device=rng.device)
        one, other = (
            self._accuracies(Many([make(rng) for _ in range(self.seeds)]), x, test, rng)
            for make in (first, _gru)
        )
        return Given(one, other, first is _transformer)

    def _accuracies(self, nets: Many, x: Tensor, test: Tensor, rng: Generator) -> list[list[float]]:
        """Train on parities of prefixes; each network's accuracy at the places of test strings."""
        seed = int(torch.randint(2**31, (), generator=rng, device=rng.device))
        lr = 2e-3 if isinstance(nets.shape, GPT) else 1e-2

        def adam(parameters: list[Tensor]) -> torch.optim.Optimizer:
            return torch.optim.Adam(parameters, lr=lr, fused=True)

        def loss(logits: Tensor, y: Tensor) -> Tensor:
            return cross_entropy(logits.flatten(0, 1), y.flatten())

        decay = torch.linspace(1.0, 0.0, self.steps + 1).tolist()
        fit(nets, (x, _parities(x)), summed(loss), adam, steps=self.steps, batch_size=128, rng=seed,
            schedule=lambda step: decay[min(step, self.steps)])  # fmt: skip
        with torch.no_grad():
            return (nets(test).argmax(dim=3) == _parities(test)).double().mean(dim=1).tolist()

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Who is compared."""
        yield Hypothesis(
            "the first network reads by attention, not by a state", given.is_transformer
        )
        yield Hypothesis(
            "the test strings are longer than the training strings", self.longest > self.n
        )

    def predict(self, given: Given) -> list[float]:
        """The least values."""
        return [self.within, self.lost, self.kept]

    def measure(self, given: Given) -> list[Sample]:
        """Within; the loss beyond; the recurrent network beyond."""
        near = [_mean(run[: self.n]) for run in given.attention]
        far = [_mean(run[self.n :]) for run in given.attention]
        state = [_mean(run[self.n :]) for run in given.recurrent]
        return [
            Sample(near),
            Sample([a - b for a, b in zip(near, far, strict=True)]),
            Sample(state),
        ]

    def counterexample(self, rng: Generator) -> Given:
        """A recurrent network in the place of the transformer loses nothing."""
        return self._runs(_gru, rng)

    def figure(self, given: Given) -> Figure:
        """Accuracy along the string: the mean of the runs and their range."""
        place = list(range(1, self.longest + 1))

        def drawn(runs: list[list[float]], label: str, role: str) -> list[Band | Curve]:
            columns = list(zip(*runs, strict=True))
            low, high = [min(c) for c in columns], [max(c) for c in columns]
            middle = [_mean(c) for c in columns]
            return [
                Band(place, low, high, label=f"{label}, all runs", role=role),
                Curve(middle, place, label=label, role=role),
            ]

        return Figure(
            "A state goes on, attention stops at the length it knows",
            x="bits read",
            y="accuracy of the parity",
            marks=(
                *drawn(given.recurrent, "recurrent network", "other"),
                *drawn(given.attention, "transformer", "measured"),
                Level(self.n, label="training length n", role="predicted", axis="x"),
                Level(0.5, label="chance", role="other"),
            ),
        )


class _Bits(nn.Module):
    """A recurrent network that reads bits as numbers of classes."""

    def __init__(self, net: RecurrentNetwork) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: Tensor) -> Tensor:
        return self.net(one_hot(x, 2).float())


def _transformer(rng: Generator) -> nn.Module:
    return GPT(2, 32, 4, 2, positions="sinusoidal", rng=rng, dtype=torch.float32)


def _gru(rng: Generator) -> nn.Module:
    cell = GRUCell(2, 16, rng=rng, dtype=torch.float32)
    return _Bits(
        RecurrentNetwork(cell, LinearLayer(16, 2, bias=True, rng=rng, dtype=torch.float32))
    )


def _parities(x: Tensor) -> Tensor:
    return x.cumsum(dim=1) % 2


def _mean(values: list[float] | tuple[float, ...]) -> float:
    return sum(values) / len(values)
