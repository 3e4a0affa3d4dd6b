"""Train mode and eval mode.

Batch normalisation uses the batch's statistics in training and its running ones in eval mode; if
these disagree, the network that is tested is not the one that was trained. Dropout differs by
design, and its difference is shown without blame.

:source: Ioffe and Szegedy (2015), "Batch normalization", Section 3.1, on inference.
:kind: exam
:cost: instant
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import counted, rounded
from corollary.theory.modules.trace import executed

SAMPLES, FEW = 256, 4
# Running statistics are an average over about 10 batches, each off by 1/sqrt(batch) in mean and
# sqrt(2/batch) in variance: below a fifth of the output's size even at batches of 8.
FAR = 0.2


class Modes(Exam):
    """The output in train mode against the output in eval mode, dropout off in both."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Only for modules that behave differently in the two modes."""
        batch = subject.data(SAMPLES)
        norms = {n: m for n, m in subject.model.named_modules() if _tracks(m)}
        with subject.borrowed(train=True):
            drops = _drops(subject)
        with subject.borrowed():
            always = _drops(subject)
        yield from self._as_given(subject)
        if not norms and not drops:
            raise NotApplicableError("nothing it does differs between training and evaluation")
        if drops:
            yield self.finding(
                "Dropout",
                where=drops[0],
                value=counted(len(drops)),
                unit="place" if len(drops) == 1 else "places",
                meaning="It is active in eval mode too, where it should be off."
                if always
                else "Active in training and off in eval mode, as dropout should be.",
            )
        trained = {n: m for n, m in norms.items() if int(m.num_batches_tracked) > 0}
        if not trained:
            return
        with subject.borrowed(), torch.no_grad():
            still = subject.output(batch)
            for norm in norms.values():
                norm.train()
            moving = subject.output(batch)
        gap = _distance(still, moving)
        yield self.finding(
            "Running statistics do not match the data" if gap > FAR else "Running statistics",
            severity=Severity.MEDIUM if gap > FAR else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            where=next(iter(trained)),
            quantity="difference between train and eval mode",
            value=rounded(gap),
            unit="times the outputs' spread",
            expected=f"at most {FAR:g}",
            meaning="In eval mode the network computes something other than what was trained."
            if gap > FAR
            else "Batch statistics and running statistics agree.",
            advice="Run the training set through the network in train mode to estimate the "
            "statistics again, or continue training with data like this."
            if gap > FAR
            else "",
        )

    def _as_given(self, subject: Subject) -> Iterator[Finding]:
        """Parts that were handed over in another mode than the whole."""
        modes = subject.modes_given
        whole = modes.get("", False)
        others = [name for name, mode in modes.items() if mode != whole]
        if others:
            yield self.finding(
                "Some modules are in another mode than the network",
                severity=Severity.LOW,
                where=others[0],
                value=counted(len(others)),
                unit=f"of {len(modes)} modules",
                meaning=f"The network was handed over in {_mode(whole)} mode, and these modules in "
                f"{_mode(not whole)} mode; the next train() or eval() changes that.",
                advice="If that is intended, override train() so that it lasts; otherwise call "
                "model.train() before training and model.eval() before testing.",
            )


def _mode(training: bool) -> str:
    return "train" if training else "eval"


def _drops(subject: Subject) -> list[str]:
    """Where numbers are dropped in the present mode, by what is executed."""
    batch = subject.data(FEW)
    with torch.no_grad():
        calls = executed(subject.model, lambda: subject.call(batch)).calls
    return [
        call.name
        for call in calls
        if ("dropout" in call.op and call.settings.get("training", True) and call.settings.get("p"))
        or call.settings.get("dropout_p", 0.0) > 0
    ]


def _tracks(module: nn.Module) -> bool:
    return isinstance(module, _BatchNorm) and module.num_batches_tracked is not None


def _distance(a: Tensor, b: Tensor) -> float:
    scale = a.double().sub(a.double().mean()).pow(2).mean().sqrt()
    return float((a - b).double().pow(2).mean().sqrt() / scale.clamp(min=1e-30))
