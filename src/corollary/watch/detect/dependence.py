"""What outputs depend on: other examples of the batch, or the tokens to be predicted.

The model's last call is made again in evaluation mode, twice, with one change between the two. An
example whose output changes with another example is mixed with it (a wrong axis order, a wrong
reshape); an output that changes with a later token sees what it has to predict. All states are
restored, and no random numbers are drawn.
"""

import torch
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from corollary.core.finding import Finding, Severity
from corollary.theory.modules.keeping import kept
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.fingerprint import fingerprint
from corollary.watch.detect.inputs import offset
from corollary.watch.hooks import has_hooks
from corollary.watch.state import Loop, Owned, Pass, tensors_in

MIXED = "data/examples_mixed"
AHEAD = "data/future_visible"
IGNORED = "units/input_ignored"
LOOK = 6  # the step
ROUNDING = 1e-3  # of the spread of the outputs


class Dependence(Detector):
    """Looks once."""

    def __init__(self) -> None:
        self.last: int | None = None  # the batch of the step before

    @torch.no_grad()
    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Repeat the call if that is safe."""
        if owned is not loop.main or not loop.passes or loop.made not in (LOOK - 1, LOOK):
            return
        before, self.last = self.last, fingerprint(loop.passes[-1])
        if loop.made != LOOK:
            return
        call, model = loop.passes[-1], loop.model
        safe = call.repeatable and not loop.compiled and not has_hooks(model)
        if not safe or loop.recomputed or isinstance(model, DistributedDataParallel):
            return
        first = call.first()
        if first is None or first.dim() < 2 or len(first) < 4 or first.device.type != "cpu":
            return
        self._look(loop, call, first, whole=before == self.last)

    def _look(self, loop: Loop, call: Pass, x: Tensor, whole: bool) -> None:
        labels = loop.graphs[-1].labels if loop.graphs else None
        plain = _outputs(loop, call, x)
        swapped = x.clone()
        swapped[0] = x[-1]  # the first one: a recurrent layer passes it on
        if bool((swapped[0] == x[0]).all()):
            return
        other = _outputs(loop, call, swapped)
        rows = [(a, b) for a, b in zip(plain, other, strict=False) if _comparable(a, b, len(x))]
        if not rows or not all(bool(torch.isfinite(a).all()) for a, _ in rows):
            return
        mixed = any(_differs(a[1:], b[1:]) for a, b in rows)
        moved = any(_differs(a[:1], b[:1]) for a, b in rows)
        if not mixed and not moved:
            loop.events.say(loop.step, _ignored())
        elif mixed and _by_rows(x, labels):
            loop.events.say(loop.step, _mixed(loop, len(x), whole))
        self._ahead(loop, call, x, plain)

    def _ahead(self, loop: Loop, call: Pass, x: Tensor, plain: list[Tensor]) -> None:
        labels = loop.graphs[-1].labels if loop.graphs else None
        if labels is None or x.is_floating_point() or x.dim() != 2:
            return
        if labels.numel() % len(x) or offset(x, labels.reshape(len(x), -1)) != 1:
            return
        later = x.clone()
        later[:, -1] = x[:, 0]
        rows = (later[:, -1] != x[:, -1]).nonzero().squeeze(1)
        if not len(rows):
            return
        other = _outputs(loop, call, later)
        pairs = [
            (a[rows, :-1], b[rows, :-1])
            for a, b in zip(plain, other, strict=False)
            if a.dim() == 3 and a.shape == b.shape and a.shape[:2] == x.shape
        ]
        if any(_differs(a, b) for a, b in pairs):
            loop.events.say(loop.step, _future())


def _outputs(loop: Loop, call: Pass, first: Tensor) -> list[Tensor]:
    """Float outputs of the call with ``first`` instead of its first tensor."""
    given = call.first()
    args = [first if a is given else a for a in call.args]
    kwargs = {name: first if a is given else a for name, a in call.kwargs.items()}
    loop.measuring = True
    try:
        with kept(loop.model, read_only=True):
            loop.model.eval()
            torch.set_rng_state(call.rng)
            output = loop.model(*args, **kwargs)
    finally:
        loop.measuring = False
    if hasattr(output, "logits"):
        output = output.logits
    return [t.detach().clone() for t in tensors_in(output) if t.is_floating_point()]


def _comparable(a: Tensor, b: Tensor, few: int) -> bool:
    return a.shape == b.shape and a.dim() >= 1 and len(a) == few


def _differs(a: Tensor, b: Tensor) -> bool:
    spread = float(a.float().std()) if a.numel() > 1 else 1.0
    return float((a.float() - b.float()).abs().max()) > ROUNDING * max(spread, 1e-6)


def _by_rows(first: Tensor, labels: Tensor | None) -> bool:
    """Whether the targets show that the first axis is the examples and not the time."""
    if labels is None or labels.dim() == 0 or first.shape[0] == first.shape[1]:
        return False
    if labels.shape[0] == first.shape[0]:
        return True
    tokens = not first.is_floating_point() and first.dim() == 2
    fits = labels.numel() % len(first) == 0
    return tokens and fits and offset(first, labels.reshape(len(first), -1)) is not None


def _mixed(loop: Loop, few: int, whole: bool) -> Finding:
    # All of the data at every step may be one graph or set, whose rows belong together.
    alone = len(loop.passes[-1].tensors()) == 1 and not whole
    return found(
        MIXED,
        "The output of an example depends on other examples",
        Severity.MEDIUM if alone else Severity.LOW,
        f"In evaluation mode, exchanging one of {few} examples changed the outputs of the other "
        "examples, so the network mixes the examples of a batch. Recurrent layers and attention "
        "do this when batch and time are swapped (batch_first), and so does a view() in place "
        "of a transpose.",
        "Check the order of the axes: use batch_first=True for inputs of shape (batch, time, "
        "features), and permute instead of view.",
    )


def _future() -> Finding:
    return found(
        AHEAD,
        "The model sees the tokens that it has to predict",
        Severity.MEDIUM,
        "Changing the last token changed the outputs at earlier positions, whose targets are "
        "later tokens. The attention is not causal (not masked), so the model can copy its "
        "targets from the input.",
        "Pass a causal mask (is_causal=True, or an upper triangle of -inf).",
    )


def _ignored() -> Finding:
    return found(
        IGNORED,
        "The output does not depend on the input",
        Severity.LOW,
        "Exchanging an example changed no output in evaluation mode. The network computes a "
        "constant.",
        "Look for dead units, a wrong variable in forward(), or an input that is overwritten.",
    )
