r"""Film reviews: a bag of words, a convolutional and a recurrent network.

Word vectors have 300 numbers, are random at the start, and are learned. The convolutional network
has 100 filters for each of 3, 4 and 5 words, a maximum over the sentence, and dropout 0.5. The
recurrent network is an LSTM with 150 units, a maximum over its states, and the same dropout.
Networks are trained by Adam with learning rate 1e-3 in batches of 50; the epoch with the smallest
validation loss counts.

:source: Kim (2014), "Convolutional neural networks for sentence classification", Table 2
    (CNN-rand); Socher et al. (2013), "Recursive deep models for semantic compositionality over a
    sentiment treebank", Table 1 (naive Bayes).
:cost: minutes
"""

from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from corollary.core import Curve, Experiment, Figure, Outcome, Published, Row
from corollary.data.sentences import rt_polarity, sst2
from corollary.experiments.sentences._words import PAD, numbered, vocabulary
from corollary.models.dropout import Dropout
from corollary.models.mlp import LinearLayer
from corollary.models.recurrent.cell import unroll
from corollary.models.recurrent.lstm import LSTMCell
from corollary.models.transformers.embedding import TokenEmbedding
from corollary.train.early_stopping import EarlyStopping
from corollary.train.trainer import fit

KIM = "Kim (2014), Table 2, CNN-rand"
SOCHER = "Socher et al. (2013), Table 1, naive Bayes"
LENGTH, WIDTH = 56, 300  # words of a sentence; numbers of a word
Net = Literal["bag of words", "CNN", "LSTM"]


class Opinions(Experiment):
    data: Literal["SST-2", "rt-polarity"] = "SST-2"  # which sentences
    net: Net = "CNN"  # which network
    epochs: int = 8  # at most
    sentences: int = 20_000  # that train, at most

    metric = "test accuracy in %"
    rows = (
        Row(
            "Bag of words, SST-2",
            Published(81.8, SOCHER, differs="the paper uses naive Bayes, trained on phrases too"),
            net="bag of words",
        ),
        Row("CNN, SST-2", Published(82.7, KIM, differs="the paper trains on phrases too")),
        Row("LSTM, SST-2", net="LSTM"),
        Row("Bag of words, rt-polarity", data="rt-polarity", net="bag of words"),
        Row(
            "CNN, rt-polarity",
            Published(76.1, KIM, differs="the paper uses ten-fold cross-validation"),
            data="rt-polarity",
        ),
        Row("LSTM, rt-polarity", data="rt-polarity", net="LSTM"),
    )
    seeds = 3
    quick = {"epochs": 1, "sentences": 200}

    def run(self, seed: int) -> Outcome:
        load = sst2 if self.data == "SST-2" else rt_polarity
        train, val, test = load("train"), load("val"), load("test")
        train = train[0][: self.sentences], train[1][: self.sentences]
        known = vocabulary(train[0])
        x, x_val, x_test = (numbered(part[0], known, LENGTH) for part in (train, val, test))
        y, y_val, y_test = (torch.tensor(part[1]) for part in (train, val, test))
        net = Reader(self.net, len(known) + 2, torch.Generator().manual_seed(seed))

        def validation(net: nn.Module) -> float:
            with torch.no_grad():
                return float(F.cross_entropy(net(x_val), y_val))

        stop = EarlyStopping(validation, patience=3)
        history = fit(
            net,
            (x, y),
            F.cross_entropy,
            lambda parameters: torch.optim.Adam(parameters, lr=1e-3),
            epochs=self.epochs,
            batch_size=50,
            rng=seed,
            callbacks=[stop],
        )
        net.eval()
        with torch.no_grad():
            right = net(x_test).argmax(1) == y_test
        curve = Curve(history["validation"], label="validation")
        loss = Figure("Loss while training", x="epoch", y="cross entropy", marks=(curve,))
        return Outcome(100 * float(right.float().mean()), (loss,))


class Reader(nn.Module):
    """A network from word numbers to the logits of two classes."""

    def __init__(self, kind: Net, words: int, rng: Generator) -> None:
        super().__init__()
        how: dict[str, Any] = {"rng": rng, "dtype": torch.float32}
        self.kind = kind
        self.table = TokenEmbedding(words, WIDTH, "none", **how)
        with torch.no_grad():
            self.table.E.mul_(0.1)
        if kind == "CNN":
            self.filters = nn.ModuleList(_filter(size, rng) for size in (3, 4, 5))
        elif kind == "LSTM":
            self.cell = LSTMCell(WIDTH, 150, remember=1.0, **how)
        features = {"bag of words": WIDTH, "CNN": 300, "LSTM": 150}[kind]
        self.dropout = Dropout(0.5)
        self.head = LinearLayer(features, 2, bias=True, **how)

    def forward(self, ids: Int[Tensor, "n t"]) -> Float[Tensor, "n 2"]:
        """Logits."""
        there = (ids != PAD)[..., None]
        z = self.table(ids) * there
        if self.kind == "bag of words":
            z = z.sum(1) / there.sum(1).clamp_min(1)
        elif self.kind == "CNN":
            z = torch.cat([F.relu(f(z.mT)).amax(2) for f in self.filters], dim=1)
        else:
            states, _ = unroll(self.cell, z, there.sum((1, 2)))
            z = states.masked_fill(~there, -1.0).amax(1)
        logits: Tensor = self.head(self.dropout(z))
        return logits


def _filter(size: int, rng: Generator) -> nn.Conv1d:
    layer = nn.Conv1d(WIDTH, 100, size, padding=size - 1)
    nn.init.normal_(layer.weight, std=(WIDTH * size) ** -0.5, generator=rng)
    assert layer.bias is not None  # the default
    nn.init.zeros_(layer.bias)
    return layer
