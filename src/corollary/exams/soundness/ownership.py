"""Parameters that the optimizer does not update.

Training updates only the tensors in the optimizer. A tensor that needs a gradient but is in a plain
list or attribute is not a parameter of the module: it is neither trained nor saved nor moved to a
device. A parameter that was created after the optimizer, or is not in its groups, never changes.

:source: Paszke et al. (2019), "PyTorch: an imperative style, high-performance deep learning
    library", Section 4, on modules and parameters; Loshchilov and Hutter (2019), "Decoupled weight
    decay regularization".
:kind: exam
"""

from collections.abc import Iterator

from torch import Tensor, nn

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import counted

SAMPLES = 16
EXPLAINS = ("trainability/*", "learning/*", "generalization/untouched_layers")


class Ownership(Exam):
    """Tensors outside ``parameters()``, and parameters outside the optimizer."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Compare the leaves of the loss graph with the parameters, and these with the groups."""
        outside = list(_outside(subject))
        if outside:
            yield self._unregistered(outside)
        optimizer = subject.recipe.optimizer
        if optimizer is None or subject.recipe.assumed:
            if not outside:
                yield self.finding(
                    "Every trained tensor is a parameter",
                    meaning="Every tensor that needs a gradient and affects the loss is in "
                    "model.parameters().",
                )
            return
        owned = {id(p) for group in optimizer.param_groups for p in group["params"]}
        missing = [n for n, p in subject.parameters().items() if id(p) not in owned]
        every = {id(p) for p in subject.model.parameters()}
        yield self._owned(missing, len(subject.parameters()), len(owned - every))
        yield from self._decay(subject)
        if any(group.get("maximize") for group in optimizer.param_groups):
            yield self._climbs()

    def _unregistered(self, names: list[str]) -> Finding:
        return self.finding(
            "Trainable tensors outside of parameters()",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            where=names[0],
            value=counted(len(names)),
            unit="tensor" if len(names) == 1 else "tensors",
            expected="0",
            meaning="The loss depends on these tensors and they need a gradient, but "
            "model.parameters() does not contain them. No optimizer trains them, and "
            "state_dict() does not save them.",
            advice="Keep layers in nn.ModuleList or nn.ModuleDict and tensors as nn.Parameter "
            "attributes, not in plain lists or dicts.",
            explains=EXPLAINS,
            change="- self.layers = [...]\n+ self.layers = nn.ModuleList([...])",
            details={"tensors": names[:50]},
        )

    def _owned(self, missing: list[str], total: int, strangers: int) -> Finding:
        none = len(missing) == total or strangers > 0
        return self.finding(
            "The optimizer does not have all parameters"
            if missing
            else "The optimizer has all parameters",
            severity=(Severity.HIGH if len(missing) == total else Severity.MEDIUM)
            if missing
            else Severity.NONE,
            # To train some layers only is usual; to hold tensors of another network is not.
            evidence=Evidence.CONFIRMED if none or not missing else Evidence.PREDICTED,
            remedy="all parameters" if missing else "",
            where=missing[0] if missing else "",
            value=counted(len(missing)),
            unit=f"of {total} trainable tensors are not in the parameter groups",
            expected="0",
            meaning="These tensors require a gradient, but are never updated."
            + (
                f" The optimizer also has {strangers} tensors that are not in the network."
                if strangers
                else ""
            )
            if missing
            else "Every trainable tensor is in a parameter group of the optimizer.",
            advice=(
                "Create the optimizer after the network has its final layers and weights and "
                "is on its device: optimizer = Optimizer(model.parameters(), ...)."
                if none
                else f"Add '{missing[0]}' to a parameter group, or freeze it with "
                "requires_grad_(False)."
            )
            if missing
            else "",
            explains=EXPLAINS if missing else (),
        )

    def _climbs(self) -> Finding:
        return self.finding(
            "The optimizer maximises the loss",
            severity=Severity.HIGH,
            evidence=Evidence.CONFIRMED,
            meaning="With maximize=True, training makes the loss as large as possible.",
            advice="Remove maximize=True, or pass the negative of the loss (check the sign "
            "of the loss).",
            change="- maximize=True",
            explains=EXPLAINS,
        )

    def _decay(self, subject: Subject) -> Iterator[Finding]:
        optimizer = subject.recipe.optimizer
        assert optimizer is not None, "given by the user"
        decayed = {
            id(p)
            for group in optimizer.param_groups
            if group.get("weight_decay", 0) > 0
            for p in group["params"]
        }
        vectors = [n for n, p in subject.parameters().items() if p.dim() < 2 and id(p) in decayed]
        if vectors:
            yield self.finding(
                "Weight decay on biases and norms",
                severity=Severity.LOW,
                where=vectors[0],
                value=counted(len(vectors)),
                unit="one-dimensional tensors",
                meaning="Weight decay pulls biases and the gains of normalisation layers to "
                "zero. This does not help.",
                advice="Put one-dimensional tensors into a parameter group with weight_decay=0.",
            )


def _outside(subject: Subject) -> Iterator[str]:
    """Leaves in the graph of the loss that need a gradient and are not parameters, by name."""
    try:
        batch = subject.labelled(SAMPLES)
    except NotApplicableError:
        batch = subject.data(SAMPLES)
    known = {id(p) for p in subject.model.parameters()} | {id(t) for t in batch.tensors()}
    with subject.borrowed(train=True):
        try:
            value = subject.loss(batch)
        except NotApplicableError:
            value = subject.output(batch).abs().sum()
        names = {id(t): name for name, t in _held(subject.model)}
        seen: set[int] = set()
        stack = [value.grad_fn]
        while stack:
            node = stack.pop()
            if node is None or id(node) in seen:
                continue
            seen.add(id(node))
            leaf = getattr(node, "variable", None)
            if isinstance(leaf, Tensor) and id(leaf) not in known:
                known.add(id(leaf))
                yield names.get(id(leaf), f"a tensor of shape {tuple(leaf.shape)}")
            stack += [upper for upper, _ in node.next_functions]


def _held(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Tensors in plain attributes, lists and dicts of modules, with a path."""
    for path, module in model.named_modules():
        for key, value in vars(module).items():
            if not key.startswith("_"):
                yield from _inside(f"{path}.{key}".lstrip("."), value, 0)


def _inside(path: str, value: object, depth: int) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield path, value
    elif isinstance(value, nn.Module):
        yield from ((f"{path}.{name}", p) for name, p in value.named_parameters())
    elif isinstance(value, dict) and depth < 3:
        for key, part in value.items():
            yield from _inside(f"{path}[{key!r}]", part, depth + 1)
    elif isinstance(value, list | tuple) and depth < 3 and len(value) < 10_000:
        for i, part in enumerate(value):
            yield from _inside(f"{path}[{i}]", part, depth + 1)
