"""Settings without the intended effect: not read, swapped, or rounded to zero."""

import torch

from corollary.core.finding import Severity
from corollary.watch.detect.detector import Detector, found, listed
from corollary.watch.state import Loop, Owned

BETAS = "optimizer/betas_swapped"
VAIN = "optimizer/rate_set_in_vain"
HALF_EPS = "optimizer/eps_underflows"
FREEZE = "optimizer/freezing_in_vain"
MOMENTUM = "mode/batch_norm_momentum"
REPEATED = "optimizer/same_layer_repeated"
DROPPED = "units/dropped"
EVERY = 16  # steps between two looks
FLAGS = ("requires_grad", "require_grad", "requires_grads", "required_grad", "trainable")


class InVain(Detector):
    """Looks for attributes that were set but are never read."""

    def __init__(self) -> None:
        self.defaults: dict[int, object] = {}  # by optimizer: its default rate at first

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Look from time to time."""
        if owned.steps % EVERY == 1:
            self._rate(loop, owned)
            if owned is loop.main and owned.steps < 10 * EVERY:
                self._betas(loop, owned)
                self._frozen(loop)
                self._momentum(loop)
                self._layers(loop)

    def _layers(self, loop: Loop) -> None:
        """One layer in several places, or dropout of almost everything."""
        places: dict[int, list[str]] = {}
        for name, m in loop.model.named_modules(remove_duplicate=False):
            if any(True for _ in m.parameters(recurse=False)):
                places.setdefault(id(m), []).append(name)
        same = [names for names in places.values() if len(names) > 1]
        siblings = [n for n in same if len({name.rpartition(".")[0] for name in n}) == 1]
        dropped = [
            name
            for name, m in loop.model.named_modules()
            if isinstance(m, torch.nn.modules.dropout._DropoutNd) and m.p > 0.8
        ]
        if siblings:
            loop.events.say(
                loop.step,
                found(
                    REPEATED,
                    "The same layer is used in several places",
                    Severity.LOW,
                    f"{listed(siblings[0])} are the same layer with the same weights. The "
                    "expression [layer] * n does this.",
                    "Create a new layer for each place, unless the weights should be shared.",
                    where=siblings[0][0],
                ),
            )
        if dropped:
            loop.events.say(
                loop.step,
                found(
                    DROPPED,
                    "Dropout drops almost everything",
                    Severity.LOW,
                    f"{listed(dropped)}. In PyTorch p is the probability of dropping a value, "
                    "not of keeping it.",
                    "Use 1 - p.",
                    where=dropped[0],
                ),
            )

    def _frozen(self, loop: Loop) -> None:
        """A flag on a module, or under a wrong name on a parameter, only adds an attribute."""
        parts = [
            name or "the model"
            for name, m in loop.model.named_modules()
            if any(vars(m).get(flag) is False for flag in FLAGS)
            and any(p.requires_grad for p in m.parameters())
        ]
        parts += [
            name
            for name, p in loop.model.named_parameters()
            if p.requires_grad and any(vars(p).get(flag) is False for flag in FLAGS)
        ]
        if parts:
            loop.events.say(
                loop.step,
                found(
                    FREEZE,
                    "Layers that should be frozen are trained",
                    Severity.MEDIUM,
                    f"In {listed(parts)}, an attribute such as requires_grad was set to False on "
                    "the module, or under a wrong name on the parameter. This does not freeze "
                    "any parameter.",
                    "Call module.requires_grad_(False).",
                    where=parts[0],
                ),
            )

    def _momentum(self, loop: Loop) -> None:
        """Momentum is the weight of the *new* batch.

        Other frameworks use the weight of the old statistics.
        """
        norms = [
            name
            for name, m in loop.model.named_modules()
            if isinstance(m, torch.nn.modules.batchnorm._NormBase)
            and m.track_running_stats
            and (m.momentum or 0.0) > 0.5
        ]
        if norms:
            loop.events.say(
                loop.step,
                found(
                    MOMENTUM,
                    "Batch norm keeps the statistics of the last batch only",
                    Severity.LOW,
                    f"The momentum of {listed(norms)} is above 0.5. Momentum is the weight of "
                    "the new batch, so the running statistics of evaluation mode come from "
                    "the last few batches.",
                    "Use momentum=0.1, the default. A momentum of 0.99 in other frameworks "
                    "is 0.01 in PyTorch.",
                    where=norms[0],
                ),
            )

    def _betas(self, loop: Loop, owned: Owned) -> None:
        group = owned.optimizer.param_groups[0]
        betas, eps = group.get("betas", (0.0, 1.0)), float(group.get("eps", 1.0))
        half = [p for p in owned.parameters if p.dtype == torch.float16]
        if len(betas) == 2 and float(betas[0]) > float(betas[1]):
            loop.events.say(
                loop.step,
                found(
                    BETAS,
                    "The betas of the optimizer are swapped",
                    Severity.MEDIUM,
                    f"With betas={tuple(betas)}, the average of the gradient covers more steps "
                    "than the average of its square. A step divides old gradients by the size "
                    "of new gradients, and may be very large.",
                    "Use betas=(0.9, 0.999), the usual order.",
                ),
            )
        if half and 0 < eps < torch.finfo(torch.float16).smallest_normal / 2**10:
            loop.events.say(
                loop.step,
                found(
                    HALF_EPS,
                    "The eps of the optimizer is zero in float16",
                    Severity.MEDIUM,
                    f"The weights are in float16, and eps={eps:g} is rounded to zero in "
                    "float16. If a second moment underflows, the step divides by zero and "
                    "the weight becomes NaN.",
                    "Keep the weights in float32 and compute under autocast.",
                    where=loop.name(half[0]),
                ),
            )

    def _rate(self, loop: Loop, owned: Owned) -> None:
        """A learning rate on an attribute that the optimizer does not read."""
        optimizer = owned.optimizer
        rates = {float(g["lr"]) for g in optimizer.param_groups}
        written: dict[str, object] = {
            n: vars(optimizer)[n] for n in ("lr", "learning_rate") if n in vars(optimizer)
        }
        default = optimizer.defaults.get("lr")
        first = self.defaults.setdefault(id(optimizer), default)
        if default != first:
            written["defaults['lr']"] = default
        lost = {n: v for n, v in written.items() if isinstance(v, float) and v not in rates}
        if lost:
            name, value = next(iter(lost.items()))
            loop.events.say(
                loop.step,
                found(
                    VAIN,
                    "The learning rate is set on an attribute that the optimizer does not read",
                    Severity.MEDIUM,
                    f"optimizer.{name} is {value:g}, but steps use a learning rate of "
                    f"{max(rates):g}, which they read from optimizer.param_groups.",
                    "Set group['lr'] for each group of optimizer.param_groups.",
                ),
            )
