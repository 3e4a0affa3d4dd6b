"""Advice on the learning rate and the state of the network, in one or two sentences."""

from corollary.lab.settings import PlaySettings
from corollary.lab.work.health import Health
from corollary.theory.landscape.curvature.interval import Estimate

CATAPULT = 2.0  # times the limit: beyond it not even the catapult of large steps comes back
HOVER = 1.1  # times the limit: at the edge of stability the sharpness stays a little above 2/η
OVERFLOW = "The learning rate is too large: the weights have overflowed. Press Reset and lower it."


def advice(settings: PlaySettings, limit: Estimate, health: Health) -> dict[str, str]:
    """A severity as in an examination, and the advice.

    A small curvature alone is not a good sign, because a dead network has none: a learning rate is
    good only where the network learns.
    """
    for layer, (dead, units) in enumerate(health.dead, start=1):
        if dead == units:
            return _said("high", _dead_layer(layer, units))
    severity, text = step_advice(settings, limit)
    loss, best = (
        f"{health.loss:.3g}",
        f"{health.constant:.3g}, the loss of the best constant output",
    )
    if severity in ("none", "low") and health.steps and health.loss > health.constant:
        if health.loss < health.first:
            severity, text = "low", f"{text} The training loss is {loss}, still above {best}."
        else:
            severity = "medium"
            text = f"The training loss has risen to {loss}, above {best}. {text}"
    dead = sum(dead for dead, _ in health.dead)
    if dead:
        units = sum(units for _, units in health.dead)
        text += f" Dead units: {dead} of {units}."
        severity = "low" if severity == "none" and 2 * dead > units else severity
    return _said(severity, text)


def _dead_layer(layer: int, units: int) -> str:
    return (
        f"All {units} units of hidden layer {layer} are dead (zero at every training point): no "
        f"gradient reaches this layer or any layer before it. Press Reset and choose a lower "
        f"learning rate."
    )


def step_advice(settings: PlaySettings, limit: Estimate) -> tuple[str, str]:
    """A severity and a sentence on the learning rate alone, against its limit."""
    lr = settings.lr
    if settings.optimizer == "adam":
        return "none", (
            f"Adam rescales every weight, so it has a limit of its own. Plain gradient descent "
            f"would be stable up to {limit.value:.2g} here."
        )
    if limit.value == float("inf"):
        return "none", "The loss has no positive curvature here, so there is no limit yet."
    formula = "3.8/λ" if settings.optimizer == "momentum" else "2/λ"
    bound = f"the limit {formula} = {limit.value:.2g}"
    ratio = lr / limit.value
    if lr > CATAPULT * limit.high:
        return "high", f"η = {lr:g} is {ratio:.2g} times {bound}, so training should diverge."
    if lr > HOVER * limit.high:
        return "medium", f"η = {lr:g} is {ratio:.2g} times {bound}, so the loss rises at first."
    if lr > 0.8 * limit.low:
        return "low", (
            f"η = {lr:g} is near {bound}, at the edge of stability. The loss may oscillate while "
            f"it falls."
        )
    if lr < limit.low / 1000:
        return "low", f"η = {lr:g} is less than a thousandth of {bound}, so training is slow."
    noisy = " on the full data; small batches add noise" if 0 < settings.batch < settings.n else ""
    return "none", f"η = {lr:g} is below {bound}, so training is stable{noisy}."


def _said(severity: str, text: str) -> dict[str, str]:
    return {"severity": severity, "text": text}
