"""Runs all exams on a subject within a budget; an error in one exam does not stop the others."""

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LRScheduler

from corollary.core import Batch, Budget, Exam, Finding, Subject
from corollary.core.default_losses import Loss
from corollary.core.exam import OVERRUN
from corollary.core.finding import failed, left_out, not_applicable
from corollary.core.graphs import GraphBatch
from corollary.core.progress import progress_bar
from corollary.core.recipe import Optimization
from corollary.core.subject import Output
from corollary.errors import (
    CorollaryError,
    NotApplicableError,
    TimeLimitError,
    TooMuchWorkError,
)
from corollary.examine.confirm import confirmed
from corollary.examine.effort import LIMIT, WORK, Effort, effort_of
from corollary.examine.examination import Examination
from corollary.examine.first_pass import NO_OUTPUT, NOT_FINITE, OUTPUTS, copied_inputs
from corollary.examine.prepare import prepare
from corollary.examine.questions import QUESTIONS, chosen_exams
from corollary.registry import Entry
from corollary.run.limits import time_limit
from corollary.run.results import environment
from corollary.theory.modules.keeping import kept

# An exam is stopped after so many times its work, but not before these seconds: a machine may be
# slow or busy, and what is found must not depend on it.
GRACE, AT_LEAST = 20.0, 900.0
FIRST = QUESTIONS[:2]
UNSOUND = "some {} {}; fix this first, then examine again"
SPARSE = "an input is sparse, and this exam needs dense tensors"
GRAPHS = "the samples are graphs, and this exam needs one tensor with one row per sample"
TARGETS = "the targets are of type {}, and this exam needs one tensor of targets"
STRUCTURED = (
    "forward takes one argument of type {}, and this exam needs each tensor as a separate argument"
)
SCRIPTED = "the layers of a scripted module cannot be inspected; examine the original module"
SPARSE_GRADIENTS = (
    "an embedding has sparse gradients, and this exam needs dense gradients (sparse=False)"
)
ONE_NUMBER = "forward returns one number for all samples, and this exam needs one output per sample"
IN_ORDER = "forward takes samples only in the order of their lengths; pass enforce_sorted=False"
Progress = Callable[[Entry, Sequence[Finding]], None]  # called after each exam


def examine(
    model: nn.Module,
    data: Any = None,
    *,
    loss: Loss | str | None = None,
    lr: float | None = None,
    batch_size: int | None = None,
    optimizer: Optimization | None = None,
    scheduler: LRScheduler | None = None,
    steps: int | None = None,
    epochs: int | None = None,
    symmetry: str | None = None,
    output: Output | None = None,
    held_out: Any = None,
    samples: int = 1024,
    seed: int = 0,
    effort: str = "standard",
    budget: float | None = None,
    only: str | Sequence[str] | None = None,
    progress: Progress | bool = True,
) -> Examination:
    """Examine a module: is it sound and robust, does it train and generalise, what is it?

    One batch is tried first.

    Args:
        model: Any ``nn.Module``; it is returned unchanged. If it is wrapped by ``torch.compile`` or
            ``nn.DataParallel``, the inner module is examined.
        data: ``(x, y)`` as tensors or arrays, a dict of tensors, a Dataset, a DataLoader, or a
            list or generator of batches or of samples.
        loss: ``loss(output, target)``, or ``cross_entropy``, ``mse``, ``bce``; by default the
            model's own loss, or else one chosen from output and target.
        lr: The learning rate you train with; advice refers to it.
        batch_size: The batch size you train with.
        optimizer: The optimizer you train with (it makes no step), a function of the parameters, or
            a string such as ``adamw:lr=3e-4,weight_decay=0.1``.
        scheduler: The schedule of its learning rate.
        steps: Optimizer steps of your whole training.
        epochs: Passes over the data of your whole training.
        symmetry: A transformation that should not change the answers: ``permutation``,
            ``translation``, ``reflection``, ``rotation``; or ``equivariance``.
        output: Which part of a structured output is meant: a key, an index or a function.
        held_out: Data that the module has not been trained on, in the forms of ``data``.
        samples: The largest number of samples taken from the data; fewer are taken for a slow
            module.
        seed: The seed of all random draws in the exams.
        effort: How much work is done: ``quick``, ``standard`` or ``thorough``. The findings are the
            same on every machine.
        budget: Seconds after which the examination is cut short.
        only: One or several questions by folder name, or single exams by full name.
        progress: A bar on a terminal or in a notebook, unless it is False; or a function that is
            called after each exam with what it found.

    Raises:
        InputError: if there is nothing to examine, as when the module cannot be called with the
            data; the message says why.

    Example:
        >>> from torch import nn, ones
        >>> done = examine(nn.Linear(2, 1), ones(16, 2), only="soundness/finite")
        >>> [finding.title for finding in done.findings]
        ['All outputs are finite']
    """
    exams = chosen_exams(only)  # a wrong name is told before anything is run
    subject = prepare(
        model,
        data,
        held_out,
        effort=effort,
        seconds=LIMIT[effort_of(effort)] if budget is None else budget,
        loss=loss,
        lr=lr,
        batch_size=batch_size,
        optimizer=optimizer,
        scheduler=scheduler,
        steps=steps,
        epochs=epochs,
        symmetry=symmetry,
        output=output,
        samples=samples,
        seed=seed,
    )
    if callable(progress):
        return examine_subject(subject, effort=effort, budget=budget, only=only, progress=progress)
    with exam_bar(len(exams)) if progress else nullcontext() as advance:
        told = None if advance is None else (lambda _, found: advance(found))
        return examine_subject(subject, effort=effort, budget=budget, only=only, progress=told)


