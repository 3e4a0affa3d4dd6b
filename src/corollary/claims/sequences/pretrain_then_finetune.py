r"""Pre-train, then fine-tune.

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
:covers: bert-encoder, bert-sentiment-head, masked-language-modeling
"""

import copy
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Sample, at_least, option
from corollary.data.masked_tokens import mlm_corrupt
from corollary.data.small_language import VERBS, bert_inputs, documents, tokenizer
from corollary.models.transformers.bert import MiniBERT
from corollary.train import fit
from corollary.train.preparation import MakeOptimizer

LENGTH, WIDTH, HEADS = 10, 32, 4
LABELLED = VERBS[True][:1] + VERBS[True][4:5] + VERBS[False][:1] + VERBS[False][4:5]
OTHERS = tuple(v for mood in VERBS for v in VERBS[mood] if v not in LABELLED)
RATE = 5e-3  # of Adam, in pre-training

Labelled = tuple[Tensor, Tensor, Tensor, Tensor]  # ids, segments, there, moods


class Given(NamedTuple):
    """Accuracies on verbs without labels, run by run, and whether the text showed moods."""

    pretrained: list[float]
    scratch: list[float]
    adverbs: bool


class PretrainThenFinetune(Claim[Given]):
    seeds: int = option(5, low=2, high=20)  # independent runs
    sentences: int = option(4000, low=64)  # sentences of plain text
    steps: int = 900  # steps of pre-training
    labels: int = option(64, low=8)  # labelled sentences
    margin: float = option(0.15, low=0.0, high=1.0)  # gain of accuracy
    relation = at_least(level=0.95)  # the mean gain over the runs, with a Student interval

    def given(self, rng: Generator) -> Given:
        """Plain text with adverbs."""
        return self._runs(True, rng)

    def _runs(self, adverbs: bool, rng: Generator) -> Given:
        pairs = [self._run(adverbs, rng) for _ in range(self.seeds)]
        pretrained, scratch = zip(*pairs, strict=True)
        return Given(list(pretrained), list(scratch), adverbs)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The text tells moods apart."""
        yield Hypothesis("in the plain text adverbs show the mood of the verb", given.adverbs)

    def predict(self, given: Given) -> float:
        """The least gain."""
        return self.margin

    def measure(self, given: Given) -> Sample:
        """The gain of each run."""
        return Sample([a - b for a, b in zip(given.pretrained, given.scratch, strict=True)])

    def counterexample(self, rng: Generator) -> Given:
        """Plain text without adverbs: all verbs stand in the same places."""
        return self._runs(False, rng)

    def figure(self, given: Given) -> Figure:
        """Every run, from scratch against pre-trained."""
        low, high = min(given.scratch) - 0.02, max(given.scratch) + 0.02
        return Figure(
            "Few labels are enough for a network that has read",
            x="accuracy from scratch",
            y="accuracy pre-trained",
            marks=(
                Curve([low + self.margin, high + self.margin], [low, high],
                      label=f"from scratch + {self.margin:g}", role="predicted"),
                Curve([low, high], [low, high], label="no gain", role="other", dashed=True),
                Points(given.scratch, given.pretrained, label="a run: verbs without labels"),
            ),
        )  # fmt: skip

    def _run(self, adverbs: bool, rng: Generator) -> tuple[float, float]:
        seed = int(torch.randint(2**31, (), generator=rng, device=rng.device))
        words = tokenizer()
        fresh = MiniBERT(
            len(words.vocabulary), 1, WIDTH, heads=HEADS, max_len=LENGTH, rng=rng,
            dtype=torch.float32,
        )  # fmt: skip
        read = copy.deepcopy(fresh)
        self._pretrain(read, adverbs, seed, rng)
        train, test = _labelled(self.labels, LABELLED, rng), _labelled(600, OTHERS, rng)
        return _finetuned(read, train, test, seed), _finetuned(fresh, train, test, seed)

    def _pretrain(self, bert: MiniBERT, adverbs: bool, seed: int, rng: Generator) -> None:
        words = tokenizer()
        text = documents(self.sentences, 1, adverbs=adverbs, rng=rng)
        inputs = bert_inputs([document[0].text for document in text], length=LENGTH)
        special = [words.vocabulary.id(name) for name in words.specials]
        hidden, labels = mlm_corrupt(
            inputs.ids, vocab_size=len(words.vocabulary), special_ids=special,
            mask_id=words.vocabulary.id("[MASK]"), rng=rng,
        )  # fmt: skip
        task = bert.with_head("mlm", rng=rng)
        data = (hidden, inputs.segments, inputs.there, labels)
        fit(task, data, task.loss, _adam(RATE), steps=self.steps, batch_size=64, rng=seed)


def _adam(lr: float) -> MakeOptimizer:
    return lambda parameters: torch.optim.Adam(parameters, lr=lr, fused=True)


def _labelled(n: int, verbs: tuple[str, ...], rng: Generator) -> Labelled:
    """Sentences without adverbs, and whether they are friendly."""
    sentences = [d[0] for d in documents(n, 1, adverbs=False, verbs=verbs, rng=rng)]
    inputs = bert_inputs([sentence.text for sentence in sentences], length=LENGTH)
    return *inputs, torch.tensor([int(sentence.friendly) for sentence in sentences])


def _finetuned(bert: MiniBERT, train: Labelled, test: Labelled, seed: int) -> float:
    """Accuracy after all weights were tuned on the labels."""
    task = bert.with_head("classes", classes=2, rng=torch.Generator().manual_seed(seed))
    fit(task, train, task.loss, _adam(1e-3), steps=60, batch_size=32, rng=seed)
    with torch.no_grad():
        return float((task(*test[:3]).argmax(dim=1) == test[3]).double().mean())
