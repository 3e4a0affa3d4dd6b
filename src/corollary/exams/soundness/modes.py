"""Train mode and eval mode.

Batch normalisation uses batch statistics in training and running statistics in eval mode. If these
disagree, the network that is tested is not the one that was trained. Dropout differs by design, so
its difference is reported as healthy.

:source: Ioffe and Szegedy (2015), "Batch normalization", Section 3.1, on inference.
:kind: exam
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import counted, rounded
from corollary.exams.trial_run import trial_run_of
from corollary.theory.modules.trace import executed

SAMPLES, FEW = 256, 4
# Running statistics are an average over about 10 batches, each off by 1/sqrt(batch) in mean and
# sqrt(2/batch) in variance: below a fifth of the output's size even at batches of 8.
FAR = 0.2
WORSE = 0.1  # one answer in ten, or a tenth of the variance
CAUGHT_UP = 0.1  # of the initial statistics may be left


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
        yield from self._after_training(subject, budget, norms)
        if not norms and not drops:
            raise NotApplicableError(
                "the network computes the same outputs in training and in eval mode"
            )
        if drops:
            yield self.finding(
                "Dropout",
                where=drops[0],
                value=counted(len(drops)),
                unit="place" if len(drops) == 1 else "places",
                meaning="This layer is active in eval mode too, where it should be off."
                if always
                else "This layer is active in training and off in eval mode, as dropout should be.",
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
            unit="times the spread of the outputs",
            expected=f"at most {FAR:g}",
            meaning="In eval mode, the network computes another function than the one that was "
            "trained."
            if gap > FAR
            else "Batch statistics and running statistics agree.",
            advice="To estimate the statistics again, run the training set through the network in "
            "train mode. Or continue training with similar data."
            if gap > FAR
            else "",
        )

    def _after_training(
        self, subject: Subject, budget: Budget, norms: dict[str, _BatchNorm]
    ) -> Iterator[Finding]:
        """Errors after the trial run, in eval mode and with batch statistics."""
        if not norms:
            return
        try:
            trial = trial_run_of(subject, budget)
        except NotApplicableError:
            return
        moving, still = trial.run.risk, trial.run.eval_risk
        slow = [n for n, m in norms.items() if _behind(m, trial.steps)]
        if moving is None or still is None or (slow and not _never(norms) and not trial.complete):
            return  # too few steps for the running statistics to have caught up; more may follow
        worse = still.value - moving.value > WORSE and still.value > 2 * moving.value
        where = next((n for n in norms if n in slow), next(iter(norms)))
        yield self.finding(
            "The network is far worse in eval mode than in train mode"
            if worse
            else "Eval mode after training",
            severity=Severity.HIGH if worse else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            where=where if worse else "",
            value=still.said(),
            unit=still.unit,
            expected=f"about {moving.in_words(moving.value)}, the value with batch statistics",
            meaning=f"After {trial.steps} steps of training the running statistics of batch "
            "norm differ from the statistics of the data: "
            f"{still.in_words(still.value)} in eval mode, "
            f"{moving.in_words(moving.value)} with batch statistics."
            if worse
            else "Running statistics and batch statistics give about the same answers.",
            advice=_statistics_advice(norms[where], where, trial.steps) if worse else "",
            explains=("generalization/*", "robustness/*", "trainability/what_helps")
            if worse
            else (),
        )

    def _as_given(self, subject: Subject) -> Iterator[Finding]:
        """Modules that were passed in another mode than the whole network."""
        modes = subject.modes_given
        whole = modes.get("", False)
        others = [name for name, mode in modes.items() if mode != whole]
        if others:
            yield self.finding(
                "Some modules are not in the same mode as the network",
                severity=Severity.LOW,
                where=others[0],
                value=counted(len(others)),
                unit=f"of {len(modes)} modules",
                meaning=f"The network is in {_mode(whole)} mode, but these modules are in "
                f"{_mode(not whole)} mode. The next call of train() or eval() puts "
                "them all into one mode.",
                advice="If this is intended, override train() so that the modules keep their "
                "mode. Otherwise call model.train() before training and model.eval() "
                "before testing.",
            )


def _never(norms: dict[str, _BatchNorm]) -> bool:
    return any(m.momentum == 0 for m in norms.values())


def _behind(norm: _BatchNorm, steps: int) -> bool:
    """Whether statistics keep more than a tenth of their initial value after these steps."""
    kept = 1 - (norm.momentum if norm.momentum is not None else 1.0)
    return bool(kept**steps > CAUGHT_UP)


def _statistics_advice(norm: _BatchNorm, where: str, steps: int) -> str:
    if norm.momentum == 0:
        return f"Set momentum=0.1 in '{where}': with 0 the running statistics are never updated."
    if _behind(norm, steps):
        return (
            f"Set momentum=0.1 in '{where}': with {norm.momentum:g} the running mean and "
            f"variance of batch norm follow the data too slowly for {steps} steps."
        )
    return (
        f"Let '{where}' collect statistics of such data: train with larger or mixed batches, "
        "and normalise training and test data in the same way. Or use group norm or layer "
        "norm."
    )


def _mode(training: bool) -> str:
    return "train" if training else "eval"


def _drops(subject: Subject) -> list[str]:
    """The dropout operations that are active in the present mode."""
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
    scale = a.cpu().double().sub(a.cpu().double().mean()).pow(2).mean().sqrt()
    return float((a - b).cpu().double().pow(2).mean().sqrt() / scale.clamp(min=1e-30))
