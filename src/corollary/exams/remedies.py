"""Remedies that can be tried automatically: change a copy, and repeat the training.

A finding names its remedy. The finding is confirmed if the changed run is clearly better than the
user's, so advice is given only if it was seen to help.
"""

from collections.abc import Callable
from functools import partial

from corollary.errors import NotApplicableError
from corollary.exams import axis_changes as axis
from corollary.exams import code_changes as codes
from corollary.exams import loss_changes as loss
from corollary.exams import loss_terms as terms
from corollary.exams import memory
from corollary.exams import network_changes as network
from corollary.exams import order_changes as order
from corollary.exams import recipe_changes as recipe
from corollary.exams.runs import Run
from corollary.exams.trial_run import TrialRun

REMEDIES: dict[str, Callable[[TrialRun], Run]] = {
    "fresh start": network.fresh_start,
    "standardised inputs": recipe.standardised_inputs,
    "standardised targets": recipe.standardised_targets,
    "divided loss": recipe.divided_loss,
    "larger batches": recipe.larger_batches,
    "no dropout": network.no_dropout,
    "no dropout at the end": network.no_dropout_at_the_end,
    "bare output": network.bare_output,
    "no weight decay": recipe.no_decay,
    "constant rate": recipe.constant_rate,
    "a tenth of the rate": partial(recipe.at_rate, factor=0.1),
    "a hundredth of the rate": partial(recipe.at_rate, factor=0.01),
    "ten times the rate": partial(recipe.at_rate, factor=10.0),
    "a hundred times the rate": partial(recipe.at_rate, factor=100.0),
    "ten thousand times the rate": partial(recipe.at_rate, factor=1e4),
    "no momentum": recipe.no_momentum,
    "plain Adam": recipe.plain_adam,
    "clipped gradients": recipe.clipped,
    "shuffled order": recipe.shuffled_order,
    "rectifiers": network.rectifiers,
    "activations": network.activations,
    "moved axes": network.moved_axes,
    "ids as they are": network.ids_as_they_are,
    "minimised": loss.minimised,
    "no penalty": loss.no_penalty,
    "unscaled output": loss.unscaled,
    "a bias": loss.with_bias,
    "unfrozen": network.unfrozen,
    "cross-entropy": network.cross_entropy,
    "more steps": recipe.more_steps,
    "all parameters": recipe.all_parameters,
    "squared error": recipe.squared_error,
    "wider layers": network.wider,
    "separate layers": network.separate_layers,
    "moved channels": recipe.moved_channels,
    "along another axis": axis.along_another_axis,
    "an output for each class": codes.an_output_for_each_class,
    "a vector for each code": codes.a_vector_for_each_code,
    "positions": order.with_positions,
    "turned output": order.turned_output,
    "gated layers": memory.gated,
    "other sign of a term": terms.with_other_sign,
    "lighter term": terms.with_lighter_term,
}


def tried(trial: TrialRun, name: str) -> Run | None:
    """The run with a remedy.

    None if it cannot be run or too many remedies were run. Each remedy is run once.
    """
    runs: dict[str, Run | None] = trial.subject.memo.setdefault("remedies", {})
    if name not in runs:
        runs[name] = None
        if len([run for run in runs.values() if run is not None]) < trial.allowed:
            try:
                runs[name] = REMEDIES[name](trial)
            except (NotApplicableError, RuntimeError, ValueError, IndexError, TypeError):
                pass  # such as a loss that does not take what it then gets
    return runs[name]


def confirmed_by(trial: TrialRun, name: str) -> Run | None:
    """The run with a remedy, if it is clearly better than the user's."""
    run = tried(trial, name)
    return run if run is not None and trial.needs(run) else None


def try_remedy(trial: TrialRun, name: str) -> str:
    """A sentence on the effect of a remedy; empty if it did not help or cannot be tried."""
    run = confirmed_by(trial, name)
    return "" if run is None else compared(trial, run)


def compared(trial: TrialRun, run: Run) -> str:
    """A sentence that compares the user's run with a changed one."""
    if trial.run.risk is not None and run.risk is not None and trial.run.finite:
        before, after = trial.run.risk, run.risk
        return (
            f"After {trial.steps} steps of training: {before.in_words(before.value)}; with this "
            f"change: {after.in_words(after.value)}."
        )
    return (
        f"After {trial.steps} steps the loss is {trial.run.end:.3g}; with this change it is "
        f"{run.end:.3g}."
    )
