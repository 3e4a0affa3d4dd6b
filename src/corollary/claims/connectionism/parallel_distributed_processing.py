r"""Perceptron, Hopfield network and MLP are instances of one framework.

Parallel distributed processing describes a network by units, output function, connectivity,
propagation rule, activation function, learning rule and environment:

.. math:: a_i \leftarrow F\bigl(\textstyle\sum_j W_{ij}\,f(a_j) + b_i\bigr).

Filled in three ways, the same short program is the perceptron with Rosenblatt's rule, the Hopfield
network with Hebb's rule and a multilayer perceptron under stochastic gradient descent. The claim
predicts weights and states by the dedicated implementations and measures those of the program: all
weights of the perceptron after each mistake, all states of the Hopfield network after each sweep,
all weights of the multilayer perceptron after each step. Units must be updated from the input to
the output: in the other order each layer reads what the one below held before.

:source: Perez Jensen (2025), Deep Learning, Section 1.3; Rumelhart, Hinton and McClelland (1986),
    "A general framework for parallel distributed processing".
:kind: construction
:covers: parallel-distributed-processing
:scale-free: of the perceptron the sequence of mistakes is compared, which are whole numbers
"""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Parity, Suppose, Trial, equals, normal, option
from corollary.core.picture import Graph, Marks, picture
from corollary.data.separable import separable_cloud
from corollary.models.hopfield import Hopfield
from corollary.models.pdp import PDPSystem, Units
from corollary.models.pdp_instances import hopfield_system, mlp_system, perceptron_system
from corollary.theory.connectionism.perceptron import perceptron_fit

ETA = 0.1  # step size of the multilayer perceptron


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points
    y: Float[Tensor, " n"]  # labels, -1 or +1
    patterns: Float[Tensor, "p N"]  # to store, signs
    probe: Float[Tensor, " N"]  # where recall starts
    net: nn.Sequential  # multilayer perceptron at the start
    order: slice = slice(None)  # of the updates of its layers; upwards, as they stand

    def layered(self) -> PDPSystem:
        """The multilayer perceptron as a system, its layers in the order of the given."""
        system = mlp_system(self.net, self.x, self.y[:, None], ETA)
        units = Units(system.units.n, system.units.groups[self.order])
        assert isinstance(system.activation, Sequence)
        return replace(system, units=units, activation=system.activation[self.order])


def flat(values: list[Tensor]) -> list[float]:
    """All numbers of all tensors in turn."""
    return torch.cat([v.detach().flatten() for v in values]).tolist()


def in_order(given: Given) -> bool:
    """Each group of units reads what is fresh."""
    system = given.layered()
    fresh = set(system.environment.entry)
    for group in system.units.groups:
        read = system.connectivity.mask[list(group)].any(dim=0).nonzero().flatten()
        if not set(read.tolist()) <= fresh:
            return False
        fresh |= set(group)
    return True


class ParallelDistributedProcessing(Claim[Given]):
    n: int = 12  # points
    d: int = 3  # dimension of the points
    m: int = 4  # hidden units
    N: int = option(16, low=2)  # neurons of the memory
    p: int = 2  # patterns to store
    steps: int = 12  # steps of gradient descent

    relation = equals(ulps=512, scale=1.0)  # the same sums, perhaps in another order

    supposes = Suppose(
        "each layer is updated after the layers it reads",
        in_order,
        "If the output layer is updated first, the hidden units are still zero.",
        order=slice(None, None, -1),
    )
    symbols = "dedicated implementation", "framework"
    shows = Parity("One framework against dedicated implementations", without=False)

    def given(self, rng: Generator) -> Given:
        x, y, _ = separable_cloud(self.n, self.d, 0.3, rng=rng)
        signs = torch.where(normal(rng, self.p + 1, self.N) < 0, -1.0, 1.0).to(x)
        net = nn.Sequential(nn.Linear(self.d, self.m), nn.Tanh(), nn.Linear(self.m, 1)).to(x)
        with torch.no_grad():
            for parameter in net.parameters():
                parameter.normal_(generator=rng)
        return Given(x, y, signs[:-1], signs[-1], net)

    def predict(self, given: Given) -> list[float]:
        fit = perceptron_fit(given.x, given.y)
        return flat([fit.trajectory(given.x, given.y)[1:], *_recall(given), *self._descent(given)])

    def measure(self, given: Given) -> list[float]:
        return flat([*_mistakes(given), *_recall_by_parts(given), *self._descent_by_parts(given)])

    @picture("Units and connectivity", x="group", y="place in it")
    def marks(self, trial: Trial[Given]) -> Marks:
        system = trial.given.layered()
        layers = [system.environment.entry, *system.units.groups]
        x = [float(k) for k, layer in enumerate(layers) for _ in layer]
        y = [j - (len(layer) - 1) / 2 for layer in layers for j in range(len(layer))]
        to, source = system.connectivity.mask.nonzero().T.tolist()
        weights = system.connectivity.W[to, source]
        edges = list(zip(source, to, strict=True))
        graph = Graph(x, y, edges, weights=weights, label="units and connections W")
        yield graph

    def _descent(self, given: Given) -> list[Tensor]:
        """Weights and biases after each step of torch's own optimizer."""
        net, out = copy.deepcopy(given.net), []
        optimizer = torch.optim.SGD(net.parameters(), lr=ETA)
        for t in range(self.steps):
            i = t % len(given.x)
            optimizer.zero_grad()
            nn.functional.mse_loss(net(given.x[i]), given.y[i : i + 1]).backward()
            optimizer.step()
            out += [p.detach().clone() for p in net.parameters()]
        return out

    def _descent_by_parts(self, given: Given) -> list[Tensor]:
        system, out = given.layered(), []
        m, d = next(given.net.parameters()).shape
        hidden, last = slice(d, d + m), slice(d + m, None)
        for t in range(self.steps):
            system = system.learn(t % len(given.x))
            W, b = system.connectivity.W, system.connectivity.b
            out += [W[hidden, :d], b[hidden], W[last, hidden], b[last]]
        return out


def _mistakes(given: Given) -> list[Tensor]:
    """Weights and bias of the system after each mistake, until a pass is clean."""
    system, out, clean = perceptron_system(given.x, given.y), [], 0
    for t in range(100_000):
        after = system.learn(t % len(given.x))
        mistake = after.connectivity is not system.connectivity
        system, clean = after, 0 if mistake else clean + 1
        if mistake:
            out.append(torch.cat([system.connectivity.W[-1, :-1], system.connectivity.b[-1:]]))
        if clean == len(given.x):
            break
    return out


def _recall(given: Given) -> list[Tensor]:
    """States after each of three sweeps, neuron by neuron."""
    memory, state, out = Hopfield.store(given.patterns), given.probe, []
    for _ in range(3):
        for i in range(memory.n):
            state = memory.step(state, i)
        out.append(state)
    return out


def _recall_by_parts(given: Given) -> list[Tensor]:
    system = hopfield_system(given.patterns)
    for i in range(len(given.patterns)):
        system = system.learn(i)
    state, out = given.probe, []
    for _ in range(3):
        state = system.step(state)
        out.append(state)
    return out
