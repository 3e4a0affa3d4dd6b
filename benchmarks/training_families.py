"""What `corollary.train.fit` costs over a loop written by hand, for the networks of `reproduce`.

One race per family of experiments, on random data of the shapes that the experiment has: a graph
convolution, a convolutional classifier of digits, a GPT over characters, a reader of sentences and
a transformer that translates. Both sides make the same steps from the same weights.

    python benchmarks/training_families.py [--json out/training_families.json]
"""

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from race import Race, main, race
from torch import Tensor, nn

from corollary.data import erdos_renyi
from corollary.experiments.characters._characters import next_character_loss
from corollary.experiments.sentences.sentiment import Reader
from corollary.models.gcn import GCN
from corollary.models.lenet5 import LeNet5
from corollary.models.transformers.gpt import GPT
from corollary.models.transformers.translation import Transformer
from corollary.train import fit
from corollary.train.nodes import fit_nodes

Loss = Callable[[Tensor, Tensor], Tensor]


def adam(parameters) -> torch.optim.Optimizer:
    return torch.optim.Adam(parameters, lr=1e-3)


def bare(make: Callable[[], nn.Module], data: tuple[Tensor, ...], loss: Loss, batch: int) -> None:
    """One epoch: inputs and, last, the target."""
    model = make()
    optimizer = adam(model.parameters())
    order = torch.randperm(len(data[0]), generator=torch.Generator().manual_seed(0))
    for rows in order.split(batch):
        *x, y = (part[rows] for part in data)
        optimizer.zero_grad()
        value = loss(model(*x), y)
        value.backward()
        optimizer.step()
        value.item()  # a history needs it


def ours(make: Callable[[], nn.Module], data: tuple[Tensor, ...], loss: Loss, batch: int) -> None:
    fit(make(), data, loss, adam, epochs=1, batch_size=batch)


def epoch(title: str, make: Callable[[], nn.Module], data, loss: Loss, batch: int) -> Race:
    contenders = {"bare loop": bare, "fit": ours}
    return race(
        title,
        {name: partial(run, make, data, loss, batch) for name, run in contenders.items()},
        reference="bare loop",
        facts={"rows": len(data[0]), "steps": -(-len(data[0]) // batch)},
    )


def graphs() -> Race:
    rng = torch.Generator().manual_seed(0)
    graph = erdos_renyi(1000, 0.004, rng=rng)
    x, y = torch.randn(1000, 200, generator=rng), torch.randint(7, (1000,), generator=rng)
    known, steps = torch.arange(1000) < 140, 30

    def make() -> nn.Module:
        return GCN([200, 16, 7], dropout=0.5, rng=0, dtype=torch.float32)

    def by_hand() -> None:
        model = make()
        optimizer = adam(model.parameters())
        for _ in range(steps):
            optimizer.zero_grad()
            value = F.cross_entropy(model(x, graph)[known], y[known])
            value.backward()
            optimizer.step()
            value.item()

    return race(
        "Steps of a graph convolution on 1,000 nodes",
        {
            "bare loop": by_hand,
            "fit": lambda: fit_nodes(make(), graph, x, y, known, adam, steps=steps),
        },
        reference="bare loop",
        facts={"steps": steps},
    )


def images() -> Race:
    x, y = torch.randn(1280, 1, 28, 28), torch.randint(10, (1280,))
    make = partial(LeNet5, rng=0, dtype=torch.float32)
    return epoch("LeNet-5, batches of 128", make, (x, y), F.cross_entropy, 128)


def characters() -> Race:
    text = torch.randint(65, (48, 65))
    make = partial(GPT, 65, 128, 4, 2, max_len=64, fused=True, rng=0, dtype=torch.float32)
    data = (text[:, :-1], text[:, 1:])
    return epoch("GPT of two blocks, 12 windows of 64", make, data, next_character_loss, 12)


def sentences() -> Race:
    x, y = torch.randint(2, 2000, (150, 56)), torch.randint(2, (150,))

    def make() -> nn.Module:
        return Reader("CNN", 2000, torch.Generator().manual_seed(0))

    return epoch("CNN over sentences, batches of 50", make, (x, y), F.cross_entropy, 50)


def translations() -> Race:
    x, y = torch.randint(3, 1000, (128, 16)), torch.randint(3, 1000, (128, 16))
    make = partial(
        Transformer, 1000, 1000, d_model=64, heads=4, layers=1, rng=0, dtype=torch.float32
    )
    return epoch("Transformer, batches of 32 captions", make, (x, y, y), next_character_loss, 32)


if __name__ == "__main__":
    main(graphs, images, characters, sentences, translations)
