"""Conditions under which a change may help, and the texts that name the user's own settings."""

from collections.abc import Callable

from torch import Tensor

from corollary.exams.network_changes import (
    clamped_ids,
    fixed_tensors,
    last_in_training,
    mixing_reshapes,
)
from corollary.exams.scales import float_inputs, scale_of
from corollary.exams.trial_run import TrialRun
from corollary.theory.modules.trace import Call

USUAL = 0.95  # momentum: more is rare
STILL = 0.01  # of the loss at the start
SHORT = 500  # steps: four times as many are still little work
Said = Callable[[TrialRun], str]
Applies = Callable[[TrialRun], bool]


def says(text: str) -> Said:
    """A text that is the same for every run."""
    return lambda _: text


def drops(trial: TrialRun) -> list[Call]:
    """Dropout layers that are active in training, the one with the largest rate first."""
    trace, _ = last_in_training(trial.subject)
    found = [c for c in trace.calls if "dropout" in c.op and c.settings.get("training", True)]
    return sorted((c for c in found if c.settings.get("p")), key=lambda c: -c.settings["p"])


def dropped(trial: TrialRun) -> bool:
    """Whether any dropout is active in training."""
    model = trial.subject.model
    return bool(drops(trial)) or any(
        isinstance(p := getattr(m, "dropout", None), float) and p > 0 for m in model.modules()
    )


def most_dropped(trial: TrialRun) -> str:
    """Advice on the dropout with the largest rate."""
    calls = drops(trial)
    if not calls:
        return "Use less dropout."
    share, name = calls[0].settings["p"], calls[0].name
    kept = f" To keep a share of {share:g}, write p={1 - share:.2g}." if share > 0.5 else ""
    return (
        f"Use less dropout. '{name}' drops {100 * share:.0f} % of its inputs, because p is "
        f"the share that is dropped.{kept}"
    )


def ends_in_dropout(trial: TrialRun) -> bool:
    """Whether dropout is applied to the output itself."""
    _, last = last_in_training(trial.subject)
    return last is not None and "dropout" in last.op


def last(trial: TrialRun) -> str:
    """The name of the last operation."""
    _, last = last_in_training(trial.subject)
    return "" if last is None else last.name


def last_op(trial: TrialRun) -> str:
    """The kind of the last operation."""
    _, last = last_in_training(trial.subject)
    return "" if last is None else last.op


def setting(trial: TrialRun, key: str) -> float:
    """The largest value of this setting among the optimizer's groups; 0 if there is none."""
    optimizer = trial.subject.recipe.optimizer
    groups = [] if optimizer is None else optimizer.param_groups
    return max((float(group.get(key) or 0.0) for group in groups), default=0.0)


def rate(trial: TrialRun) -> float:
    """The learning rate of the first group."""
    return trial.subject.recipe.lr or 0.0


def at(factor: float) -> Said:
    """Advice to multiply the learning rate by a factor."""
    return lambda trial: f"Use a learning rate of about {factor * rate(trial):.1g}."


def rate_diff(factor: float) -> Said:
    """The change of the learning rate as a diff."""
    return lambda trial: f"- lr={rate(trial):g}\n+ lr={factor * rate(trial):.1g}"


def has(*ops: str) -> Applies:
    """Whether one of these operations is executed before the last one."""

    def has(trial: TrialRun) -> bool:
        trace, last = last_in_training(trial.subject)
        return any(c is not last for c in trace.of(*ops))

    return has


def reshaped(trial: TrialRun) -> list[Call]:
    """Reshapes that mix axes."""
    return mixing_reshapes(trial.subject)


def moved_axes(trial: TrialRun) -> str:
    """What the first reshape that mixes axes does."""
    call = reshaped(trial)[0]
    assert call.x is not None, "the network reshapes something"
    before, after = tuple(call.x.shape[1:]), tuple(call.y.shape[1:])
    return (
        f"A {call.op} turns (batch, {', '.join(map(str, before))}) into (batch, "
        f"{', '.join(map(str, after))}). A reshape keeps the order of the numbers in memory, "
        "so values of different positions and channels are mixed."
    )


