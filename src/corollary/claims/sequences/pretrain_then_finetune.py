r"""Pre-training increases the accuracy of fine-tuning with few labels.

An encoder that has learned to guess hidden words of plain text needs few labels. Text in which
friendly verbs stand beside friendly adverbs teaches which verbs are alike; fine-tuned on sentences
with *four* of the sixteen verbs, the pre-trained encoder also classifies sentences with the other
twelve, while the same network trained on the labels alone has to guess:

.. math:: \text{accuracy}_{\text{pre-trained}} - \text{accuracy}_{\text{from scratch}}
    \ge \text{margin} .

The gain is as good as the text: where verbs of both moods stand in the same places, there is
nothing to transfer.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Sections 3 and 5.1.
:kind: experiment
:cost: minutes
:uses: masked_token_rates
:covers: bert-encoder, bert-sentiment-head, masked-language-modeling
:loose: The margin requires a clear gain; single runs gain between 0.2 and 0.55.
"""

import copy
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_least, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.data.masked_tokens import mlm_corrupt
from corollary.data.small_language import (
    ADVERBS,
    VERBS,
    Sentence,
    bert_inputs,
    documents,
    tokenizer,
)
from corollary.models.transformers.bert import MiniBERT
from corollary.train import fit

LENGTH, WIDTH, HEADS = 10, 32, 4
CHOICES = 4  # draws of the labelled verbs per run: twelve guesses alone spread by 0.15

Labelled = tuple[Tensor, Tensor, Tensor, Tensor]  # ids, segments, there, moods


class Given(NamedTuple):
    text: list[list[Sentence]]  # plain text of each run


def shows_moods(given: Given) -> float:
    """The share of sentences with an adverb of their own mood, less that of the other mood."""
    text = [sentence for run in given.text for sentence in run]
    own, other = (
        sum(bool(set(s.words) & set(ADVERBS[s.friendly == same])) for s in text)
        for same in (True, False)
    )
    return (own - other) / len(text)


class PretrainThenFinetune(Claim[Given]):
    seeds: int = option(8, low=2, high=20)  # independent runs
    sentences: int = option(4000, low=64)  # sentences of plain text
    steps: int = 900  # steps of pre-training
    labels: int = option(64, low=8)  # labelled sentences
    margin: float = option(0.15, low=0.0, high=1.0)  # gain of accuracy

    relation = at_least(level=0.95)  # the mean gain over the runs, with a Student interval
    supposes = Suppose(
        "in the plain text adverbs show the mood of the verb",
        shows_moods,
        "In text without adverbs, all verbs appear in the same contexts.",
        lambda self, rng: self.plain(False, rng),
    )
    symbols = "margin", "gain of accuracy by pre-training"

    def given(self, rng: Generator) -> Given:
        return self.plain(True, rng)

    def plain(self, adverbs: bool, rng: Generator) -> Given:
        """Sentences for each run."""
        text = [documents(self.sentences, 1, adverbs=adverbs, rng=rng) for _ in range(self.seeds)]
        return Given([[document[0] for document in run] for run in text])

    def predict(self, given: Given) -> float:
        return self.margin

    def measure(self, given: Given, rng: Generator) -> Kept:
        read, scratch = zip(*(self.run(text, rng) for text in given.text), strict=True)
        gains = [a - b for a, b in zip(read, scratch, strict=True)]
        return Kept(Sample(gains), read=read, scratch=scratch)

    def run(self, text: list[Sentence], rng: Generator) -> tuple[float, float]:
        """Accuracies on verbs without labels, pre-trained and from scratch."""
        size: dict[str, Any] = {"heads": HEADS, "max_len": LENGTH, "dtype": torch.float32}
        fresh = MiniBERT(len(tokenizer().vocabulary), 1, WIDTH, **size, rng=rng)
        read = copy.deepcopy(fresh)
        self.pretrain(read, text, rng)
        total = torch.zeros(2, dtype=torch.float64)
        for _ in range(CHOICES):
            few, others = split_verbs(rng)
            train, test = labelled(self.labels, few, rng), labelled(600, others, rng)
            seed = int(torch.randint(2**31, (), generator=rng))
            total += torch.tensor([finetuned(bert, train, test, seed) for bert in (read, fresh)])
        accuracies: list[float] = (total / CHOICES).tolist()
        return accuracies[0], accuracies[1]

    def pretrain(self, bert: MiniBERT, text: list[Sentence], rng: Generator) -> None:
        """Guess hidden words."""
        words = tokenizer().vocabulary
        inputs = bert_inputs([sentence.text for sentence in text], length=LENGTH)
        special = [words.id(name) for name in tokenizer().specials]
        ids: dict[str, Any] = {"mask_id": words.id("[MASK]"), "special_ids": special}
        hidden, labels = mlm_corrupt(inputs.ids, vocab_size=len(words), **ids, rng=rng)
        task = bert.with_head("mlm", rng=rng)
        data, adam = (
            (hidden, inputs.segments, inputs.there, labels),
            partial(torch.optim.Adam, lr=5e-3),
        )
        fit(task, data, task.loss, adam, steps=self.steps, batch_size=64, rng=rng)

    @picture(
        "Few labels are enough after pre-training",
        x="accuracy from scratch",
        y="accuracy pre-trained",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        read, scratch = trial.kept.read, trial.kept.scratch
        ends = [min(scratch) - 0.02, max(scratch) + 0.02]
        more = [end + self.margin for end in ends]
        yield Curve(more, ends, label=f"from scratch + {self.margin:g}", role="predicted")
        yield Curve(ends, ends, label="no gain", role="other", dashed=True)
        yield Points(scratch, read, label="a run: verbs without labels")


def split_verbs(rng: Generator) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of each mood a verb proper and one that is also a noun, to be labelled; and the others."""
    places = torch.randint(4, (2, 2), generator=rng).tolist()
    few = [VERBS[mood][4 * half + places[mood][half]] for mood in (True, False) for half in (0, 1)]
    return tuple(few), tuple(v for mood in VERBS for v in VERBS[mood] if v not in few)


def labelled(n: int, verbs: tuple[str, ...], rng: Generator) -> Labelled:
    """Sentences without adverbs, and whether they are friendly."""
    sentences = [d[0] for d in documents(n, 1, adverbs=False, verbs=verbs, rng=rng)]
    inputs = bert_inputs([sentence.text for sentence in sentences], length=LENGTH)
    return *inputs, torch.tensor([int(sentence.friendly) for sentence in sentences])


def finetuned(bert: MiniBERT, train: Labelled, test: Labelled, seed: int) -> float:
    """Accuracy after all weights of a copy were tuned on the labels."""
    task = copy.deepcopy(bert).with_head(
        "classes", classes=2, rng=torch.Generator().manual_seed(seed)
    )
    adam = partial(torch.optim.Adam, lr=1e-3)
    fit(task, train, task.loss, adam, steps=60, batch_size=32, rng=seed)
    with torch.no_grad():
        return float((task(*test[:3]).argmax(dim=1) == test[3]).double().mean())
