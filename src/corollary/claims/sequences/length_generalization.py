r"""Length generalisation: parity beyond the training length.

The parity of the bits read so far is one bit of state, flipped by each 1. A recurrent network that
has learned it on strings of :math:`n` bits goes on for as long as one likes. A transformer with
positions answers as well up to :math:`n` bits, but by another way, which ends there: beyond the
training length it is near chance. Measured are the accuracy of the transformer within the training
length, loss of the transformer beyond n bits, and the accuracy of the recurrent network beyond,
each as the mean over networks that differ in their start. This is an experiment with small
networks, not a theorem about all of them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.6; Hahn (2020), Theoretical
    limitations of self-attention in neural sequence models; Anil, Wu, Andreassen et al. (2022),
    Exploring length generalization in large language models.
:kind: experiment
:cost: minutes
:covers: transformer-limitations
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_least, option
from corollary.core.picture import Band, Curve, Level, Marks, Role, picture
from corollary.models.many import Many, summed
from corollary.models.mlp import LinearLayer
from corollary.models.recurrent.gru import GRUCell
from corollary.models.recurrent.network import RecurrentNetwork
from corollary.models.transformers.gpt import GPT
from corollary.train import fit


class Given(NamedTuple):
    x: Int[Tensor, "s n"]  # training strings
    test: Int[Tensor, "r T"]  # test strings
    first: Callable[[Generator], nn.Module]  # makes the network that loses
    second: Callable[[Generator], nn.Module]  # makes the one that does not


class Bits(nn.Module):
    """A recurrent network that reads bits as numbers of classes."""

    def __init__(self, rng: Generator) -> None:
        super().__init__()
        cell = GRUCell(2, 16, rng=rng, dtype=torch.float32)
        out = LinearLayer(16, 2, bias=True, rng=rng, dtype=torch.float32)
        self.net = RecurrentNetwork(cell, out)

    def forward(self, x: Tensor) -> Tensor:
        """Logits after each bit."""
        logits: Tensor = self.net(one_hot(x, 2).float())
        return logits


def transformer(rng: Generator) -> nn.Module:
    """Two blocks with sinusoidal positions."""
    return GPT(2, 32, 4, 2, positions="sinusoidal", rng=rng, dtype=torch.float32)


def parities(x: Tensor) -> Tensor:
    """Of the bits read so far."""
    return x.cumsum(dim=1) % 2


class LengthGeneralization(Claim[Given]):
    n: int = option(8, low=2, high=40)  # bits of the training strings
    longest: int = option(32, low=4, high=200)  # bits of the test strings
    seeds: int = option(6, low=2, high=20)  # networks of each kind
    steps: int = 500  # training steps
    within: float = option(0.9, low=0.5, high=1.0)  # accuracy of the transformer up to n bits
    lost: float = option(0.2, low=0.0, high=0.5)  # accuracy lost beyond n bits
    kept: float = option(0.9, low=0.5, high=1.0)  # accuracy of the recurrent network beyond n bits

    relation = at_least(level=0.95)  # means over the networks, with a Student interval
    supposes = (
        Suppose(
            "the first network reads by attention, not by a state",
            lambda g: isinstance(g.first(torch.Generator()), GPT),
            "If the first network is recurrent too, it loses nothing.",
            first=lambda g: g.second,
        ),
        Suppose(
            "the test strings are longer than the training strings",
            lambda g: g.test.shape[1] - g.x.shape[1],
        ),
    )
    symbols = "at least", "accuracy of the parity"
    rows = "transformer, up to n bits", "its loss beyond n bits", "recurrent network, beyond n bits"

    def given(self, rng: Generator) -> Given:
        bits = partial(torch.randint, 2, generator=rng)
        return Given(bits(size=(4000, self.n)), bits(size=(400, self.longest)), transformer, Bits)

    def predict(self, given: Given) -> list[float]:
        return [self.within, self.lost, self.kept]

    def measure(self, given: Given, rng: Generator) -> Kept:
        n = given.x.shape[1]
        first, second = (self.accuracies(given, make, rng) for make in given[2:])
        near, far = first[:, :n].mean(dim=1), first[:, n:].mean(dim=1)
        samples = [Sample(near), Sample(near - far), Sample(second[:, n:].mean(dim=1))]
        return Kept(samples, first=first, second=second)

    def accuracies(
        self, given: Given, make: Callable[[Generator], nn.Module], rng: Generator
    ) -> Float[Tensor, "seeds T"]:
        """Train on parities of prefixes; each network's accuracy at the places of test strings."""
        nets = Many([make(rng) for _ in range(self.seeds)])
        lr = 2e-3 if isinstance(nets.shape, GPT) else 1e-2
        adam = partial(torch.optim.Adam, lr=lr, fused=True)

        def loss(logits: Tensor, y: Tensor) -> Tensor:
            return cross_entropy(logits.flatten(0, 1), y.flatten())

        data, size = (given.x, parities(given.x)), 128
        fit(
            nets,
            data,
            summed(loss),
            adam,
            steps=self.steps,
            batch_size=size,
            rng=rng,
            schedule=self.fall,
        )
        with torch.no_grad():
            right: Tensor = nets(given.test).argmax(dim=3) == parities(given.test)
        return right.double().mean(dim=1)

    def fall(self, step: int) -> float:
        """The learning rate falls to 0."""
        return max(1 - step / self.steps, 0.0)

    @picture(
        "Accuracy of the parity beyond the training length",
        x="bits read",
        y="accuracy of the parity",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        place = list(range(1, self.longest + 1))

        def drawn(runs: Tensor, label: str, role: Role) -> list[Band | Curve]:
            low, high = runs.amin(dim=0), runs.amax(dim=0)
            band = Band(place, low, high, label=f"{label}, all runs", role=role)
            return [band, Curve(runs.mean(dim=0), place, label=label, role=role)]

        yield from drawn(trial.kept.second, "recurrent network", "other")
        yield from drawn(trial.kept.first, "transformer", "measured")
        yield Level(self.n, label="training length n", axis="x")
        yield Level(0.5, label="chance", role="other")