@contextmanager
def exam_bar(total: int) -> Iterator[Callable[[Sequence[Finding]], None]]:
    """A progress bar over the exams, or a call of the given function after each exam."""
    done = 0
    with progress_bar(total, "loading the network") as show:

        def advance(found: Sequence[Finding]) -> None:
            nonlocal done
            done += 1
            show(found[-1].title if found else "", done)

        yield advance


def examine_subject(
    subject: Subject,
    *,
    effort: str = "standard",
    budget: float | None = None,
    only: str | Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Examination:
    """Like :func:`examine`, for an existing subject."""
    chosen, whole = chosen_exams(only), WORK[effort_of(effort)]
    budget = LIMIT[effort_of(effort)] if budget is None else budget
    where, ends = environment(), time.monotonic() + budget
    # Whether it is sound and will train comes first, whatever it costs; then short exams before
    # long ones, so that one that takes all of the budget costs the others nothing.
    exams = sorted(
        ((entry, entry.load()()) for entry in chosen),
        key=lambda pair: (FIRST.index(pair[0].area) if pair[0].area in FIRST else 9, pair[1].share),
    )
    findings: list[Finding] = []
    shares = sum(exam.share for _, exam in exams)
    for entry, exam in exams:
        left = max(0.0, ends - time.monotonic())
        work = Budget.of(whole * exam.share / shares, whole=whole)
        if len(exams) == 1 and Effort(effort) is Effort.thorough:
            work = replace(work, unlimited=True)
        with copied_inputs(subject):
            found = run_exam(entry, exam, subject, work, left)
        findings += found
        if progress:
            progress(entry, found)
    return Examination(where, subject.describe(), budget, tuple(findings), effort)


def run_exam(
    entry: Entry, exam: Exam, subject: Subject, work: Budget, left: float
) -> list[Finding]:
    """Run one exam; an error becomes a finding, and findings made before the error are kept.

    Args:
        entry: Its entry in the catalogue.
        exam: The exam.
        subject: What is examined.
        work: The amount of work that the exam may do.
        left: Remaining seconds of the time limit.
    """
    found: list[Finding] = []
    if left <= 0:
        return [
            failed(entry.name, entry.title, "the time limit was reached before this exam began")
        ]
    if subject.memo.get(NOT_FINITE) == "parameters" and entry.area != "soundness":
        return [not_applicable(entry.name, entry.title, _known_reason(subject))]
    try:
        with kept(subject.model), time_limit(min(left, max(GRACE * work.left, AT_LEAST))):
            for finding in exam.examine(subject, work):
                found.append(confirmed(finding, subject, work))
    except TooMuchWorkError as why:
        found.append(left_out(entry.name, entry.title, f"{why}; {to_have_it(entry.name, why)}"))
    except NotApplicableError as why:
        found.append(not_applicable(entry.name, entry.title, str(why)))
    except TimeLimitError:
        found.append(failed(entry.name, entry.title, "this exam took longer than its time limit"))
    except MemoryError:
        found.append(
            failed(entry.name, entry.title, "this exam needs more memory than the limit allows")
        )
    except Exception as error:  # a crash is a row of the report, never the end of it
        reason = _known_reason(subject) or (IN_ORDER if "enforce_sorted" in str(error) else "")
        told = not_applicable if reason else failed
        found.append(told(entry.name, entry.title, reason or _told(error)))
    return found


def to_have_it(name: str, why: TooMuchWorkError) -> str:
    """The command-line options that run a skipped exam alone, with the least sufficient effort.

    Example:
        >>> to_have_it("learning/regime", TooMuchWorkError(59.0))
        'to run it, use --only learning/regime --effort standard'
    """
    enough = (e for e in Effort if why.seconds <= OVERRUN * WORK[e])
    return f"to run it, use --only {name} --effort {next(enough, Effort.thorough)}"


def _known_reason(subject: Subject) -> str:
    """The property of a subject that makes exams fail; empty for an ordinary subject."""
    if NOT_FINITE in subject.memo:
        return UNSOUND.format(subject.memo[NOT_FINITE], "are NaN or infinite")
    if NO_OUTPUT in subject.memo:
        return UNSOUND.format("labels", "have no output")
    if subject.batch is not None and (reason := _unusual(subject.batch)):
        return reason
    if subject.memo.get(OUTPUTS) == 0:
        return ONE_NUMBER
    modules = list(subject.model.modules())
    if any(isinstance(m, nn.Embedding | nn.EmbeddingBag) and m.sparse for m in modules):
        return SPARSE_GRADIENTS
    return SCRIPTED if any(isinstance(m, torch.jit.ScriptModule) for m in modules) else ""


def _unusual(batch: Batch) -> str:
    """The property of the data that some exams cannot handle; empty for tensors."""
    if isinstance(batch, GraphBatch):
        return GRAPHS
    if any(t.layout is not torch.strided for t in batch.tensors()):
        return SPARSE
    if batch.target is not None and not isinstance(batch.target, Tensor):
        return TARGETS.format(type(batch.target).__name__)
    whole = [type(v).__name__ for v in batch.inputs if isinstance(v, list | tuple | dict)]
    return STRUCTURED.format(whole[0]) if whole else ""


def _told(error: Exception) -> str:
    """The error in one line; for an unexpected error also its type and line."""
    if isinstance(error, CorollaryError):
        return " ".join(str(error).split())
    last = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__}: {error} ({last.name}, line {last.lineno})"
    return " ".join(said.split())
