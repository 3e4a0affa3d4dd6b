r"""The gain of pre-training: a small BERT on film reviews.

A transformer encoder (two blocks, width 128, four heads) first learns to fill in hidden words of
35,920 sentences without labels: the training sentences of SST-2 and the English captions of
Multi30k. It is then fine-tuned on the labels of SST-2; the epoch with the smallest validation loss
counts. The same encoder is also trained on the labels alone, from the same initial weights. The
value is the difference of the two test accuracies. The published gains are of far larger networks
and texts.

:source: Devlin, Chang, Lee and Toutanova (2019), "BERT: pre-training of deep bidirectional
    transformers for language understanding", Sections 3.1 and 5.1.
:cost: minutes
"""

import copy
from typing import Any

import torch
from jaxtyping import Int
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from corollary.core import Curve, Experiment, Figure, Outcome, Row
from corollary.data.masked_tokens import IGNORED, mlm_corrupt
from corollary.data.sentences import multi30k, sst2
from corollary.experiments.sentences._words import PAD, numbered, vocabulary
from corollary.models.transformers.bert import MiniBERT
from corollary.train.early_stopping import EarlyStopping
from corollary.train.trainer import fit

LENGTH = 40  # words of a sentence with its first token


class Pretraining(Experiment):
    width: int = 128  # numbers of a word
    sentences: int = 35_920  # of the pre-training, at most
    labelled: int = 6920  # of the fine-tuning, at most
    epochs: int = 5  # of the pre-training
    tuning: int = 6  # epochs of the fine-tuning, at most

    metric = "gain of test accuracy in points"
    rows = (Row("BERT with two blocks, SST-2"),)
    seeds = 3
    quick = {"width": 32, "sentences": 300, "labelled": 200, "epochs": 1, "tuning": 1}

    def run(self, seed: int) -> Outcome:
        labelled, val, test = sst2("train"), sst2("val"), sst2("test")
        train = labelled[0][: self.labelled], labelled[1][: self.labelled]
        text = [*labelled[0], *multi30k("train")[1]][: self.sentences]
        known = vocabulary(text, least=2)
        cls, mask = len(known) + 2, len(known) + 3
        data = [_with_first(part[0], known, cls) for part in (train, val, test)]
        labels = [torch.tensor(part[1]) for part in (train, val, test)]
        rng = torch.Generator().manual_seed(seed)
        size: dict[str, Any] = {"heads": 4, "max_len": LENGTH, "dropout": 0.1}
        bert = MiniBERT(mask + 1, 2, self.width, rng=rng, dtype=torch.float32, **size)
        untrained = copy.deepcopy(bert)
        ids = _with_first(text, known, cls)
        losses = _fill_in(bert, ids, mask, (PAD, cls), epochs=self.epochs, seed=seed)
        found = {
            name: _fine_tuned(net, data, labels, epochs=self.tuning, seed=seed)
            for name, net in (("pre-trained", bert), ("from scratch", untrained))
        }
        curve = Curve(losses, label="training")
        figure = Figure("Loss of filling in", x="step", y="nats per hidden word", marks=(curve,))
        numbers = {f"test accuracy in %, {name}": value for name, value in found.items()}
        gain = found["pre-trained"] - found["from scratch"]
        return Outcome(gain, (figure,), numbers=numbers)


def _with_first(sentences: list[str], known: dict[str, int], cls: int) -> Int[Tensor, "n t"]:
    rows = numbered(sentences, known, LENGTH - 1)
    return torch.cat([torch.full((len(rows), 1), cls), rows], dim=1)


def _fill_in(
    bert: MiniBERT,
    ids: Int[Tensor, "n t"],
    mask: int,
    special: tuple[int, ...],
    *,
    epochs: int,
    seed: int,
) -> list[float]:
    """Train on hidden words, other ones in each batch; the losses."""
    head = bert.with_head("mlm", rng=torch.Generator().manual_seed(seed))
    draw = torch.Generator().manual_seed(seed)

    def hidden(model: nn.Module, loss: Any, x: Tensor, _: Tensor) -> Any:
        x = x[:, : int((x != PAD).sum(1).max())]
        shown, label = mlm_corrupt(
            x, vocab_size=mask + 1, mask_id=mask, special_ids=special, rng=draw
        )
        return loss(model(shown, there=x != PAD), label)

    def loss(logits: Tensor, label: Tensor) -> Tensor:
        return F.cross_entropy(logits.flatten(0, 1), label.flatten(), ignore_index=IGNORED)

    history = fit(
        head,
        (ids, ids),
        loss,
        lambda parameters: torch.optim.AdamW(parameters, lr=5e-4, weight_decay=0.01),
        epochs=epochs,
        batch_size=64,
        rng=seed,
        clip=1.0,
        call=hidden,
    )
    return history["loss"]


def _fine_tuned(
    bert: MiniBERT, data: list[Tensor], labels: list[Tensor], *, epochs: int, seed: int
) -> float:
    """Test accuracy in per cent at the epoch with the smallest validation loss."""
    (x, x_val, x_test), (y, y_val, y_test) = data, labels
    net = bert.with_head("classes", rng=Generator().manual_seed(seed))

    def validation(net: nn.Module) -> float:
        with torch.no_grad():
            return float(F.cross_entropy(net(x_val, there=x_val != PAD), y_val))

    def read(net: nn.Module, loss: Any, x: Tensor, y: Tensor) -> Any:
        x = x[:, : int((x != PAD).sum(1).max())]
        return loss(net(x, there=x != PAD), y)

    fit(
        net,
        (x, y),
        F.cross_entropy,
        lambda parameters: torch.optim.AdamW(parameters, lr=2e-4, weight_decay=0.01),
        epochs=epochs,
        batch_size=32,
        rng=seed,
        clip=1.0,
        call=read,
        callbacks=[EarlyStopping(validation, patience=3)],
    )
    net.eval()
    with torch.no_grad():
        right = net(x_test, there=x_test != PAD).argmax(1) == y_test
    return 100 * float(right.float().mean())