def floats(trial: TrialRun) -> bool:
    """Whether an input has features that are not standardised."""
    inputs = float_inputs(trial.subject.everything())
    return any(x.dim() > 1 and not standard(x) for x in inputs.values())


def wild_inputs(trial: TrialRun) -> bool:
    """Inputs of extreme size, far from centred, or with features on very different scales."""
    for x in float_inputs(trial.subject.everything()).values():
        flat = x.detach().cpu().double().reshape(len(x), -1)
        spread = flat.std(0, unbiased=False)
        spread = spread[spread > 0]
        if not scale_of(x).healthy or (len(spread) and float(spread.max() / spread.median()) > 10):
            return True
    return False


def standard(x: Tensor) -> bool:
    """Whether every feature is close to mean 0 and size 1, so that there is nothing to change."""
    flat = x.detach().cpu().double().reshape(len(x), -1)
    spread = flat.std(0, unbiased=False)
    known = spread > 0
    near = ((flat.mean(0).abs() < spread) & (spread > 0.3) & (spread < 3))[known]
    return bool(near.all())


def numbers(trial: TrialRun) -> bool:
    """Whether the targets are numbers that are not standardised."""
    y = trial.subject.all_labelled().target
    if not isinstance(y, Tensor) or not y.is_floating_point():
        return False
    scale = scale_of(y)
    return not (0.3 < scale.spread < 3 and scale.offset < 1)


def classes(trial: TrialRun) -> bool:
    """Whether the targets are exclusive classes and the loss is not cross-entropy on logits."""
    risk, y = trial.run.risk, trial.subject.all_labelled().target
    return risk is not None and risk.classes and isinstance(y, Tensor) and y.dim() <= 2


def numbers_asked(trial: TrialRun) -> bool:
    """Whether the targets are numbers and not classes."""
    risk = trial.run.risk
    return risk is not None and not risk.classes


def frozen(trial: TrialRun) -> list[str]:
    """Names of tensors that are not trained."""
    return list(fixed_tensors(trial.subject.model))


def fixed_meaning(trial: TrialRun) -> str:
    """Why the first of these tensors is not trained."""
    name = frozen(trial)[0]
    known = dict(trial.subject.model.named_parameters())
    what = "has requires_grad=False" if name in known else "is not a parameter"
    return f"'{name}' {what}, so its values never change."


def fixed_advice(trial: TrialRun) -> str:
    """Advice on how to train the first of these tensors."""
    if frozen(trial)[0] in dict(trial.subject.model.named_parameters()):
        return (
            "Train these layers too, unless they were pretrained on similar data: call "
            "requires_grad_(True) before creating the optimizer."
        )
    return f"Make '{frozen(trial)[0]}' an nn.Parameter, so that it is trained and saved."


def ids_clamped(trial: TrialRun) -> bool:
    """Whether whole numbers such as token ids are clamped or wrapped before they are looked up."""
    return bool(clamped_ids(trial.subject))


def ids_meaning(trial: TrialRun) -> str:
    """What the first such operation does to the ids."""
    call = clamped_ids(trial.subject)[0]
    return (
        f"A {call.op} maps {call.before} different token ids (words, categories) to "
        f"{call.after}, so the network cannot distinguish tokens that share an id."
    )


def owns_all(trial: TrialRun) -> bool:
    """Whether the optimizer has every trainable tensor; if not, another exam reports it."""
    optimizer = trial.subject.recipe.optimizer
    groups = [] if optimizer is None else optimizer.param_groups
    owned = {id(p) for group in groups for p in group["params"]}
    return all(id(p) in owned for p in trial.subject.parameters().values())


def short(trial: TrialRun) -> bool:
    """Whether the whole training was tried, is short, and its loss is still falling."""
    return trial.complete and trial.run.falling and trial.steps <= SHORT


def goes_down(trial: TrialRun) -> bool:
    """Whether the loss does not rise, so that a larger learning rate may help."""
    run = trial.run
    return not trial.diverged and run.after <= run.start + STILL * abs(run.start)


def hardly_moves(trial: TrialRun) -> bool:
    """Whether the loss changes by less than one per cent."""
    run = trial.run
    return not trial.diverged and abs(run.after - run.start) <= STILL * abs(run.start)
