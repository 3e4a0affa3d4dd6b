r"""Joint pre-training forgets less than training in two stages.

BERT minimises the sum of two losses in one run,

.. math:: \mathcal L = \mathcal L_{\text{masked tokens}} + \mathcal L_{\text{next sentence}} .

The same steps taken one after the other, all on the first loss and then all on the second, do not
give the same model: while the encoder is trained on the second task it forgets the first. In a
small language, from the same start and with as many steps for each task in both ways, the loss on
masked tokens of fresh text ends at least ``margin`` higher after the two stages than after the
joint run.

:source: Perez Jensen (2025), Deep Learning, Section 6.5; Devlin, Chang, Lee, Toutanova (2018),
    BERT: pre-training of deep bidirectional transformers, Appendix A.2; McCloskey, Cohen (1989),
    Catastrophic interference in connectionist networks.
:kind: experiment
:cost: minutes
:uses: masked_token_rates, next_sentence_pairs
:covers: bert-encoder
:loose: The margin requires a clear difference; in single runs, the loss rises by 0.6 to 1.8 nats.
:erratum: [wrong] The notes describe BERT's pre-training as two stages; it is one run on the sum of
    both losses. Trained in two stages, the small BERT here forgets much of what it had learned of
    masked tokens: its loss rises by more than half a nat, that of the joint run does not.
"""

import copy
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Sample, Suppose, Trial, at_least, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.data.masked_tokens import mlm_corrupt
from corollary.data.sentence_pairs import nsp_pairs
from corollary.data.small_language import bert_inputs, documents, tokenizer
from corollary.models.transformers.bert import BertForPretraining, MiniBERT
from corollary.train import fit
from corollary.train.loop import Loop

LENGTH, WIDTH, HEADS = 19, 32, 4  # tokens of the longest pair; the size of the model
LOOKS = 10  # how often a stage is looked at

Task = tuple[Tensor, ...]  # ids, segments, there, labels of hidden tokens, follows


class Given(NamedTuple):
    tasks: list[tuple[Task, Task]]  # to learn from and to test on, for each run
    models: list[BertForPretraining]  # for two stages; the joint runs start from the same weights
    rate: float  # of the encoder in the second stage, in units of that of the classifier


class Run(NamedTuple):
    """Losses on the masked tokens of fresh text along training, the start first."""

    joint: list[float]
    first_stage: list[float]
    second_stage: list[float]


class JointPretraining(Claim[Given]):
    seeds: int = option(8, low=2, high=20)  # independent runs
    steps: int = 200  # steps for each task
    pairs: int = option(2000, low=64)  # pairs of sentences to learn from
    margin: float = option(0.5, low=0.0)  # nats by which two stages are worse

    relation = at_least(level=0.95)  # the mean over the runs, with a Student interval
    supposes = Suppose(
        "the second stage trains the encoder too",
        lambda g: g.rate,
        "If the second stage trains only the classifier, nothing is forgotten.",
        rate=0.0,
    )
    symbols = "margin", "loss after two stages minus loss after the joint run"

    def given(self, rng: Generator) -> Given:
        tasks = [(task(self.pairs, rng), task(500, rng)) for _ in range(self.seeds)]
        return Given(tasks, [model(rng) for _ in tasks], 1.0)

    def predict(self, given: Given) -> float:
        return self.margin

    def measure(self, given: Given, rng: Generator) -> Kept:
        runs = [
            self.run(net, *task, given.rate, rng)
            for net, task in zip(given.models, given.tasks, strict=True)
        ]
        return Kept(Sample([run.second_stage[-1] - run.joint[-1] for run in runs]), runs=runs)

    def run(
        self, start: BertForPretraining, train: Task, test: Task, rate: float, rng: Generator
    ) -> Run:
        """Both ways to train, from the same start and on the same text."""
        seed = int(torch.randint(2**31, (), generator=rng))
        both, staged = copy.deepcopy(start), copy.deepcopy(start)
        joint = self.fit(both, train, test, seed, ("mlm", "nsp"))
        first = self.fit(staged, train, test, seed, ("mlm",))
        staged.bert.requires_grad_(rate > 0)
        return Run(joint, first, self.fit(staged, train, test, seed + 1, ("nsp",)))

    @property
    def looks(self) -> list[int]:
        """The steps after which the loss is noted."""
        return sorted({-(-self.steps * i // LOOKS) for i in range(1, LOOKS + 1)})

    def fit(
        self, net: BertForPretraining, data: Task, test: Task, seed: int, tasks: tuple[str, ...]
    ) -> list[float]:
        """Train; losses on the masked tokens of the test before, now and then, and at the end."""

        @torch.no_grad()
        def tested() -> float:
            *inputs, labels, _ = test
            return float(net.mlm.loss(net(*inputs)[0], labels))

        def value(net: BertForPretraining, loss: object, *batch: Tensor) -> Tensor:
            *inputs, labels, follows = batch
            words, sentence = net(*inputs)
            parts = {"mlm": net.mlm.loss(words, labels), "nsp": net.nsp.loss(sentence, follows)}
            return torch.stack([parts[task] for task in tasks]).sum()

        def look(loop: Loop) -> None:
            if loop.step in self.looks:
                losses.append(tested())

        losses, adam = [tested()], partial(torch.optim.Adam, lr=3e-3, fused=True)
        size: dict[str, Any] = {"steps": self.steps, "batch_size": 64}
        fit(net, data, sum, adam, **size, rng=seed, call=value, callbacks=[look])
        return losses

    @picture(
        "Loss on masked tokens: two stages and the joint run",
        x="steps",
        y="loss on masked tokens, nats",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        runs, once = trial.kept.runs, [0, *self.looks]
        twice = once + [self.steps + step for step in self.looks]
        end = sum(run.joint[-1] for run in runs) / len(runs)
        for i, run in enumerate(runs):
            staged = run.first_stage + run.second_stage[1:]
            yield Curve(staged, twice, f"two stages, run {i + 1}")
            yield Curve(run.joint, once, f"joint, run {i + 1}", "other")
        yield Level(end + self.margin, label=f"end of the joint runs + {self.margin:g}")
        yield Level(self.steps, label="the second stage begins", role="other", axis="x")


def task(n: int, rng: Generator) -> Task:
    """Pairs of sentences with hidden tokens."""
    corpus = [[s.text for s in document] for document in documents(max(n // 4, 1), 4, rng=rng)]
    pairs, words = nsp_pairs(corpus, n, rng=rng), tokenizer()
    inputs = bert_inputs([p.first for p in pairs], [p.second for p in pairs], length=LENGTH)
    special = [words.vocabulary.id(name) for name in words.specials]
    ids: dict[str, Any] = {"mask_id": words.vocabulary.id("[MASK]"), "special_ids": special}
    hidden, labels = mlm_corrupt(inputs.ids, vocab_size=len(words.vocabulary), **ids, rng=rng)
    follows = torch.tensor([int(p.follows) for p in pairs])
    return hidden, inputs.segments, inputs.there, labels, follows


def model(rng: Generator) -> BertForPretraining:
    """In float32: nothing here is exact."""
    size: dict[str, Any] = {"heads": HEADS, "max_len": LENGTH, "dtype": torch.float32}
    return BertForPretraining(
        MiniBERT(len(tokenizer().vocabulary), 1, WIDTH, **size, rng=rng), rng=rng
    )
