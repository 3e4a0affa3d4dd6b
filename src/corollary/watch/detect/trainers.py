"""Settings of trainers that contradict each other, read before the first step."""

import re
from collections.abc import Iterator
from typing import Any

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import found

DIRECTION = "schedule/monitor_direction"
WARM = "schedule/warm_up_ignored"
RISES = re.compile(r"acc|auc|auroc|f1|precision|recall|iou|dice|bleu|rouge|\br2\b|psnr|ssim", re.I)
FALLS = re.compile(r"loss|error|\bmse|\bmae|rmse|perplexity|\bppl|\bwer\b|\bcer\b|\bfid\b", re.I)


def of_lightning(trainer: Any) -> Iterator[Finding]:
    """Callbacks that expect the wrong direction of the value they monitor."""
    for callback in getattr(trainer, "callbacks", ()):
        monitor, mode = getattr(callback, "monitor", None), getattr(callback, "mode", None)
        if isinstance(monitor, str) and mode in ("min", "max") and _against(monitor, mode):
            yield _direction(type(callback).__name__, monitor, mode)


def of_hugging_face(args: Any) -> Iterator[Finding]:
    """A warm-up that the schedule ignores, and a best model chosen in the wrong direction."""
    kind = str(getattr(args.lr_scheduler_type, "value", args.lr_scheduler_type))
    warm = float(getattr(args, "warmup_steps", 0) or getattr(args, "warmup_ratio", 0) or 0)
    if kind == "constant" and warm > 0:
        yield _ignored(warm)
    monitor, greater = args.metric_for_best_model, args.greater_is_better
    mode = "max" if greater else "min"
    if isinstance(monitor, str) and greater is not None and _against(monitor, mode):
        yield _direction("load_best_model_at_end", monitor, mode)


def _against(monitor: str, mode: str) -> bool:
    """Whether the name implies one direction and the mode the other.

    Example:
        >>> _against("val_accuracy", "min"), _against("val_loss", "min")
        (True, False)
    """
    rises, falls = bool(RISES.search(monitor)), bool(FALLS.search(monitor))
    return rises != falls and rises == (mode == "min")


def _direction(what: str, monitor: str, mode: str) -> Finding:
    better = "higher" if mode == "min" else "lower"
    return found(
        DIRECTION,
        f"{what} expects the wrong direction",
        Severity.MEDIUM,
        f"{what} monitors {monitor!r} with mode={mode!r}, although {better} values are "
        "better. It stops the run too early, or keeps the worst weights.",
        f"Use mode={'max' if mode == 'min' else 'min'!r}.",
    )


def _ignored(warm: float) -> Finding:
    return found(
        WARM,
        "The warm-up has no effect",
        Severity.MEDIUM,
        f"A warm-up of {warm:g} is set, but lr_scheduler_type='constant' has no warm-up. The "
        "first steps use the full learning rate.",
        "Use lr_scheduler_type='constant_with_warmup'.",
    )
