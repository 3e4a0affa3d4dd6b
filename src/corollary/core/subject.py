"""A user's module with its data, loss and calling convention, made safe to examine."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LRScheduler
from torch.utils.data import DataLoader

from corollary.core.batch import Batch
from corollary.core.calling import suited
from corollary.core.default_losses import Loss, named_loss, suited_loss
from corollary.core.gathering import gather
from corollary.core.graphs import held_out_nodes
from corollary.core.randomness import generator
from corollary.core.recipe import Optimization, recipe_of
from corollary.errors import InputError, InputTypeError, NotApplicableError
from corollary.theory.modules.differentiable import differentiable
from corollary.theory.modules.keeping import kept

LIKELY_OUTPUTS = ("logits", "output", "outputs", "prediction", "y", "last_hidden_state")
FORWARD = 3  # passes forward that are the work of one forward and backward
TAKES_WHOLE = "the loss takes the whole output"  # in the memo
Output = int | str | Callable[[Any], Tensor]


class Subject:
    """The network under examination. The module is used in place and restored afterwards.

    Args:
        model: Any ``nn.Module``; the data are moved to its device.
        data: ``(x, y)``, ``((x1, x2), y)``, ``(x, (y1, y2))``, a dict of tensors with ``labels``
            among them, one tensor of inputs, graphs, a Dataset, or a DataLoader or other iterable
            of such batches.
        loss: ``loss(output, target)``, a name (``cross_entropy``, ``mse``, ``bce``), or None for
            the model's own loss, or else one chosen from output and target.
        lr: The learning rate the user trains with.
        batch_size: The batch size the user trains with.
        optimizer: The optimizer the user trains with: an instance on the module's parameters, a
            function of parameters, or a string such as ``adamw:lr=3e-4,weight_decay=0.1``.
        scheduler: The schedule of its learning rate, if there is one.
        steps: Optimizer steps of the whole training.
        epochs: Passes over the data of the whole training.
        symmetry: A transformation that should not change the answers: ``permutation`` of the
            elements of a set, ``translation``, ``reflection`` or ``rotation`` of images; or
            ``equivariance``.
        output: Which part of a structured output is *the* output: a key, an index or a function.
        held_out: Data that the module has not been trained on, in the form of ``data``.
        samples: The largest number of samples taken from the data.
        seed: The seed of all random draws in the exams.
    """

    def __init__(
        self,
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
    ) -> None:
        if not isinstance(model, nn.Module):
            raise InputTypeError(
                f"expected a torch.nn.Module, got {type(model).__name__}; "
                "pass the module itself, built and ready to call"
            )
        if batch_size is None and isinstance(data, DataLoader):
            batch_size = data.batch_size
        self.model, self.batch_size, self.seed = model, batch_size, seed
        self.samples = samples
        self.most: int | None = None  # samples of one pass; None if all are little work
        self.recipe = recipe_of(
            model,
            optimizer,
            lr,
            scheduler=scheduler,
            batch_size=batch_size,
            steps=steps,
            epochs=epochs,
        )
        self.lr = lr if optimizer is None else self.recipe.lr  # None if it was not told
        self.symmetry = symmetry
        self.modes_given = {name: _mode(m) for name, m in model.named_modules()}
        self.selector = output
        self.loader = data if isinstance(data, DataLoader) else None
        self.in_order = self.loader is not None  # batches come in the user's own order
        self.writes_input = False  # whether forward was seen to change the data it is given
        self.memo: dict[str, Any] = {}  # what one exam computed and others may take up
        self._loss = named_loss(loss) if isinstance(loss, str) else loss
        self.batch: Batch | None = None if data is None else self._gathered(data, samples)
        self.held_out: Batch | None = None
        if held_out is not None:
            self.held_out = held_out_nodes(self._gathered(held_out, samples))

    def _gathered(self, data: Any, samples: int) -> Batch:
        batch = suited(gather(data, samples), self.model, own_loss=self._loss is None)
        return batch if self.device is None else batch.to(self.device)

    @property
    def device(self) -> torch.device | None:
        """Where the module's first tensor is, and so the data; None if it has no tensors."""
        held = itertools.chain(self.model.parameters(), self.model.buffers())
        return next((tensor.device for tensor in held), None)

    @property
    def name(self) -> str:
        """The module's class."""
        return type(self.model).__name__

    def parameters(self) -> dict[str, nn.Parameter]:
        """Trainable parameters by name; a shared parameter has only its first name."""
        return {k: p for k, p in self.model.named_parameters() if p.requires_grad}

    def data(self, n: int | None = None) -> Batch:
        """The first ``n`` samples (by default all), but no more than one pass may have.

        Raises:
            NotApplicableError: if the subject has no data.
        """
        batch, limits = self.everything(), [k for k in (n, self.most) if k is not None]
        return batch.first(min(limits)) if limits else batch

    def everything(self) -> Batch:
        """All samples that were gathered, to inspect or to sample from.

        Raises:
            NotApplicableError: if the subject has no data.
        """
        if self.batch is None:
            raise NotApplicableError("expected data, got none")
        return self.batch

    def labelled(self, n: int | None = None) -> Batch:
        """Like :meth:`data`, with targets or the model's own loss."""
        return _with_targets(self.data(n))

    def all_labelled(self) -> Batch:
        """Like :meth:`everything`, with targets or the model's own loss."""
        return _with_targets(self.everything())

    def fresh(self) -> Batch | None:
        """Held-out samples, but no more than one forward pass may have."""
        few = None if self.most is None else FORWARD * self.most
        return self.held_out if self.held_out is None or few is None else self.held_out.first(few)

    @contextmanager
    def borrowed(self, *, train: bool = False) -> Iterator[nn.Module]:
        """The module in eval mode (or train mode), on kernels with second derivatives.

        All changes inside the block are undone. The block can be nested.
        """
        with kept(self.model), differentiable(), torch.enable_grad():
            torch.manual_seed(self.seed)  # dropout and the like repeat; undone with the rest
            self.model.train(train)
            yield self.model

    def call(self, batch: Batch) -> Any:
        """The module's raw output."""
        return batch.answers(self.model(*batch.inputs, **batch.named))

    def output(self, batch: Batch) -> Tensor:
        """*The* output: the tensor itself, or the likely part of a dict, tuple or record."""
        return self.pick(self.call(batch))

    def pick(self, raw: Any) -> Tensor:
        """The output tensor within a raw output."""
        if callable(self.selector):
            return self.selector(raw)
        if self.selector is not None:
            return raw[self.selector]  # type: ignore[no-any-return]
        found = _likely(raw)
        if found is None:
            raise NotApplicableError(
                f"expected one float tensor as the output, got {_shape_of(raw)}; "
                "pass output=<key, index or function>"
            )
        return found

    def loss(self, batch: Batch) -> Tensor:
        """The scalar training loss on a batch."""
        return self.loss_of_raw(self.call(batch), batch.target)

    def loss_of_raw(self, raw: Any, target: Any) -> Tensor:
        """The loss of a raw output: the user's loss, or else the loss that the model returns."""
        if self._loss is None:
            own = _own_loss(raw)
            if own is not None:
                return own
        elif not isinstance(target, Tensor | None):
            return _one_number(self._loss(raw, target))
        elif self.selector is None and not isinstance(raw, Tensor) and target is not None:
            value = self._loss_of_whole(raw, target)
            if value is not None:
                return value
        return self.loss_of(self.pick(raw), target)

    def _loss_of_whole(self, raw: Any, target: Any) -> Tensor | None:
        """The user's loss of a structured output, if the loss accepts one."""
        if self.memo.get(TAKES_WHOLE) is False or self._loss is None:
            return None
        try:
            value = self._loss(raw, target)
        except Exception:  # written for a tensor: whatever it raises then
            if TAKES_WHOLE in self.memo:
                raise
            self.memo[TAKES_WHOLE] = False
            return None
        self.memo[TAKES_WHOLE] = isinstance(value, Tensor) and value.dim() == 0
        return value if self.memo[TAKES_WHOLE] else None

    def loss_of(self, output: Tensor, target: Any) -> Tensor:
        """The loss of an existing output."""
        if target is None:
            raise NotApplicableError("expected a loss or targets in the data, got neither")
        loss = self._loss or suited_loss(output, target)
        return _one_number(loss(output, target))

    def rng(self, *names: str) -> torch.Generator:
        """A separate generator for the stream called ``names``."""
        return generator(self.seed, *names)

    def describe(self) -> dict[str, Any]:
        """Plain facts for the head of a report."""
        parameters = list(self.model.parameters())
        facts: dict[str, Any] = {
            "module": self.name,
            "parameters": sum(p.numel() for p in parameters),
            "trainable": sum(p.numel() for p in parameters if p.requires_grad),
            "dtypes": sorted({str(p.dtype).removeprefix("torch.") for p in parameters}),
            "seed": self.seed,
        }
        facts |= self.recipe.describe()
        if self.batch is not None:
            facts |= {"samples": self.batch.size, "data": self.batch.describe()}
        return facts


