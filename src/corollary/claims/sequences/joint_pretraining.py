r"""Joint pre-training, not two stages.

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
:covers: bert-encoder
:erratum: [wrong] The notes describe BERT's pre-training as two stages; it is one run on the sum of
    both losses. Trained in two stages, the small BERT here forgets much of what it had learned of
    masked tokens: its loss rises by more than half a nat, that of the joint run does not.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

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
from corollary.data.masked_tokens import mlm_corrupt
from corollary.data.sentence_pairs import nsp_pairs
from corollary.data.small_language import bert_inputs, documents, tokenizer
from corollary.models.transformers.bert import BertForPretraining, MiniBERT
from corollary.train import fit
from corollary.train.loop import Loop

LENGTH, WIDTH, HEADS = 19, 32, 4  # tokens of the longest pair; the size of the model
LOOKS = 10  # how often a stage is looked at

Task = tuple[Tensor, ...]  # ids, segments, there, labels of hidden tokens, follows


class Run(NamedTuple):
    """Losses on the masked tokens of fresh text along training, the start first."""

    joint: list[float]
    first_stage: list[float]
    second_stage: list[float]


class Given(NamedTuple):
    """Independent runs, and whether the second stage changed the encoder."""

    runs: list[Run]
    frozen: bool


class JointPretraining(Claim[Given]):
    seeds: int = option(4, low=2, high=20)  # independent runs
    steps: int = 200  # steps for each task
    pairs: int = option(2000, low=64)  # pairs of sentences to learn from
    margin: float = option(0.3, low=0.0)  # nats by which two stages are worse
    relation = at_least(level=0.95)  # the mean over the runs, with a Student interval

    def given(self, rng: Generator) -> Given:
        """Both ways to train, from the same start and on the same text."""
        return Given([self._run(rng, False) for _ in range(self.seeds)], False)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The second stage trains everything."""
        yield Hypothesis("the second stage trains the encoder too", not given.frozen)

    def predict(self, given: Given) -> float:
        """How much worse, at least."""
        return self.margin

    def measure(self, given: Given) -> Sample:
        """The difference of the losses of each run."""
        return Sample([run.second_stage[-1] - run.joint[-1] for run in given.runs])

    def counterexample(self, rng: Generator) -> Given:
        """A second stage that trains the classifier alone forgets nothing."""
        return Given([self._run(rng, True) for _ in range(self.seeds)], True)

    def figure(self, given: Given) -> Figure:
        """The losses along both ways: the mean of the runs and their range."""
        joint = [run.joint for run in given.runs]
        staged = [run.first_stage + run.second_stage[1:] for run in given.runs]
        once = [0, *self._looks()]
        twice = once + [self.steps + step for step in self._looks()]
        end = sum(losses[-1] for losses in joint) / len(joint)
        return Figure(
            "Two stages forget, one run does not",
            x="steps",
            y="loss on masked tokens, nats",
            marks=(
                *_drawn(twice, staged, "two stages", "measured"),
                *_drawn(once, joint, "joint run", "other"),
                Level(end + self.margin, label=f"end of the joint run + {self.margin:g}"),
                Level(self.steps, label="the second stage begins", role="other", axis="x"),
            ),
        )

    def _looks(self) -> list[int]:
        """The steps after which the loss is noted."""
        return sorted({-(-self.steps * i // LOOKS) for i in range(1, LOOKS + 1)})

    def _run(self, rng: Generator, frozen: bool) -> Run:
        train, test = _task(self.pairs, rng), _task(500, rng)
        seed = int(torch.randint(2**31, (), generator=rng, device=rng.device))
        both, staged = _model(seed), _model(seed)
        joint = self._fit(both, train, test, seed, ("mlm", "nsp"))
        first = self._fit(staged, train, test, seed, ("mlm",))
        if frozen:
            staged.bert.requires_grad_(False)
        return Run(joint, first, self._fit(staged, train, test, seed + 1, ("nsp",)))

    def _fit(
        self, model: BertForPretraining, data: Task, test: Task, seed: int, tasks: tuple[str, ...]
    ) -> list[float]:
        """Train; losses on the masked tokens of the test before, now and then, and at the end."""
        losses, looks = [_loss(model, test)], self._looks()

        def value(model: BertForPretraining, loss: object, *batch: Tensor) -> Tensor:
            *inputs, labels, follows = batch
            words, sentence = model(*inputs)
            parts = {"mlm": model.mlm.loss(words, labels), "nsp": model.nsp.loss(sentence, follows)}
            return sum(parts[task] for task in tasks)

        def look(loop: Loop) -> None:
            if loop.step in looks:
                losses.append(_loss(model, test))

        fit(model, data, sum, _adam, steps=self.steps, batch_size=64, rng=seed, call=value,
            callbacks=[look])  # fmt: skip
        return losses


def _drawn(steps: list[int], runs: list[list[float]], label: str, role: str) -> tuple[Band, Curve]:
    columns = list(zip(*runs, strict=True))
    low, high = [min(c) for c in columns], [max(c) for c in columns]
    return (
        Band(steps, low, high, label=f"{label}, all runs", role=role),
        Curve([sum(c) / len(c) for c in columns], steps, label=label, role=role),
    )


def _adam(parameters: list[Tensor]) -> torch.optim.Optimizer:
    return torch.optim.Adam(parameters, lr=3e-3, fused=True)


def _task(n: int, rng: Generator) -> Task:
    """Pairs of sentences with hidden tokens."""
    corpus = [[s.text for s in document] for document in documents(max(n // 4, 1), 4, rng=rng)]
    pairs = nsp_pairs(corpus, n, rng=rng)
    inputs = bert_inputs([p.first for p in pairs], [p.second for p in pairs], length=LENGTH)
    words = tokenizer()
    special = [words.vocabulary.id(name) for name in words.specials]
    hidden, labels = mlm_corrupt(
        inputs.ids, vocab_size=len(words.vocabulary), mask_id=words.vocabulary.id("[MASK]"),
        special_ids=special, rng=rng,
    )  # fmt: skip
    follows = torch.tensor([int(p.follows) for p in pairs])
    return hidden, inputs.segments, inputs.there, labels, follows


def _model(seed: int) -> BertForPretraining:
    rng = torch.Generator().manual_seed(seed)
    vocab = len(tokenizer().vocabulary)
    bert = MiniBERT(
        vocab, 1, WIDTH, heads=HEADS, max_len=LENGTH, rng=rng, dtype=torch.float32
    )  # float32: speed, and nothing here is exact
    return BertForPretraining(bert, rng=rng)


@torch.no_grad()
def _loss(model: BertForPretraining, data: Task) -> float:
    *inputs, labels, _ = data
    return float(model.mlm.loss(model(*inputs)[0], labels))
