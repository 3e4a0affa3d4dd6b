"""What theory says of a step size, in one sentence."""

from corollary.lab.settings import PlaySettings
from corollary.theory.landscape.curvature.interval import Estimate

CATAPULT = 2.0  # times the limit: from there on nothing is caught


def said_of_step(settings: PlaySettings, limit: Estimate | None) -> dict[str, str]:
    """A severity as in an examination, and a sentence; no limit means the weights overflowed."""
    lr = settings.lr
    if limit is None:
        return _said("high", "The weights left the finite numbers: the step size was too long.")
    if settings.optimiser == "adam":
        return _said(
            "none",
            f"Plain gradient descent would be stable up to {limit.value:.2g} here; Adam rescales "
            "every weight and has limits of its own.",
        )
    if limit.value == float("inf"):
        return _said("none", "The loss curves upwards in no direction here: no limit yet.")
    formula = "3.8/λ" if settings.optimiser == "momentum" else "2/λ"
    bound = f"the limit {formula} = {limit.value:.2g}"
    ratio = lr / limit.value
    if lr > CATAPULT * limit.high:
        return _said(
            "high", f"η = {lr:g} is {ratio:.2g} times {bound}: to second order it diverges."
        )
    if lr > limit.high:
        return _said("medium", f"η = {lr:g} is {ratio:.2g} times {bound}: the loss rises first.")
    if lr > 0.8 * limit.low:
        return _said(
            "low", f"η = {lr:g} is at {bound}: the edge of stability, where the loss oscillates."
        )
    if lr < limit.low / 1000:
        return _said("low", f"η = {lr:g} is less than a thousandth of {bound}: training is slow.")
    noisy = " for the whole loss; batches add noise" if 0 < settings.batch < settings.n else ""
    return _said("none", f"η = {lr:g} is below {bound}: stable{noisy}.")


def _said(severity: str, text: str) -> dict[str, str]:
    return {"severity": severity, "text": text}