def _with_targets(batch: Batch) -> Batch:
    if batch.target is None and "labels" not in batch.named:
        raise NotApplicableError("expected targets in the data, got only inputs")
    return batch


def _mode(module: nn.Module) -> bool:
    """Whether the module is in train mode; a frozen script has no mode and counts as eval."""
    return bool(getattr(module, "training", False))


def _one_number(value: Any) -> Tensor:
    if not isinstance(value, Tensor) or value.dim() != 0:
        raise InputError(
            f"expected a loss that returns one number, got {_shape_of(value)}; reduce the "
            "loss with mean or sum"
        )
    return value


def _own_loss(raw: Any) -> Tensor | None:
    """The loss that a module returns with its output: by name, or as the first item of a tuple."""
    if isinstance(raw, Mapping):
        own = raw.get("loss")
    elif isinstance(raw, tuple) and not hasattr(raw, "loss"):
        own = raw[0] if len(raw) > 1 else None
    else:
        own = getattr(raw, "loss", None)
    return own if isinstance(own, Tensor) and own.dim() == 0 and own.is_floating_point() else None


def _likely(raw: Any) -> Tensor | None:
    if isinstance(raw, Tensor):
        return raw if raw.is_floating_point() or raw.is_complex() else None
    if isinstance(raw, Mapping):
        for key in LIKELY_OUTPUTS:
            if _likely(raw.get(key)) is not None:
                return _likely(raw[key])
        parts = [v for k, v in raw.items() if k != "loss"]
    elif isinstance(raw, list | tuple):
        parts = sorted(raw, key=lambda part: isinstance(part, Tensor) and part.dim() == 0)
    else:
        parts = list(vars(raw).values()) if hasattr(raw, "__dict__") else []
    found = (_likely(part) for part in parts)
    return next((tensor for tensor in found if tensor is not None), None)


def _shape_of(raw: Any) -> str:
    if isinstance(raw, Tensor):
        return f"a tensor of shape {tuple(raw.shape)} and type {raw.dtype}"
    if isinstance(raw, Mapping):
        return f"type {type(raw).__name__} with keys {', '.join(map(str, raw))}"
    return f"type {type(raw).__name__}"
