"""Numbers that stand for names: classes fitted as numbers, categories read as numbers.

The number of a class or of a category is not a quantity. A network with one output for all classes
has to put class 1 between class 0 and class 2, and a network that reads the number of a category
has to bend at every code. To test this, each class gets its own output or each code its own vector,
and the run is repeated.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.core import Subject
from corollary.errors import NotApplicableError
from corollary.exams.network_changes import last_in_training
from corollary.exams.rewiring import hooked
from corollary.exams.runs import Run
from corollary.exams.scales import float_inputs
from corollary.exams.trial_run import TrialRun, unchanged

CLASSES = 3, 30  # fewer are a matter of a threshold, more are seldom without an order
CODES = 8, 512  # different codes of a category
EACH = 4  # samples per class or code, on average: with fewer nothing is learned of it


def class_count(y: object) -> int | None:
    """The number of classes if the targets look like class numbers; None for other targets.

    Example:
        >>> class_count(torch.arange(40) % 4)
        4
        >>> class_count(torch.rand(40)) is None
        True
    """
    if not isinstance(y, Tensor) or y.numel() != len(y) or y.is_complex() or y.numel() == 0:
        return None
    values = y.cpu().double().flatten()
    if not bool((values == values.round()).all()):
        return None
    found = values.unique()
    k = len(found)
    whole = found.tolist() == list(range(k)) and CLASSES[0] <= k <= CLASSES[1]
    return k if whole and len(y) >= EACH * k else None


def one_output_for_classes(trial: TrialRun) -> bool:
    """Whether one linear unit has to predict the number of a class."""
    y = trial.subject.all_labelled().target
    _, last = last_in_training(trial.subject)
    layer = None if last is None else last.module
    return class_count(y) is not None and isinstance(layer, nn.Linear) and layer.out_features == 1


def an_output_for_each_class(trial: TrialRun) -> Run:
    """The last layer has a unit for each class; trained by cross-entropy.

    Errors are still counted as differences of numbers, as in the user's loss.
    """
    subject = trial.subject
    k = class_count(subject.all_labelled().target)
    _, last = last_in_training(subject)
    if k is None or last is None or not isinstance(last.module, nn.Linear):
        raise NotApplicableError("the last layer is not linear")
    head = _drawn(nn.Linear(last.module.in_features, k)).to(last.module.weight)

    def loss(raw: object, target: Tensor) -> Tensor:
        output = subject.pick(raw)
        y = target.reshape(len(target))
        if output.numel() == len(target):  # the number of a class, where no gradient is asked for
            return (output.flatten() - y.to(output)).square().mean()
        return F.cross_entropy(output.reshape(len(y), -1), y.long())

    def widen(_module: nn.Module, inputs: Any, output: Tensor) -> Tensor:
        logits: Tensor = head(inputs[0])
        if torch.is_grad_enabled():
            return logits
        return logits.argmax(-1, keepdim=True).to(output)

    optimizer, _ = subject.recipe.twin()
    optimizer.add_param_group({"params": list(head.parameters())})
    with hooked(last.module, widen):
        return trial.with_change(unchanged, loss=loss, optimizer=optimizer)


def coded_columns(subject: Subject) -> list[int]:
    """Columns of the first input that may be codes: many whole numbers, each of which occurs often.

    Codes that a network looks up in an embedding are already treated as names.
    """
    x = next(iter(subject.everything().tensors()), None)
    if x is None or x.dim() not in (1, 2) or x.dtype is torch.bool:
        return []
    if any(isinstance(m, nn.Embedding | nn.EmbeddingBag) for m in subject.model.modules()):
        return []
    rows = x.reshape(len(x), -1)
    return [c for c in range(rows.shape[1]) if _codes(rows[:, c]) is not None]


def _codes(column: Tensor) -> Tensor | None:
    values = column.cpu().double()
    found = values.unique()
    steps = found[1:] - found[:-1]
    if not CODES[0] <= len(found) <= CODES[1] or len(values) < EACH * len(found):
        return None
    # Whole numbers, or whole numbers that were divided by one number.
    step = float(steps.min())
    even = (found - found[0]) / step
    close = bool(((even - even.round()).abs() < 1e-3).all())
    return found if close and float(even[-1]) < 4 * len(found) else None


def reads_codes(trial: TrialRun) -> bool:
    """Whether an input has such columns, and a linear layer reads them."""
    linear = any(isinstance(m, nn.Linear) for m in trial.subject.model.modules())
    few = len(coded_columns(trial.subject))
    return linear and 0 < few <= 16


def a_vector_for_each_code(trial: TrialRun) -> Run:
    """In addition to the number of a code, the first linear layer gets a vector for this code."""
    subject = trial.subject
    columns = coded_columns(subject)
    first = next((m for m in subject.model.modules() if isinstance(m, nn.Linear)), None)
    if not columns or first is None:
        raise NotApplicableError("no column looks like category codes")
    rows = subject.everything().tensors()[0].reshape(subject.everything().size, -1)
    known = {c: _codes(rows[:, c]) for c in columns}
    sizes = {c: len(v) for c, v in known.items() if v is not None}
    tables = {c: nn.Parameter(torch.zeros(n, first.out_features)) for c, n in sizes.items()}
    seen: dict[int, Tensor] = {}

    def note(_module: nn.Module, inputs: Any) -> None:
        x = inputs[0].reshape(len(inputs[0]), -1)
        for c, values in known.items():
            if values is not None:
                place = torch.searchsorted(values, x[:, c].cpu().double().contiguous())
                seen[c] = place.clamp(max=len(values) - 1)

    def add(_module: nn.Module, _inputs: Any, output: Tensor) -> Tensor:
        if output.dim() != 2 or any(len(i) != len(output) for i in seen.values()):
            return output
        return output + sum(tables[c][i].to(output) for c, i in seen.items())

    optimizer, _ = subject.recipe.twin()
    optimizer.add_param_group({"params": list(tables.values())})
    handle = subject.model.register_forward_pre_hook(note)
    try:
        with hooked(first, add):
            return trial.with_change(unchanged, optimizer=optimizer)
    finally:
        handle.remove()


def coded_meaning(trial: TrialRun) -> str:
    """The names of these columns."""
    columns = coded_columns(trial.subject)
    names = [*float_inputs(trial.subject.everything())]
    where = f" of {names[0]}" if names else " of the input"
    number = len(trial.subject.everything().tensors()[0].reshape(-1, 1).unique())
    if trial.subject.everything().tensors()[0].dim() == 1:
        return (
            f"The input takes {number} different values, and a linear layer multiplies "
            "these values by weights."
        )
    which = ", ".join(map(str, columns[:4]))
    return (
        f"Column {which}{where} holds whole numbers that repeat, like the codes of "
        "categories. A linear layer treats them as quantities: code 7 counts as seven times "
        "code 1."
    )


def _drawn(layer: nn.Linear) -> nn.Linear:
    rng = torch.Generator().manual_seed(0)
    bound = layer.in_features**-0.5
    with torch.no_grad():
        for p in layer.parameters():
            p.copy_((2 * torch.rand(p.shape, generator=rng) - 1) * bound)
    return layer
