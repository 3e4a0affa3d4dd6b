"""One run in several processes: each computes its part of a batch, and gradients are added up.

The mean over a batch is the sum of all parts over the count of all parts, so parts may be unequal,
or empty. What is wrapped for the exchange of gradients (by torch's DistributedDataParallel, or by
``fully_shard``) is not the model but the computation of a batch's value: a ``call`` may use the
model in any way, and the user's module stays what it is.

BatchNorm normalises by the part of the batch that its process has (torch's SyncBatchNorm is for
CUDA only), so with it the run differs from that of one process; running means are those of the
first process.
"""

import inspect
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.optim import LBFGS, Optimizer

from corollary.errors import InputError
from corollary.train.objective import Loss, Piece, as_piece, finite, is_sum, positive
from corollary.train.preparation import parameters_of
from corollary.train.team import Spare, Team, part_of


class _Valued(nn.Module):
    """The value of a batch as a module, with the parameters of the model and of the loss."""

    def __init__(self, model: nn.Module, loss: Loss, call: Callable[..., Any]) -> None:
        super().__init__()
        self.model, self.loss, self.call = model, loss, call

    def forward(self, *batch: Tensor) -> Piece:
        piece = as_piece(self.call(self.model, self.loss, *batch), self.loss, batch)
        return piece._replace(total=piece.total.clone())  # torch's hooks do not like views


class Parallel:
    """A model shared out among the processes of a team, each with all of its parameters."""

    def __init__(
        self,
        team: Team,
        model: nn.Module,
        loss: Loss,
        call: Callable[..., Any],
        optimizer: Any = None,
    ) -> None:
        self.team, self.model, self.loss = team, model, loss
        self.blameless = True  # whether this process's part of the last batch had a finite value
        self.valued = _Valued(model, loss, call)
        self.check(any(is_sharded(p) for p in self.valued.parameters()), optimizer)
        for tensor in [*self.valued.parameters(), *self.valued.buffers()]:
            if not is_sharded(tensor):
                team.spread([tensor])
        self._wrap()

    def _wrap(self) -> None:
        # Never used: without a parameter that is, torch complains that it looks for such.
        self.valued.unused = nn.Parameter(torch.zeros(1, device=self.team.device))
        names = inspect.signature(DistributedDataParallel.__init__).parameters
        name = "forward_sync_buffers" if "forward_sync_buffers" in names else "broadcast_buffers"
        options: dict[str, Any] = {name: False, "find_unused_parameters": True}
        self.ddp = DistributedDataParallel(self.valued, **options)
        self.wrapped: nn.Module = self.ddp

    def check(self, sharded: bool, optimizer: Any) -> None:
        """Refuse, before anything is changed, what this way of sharing cannot take."""
        if sharded:
            raise InputError("the model is sharded already; train it with sharding='fsdp2'")

    def check_optimizer(self, optimizer: Optimizer) -> None:
        """Refuse an optimizer with parameters that are not exchanged."""
        mine = {id(p) for p in self.valued.parameters()}
        if any(id(p) not in mine for p in parameters_of(optimizer)):
            raise InputError(
                "the optimizer has a parameter that belongs neither to the model nor to the "
                "loss, and several processes cannot train it; make it a parameter of the "
                "model"
            )

    def gradient(
        self, batch: tuple[Tensor, ...], accumulate: int, clear: Callable[[], None]
    ) -> float:
        """Leave the gradient of the whole batch in the parameters and return its value."""
        total, count = 0.0, 0.0
        for number in range(accumulate):
            self._exchange(number == accumulate - 1)
            piece = self._piece(part_of(batch, number, accumulate))
            sums = self.team.sums(piece.total.detach(), piece.divisor)
            total, count = total + finite(sums[0]), count + sums[1]
            if number == 0:
                clear()
            at_once = accumulate == 1 and not is_sum(self.loss)
            # Torch takes the mean over processes, where a sum is meant.
            (piece.total * (self.team.size / (positive(count) if at_once else 1.0))).backward()
        if is_sum(self.loss):
            return total
        if accumulate > 1:
            for parameter in self.valued.parameters():
                if parameter.grad is not None:
                    parameter.grad.div_(positive(count))
        return total / count

    def _piece(self, part: tuple[Tensor, ...]) -> Piece:
        """Sum and count of this process."""
        piece: Piece = self.wrapped(*part)
        if isinstance(part, Spare):
            piece = Piece(piece.total * 0.0, 0.0)
        self.blameless = math.isfinite(float(piece.total.detach()))
        return piece

    def _exchange(self, wanted: bool) -> None:
        self.ddp.require_backward_grad_sync = wanted

    def after_step(self) -> None:
        """Buffers, such as running means, are those of the first process."""
        self.team.spread(list(self.valued.buffers()))

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Within the block every process has all parameters; all must enter it."""
        yield

    def release(self) -> None:
        """Give the model back without wrappers; waits for the other processes."""


class FullySharded(Parallel):
    """A model of which each process keeps a part of every parameter, gradient and moment.

    All of them are gathered for the length of a step. What torch's ``fully_shard`` was called on
    before, block by block, is gathered block by block.
    """

    def check(self, sharded: bool, optimizer: Any) -> None:
        """See :meth:`Parallel.check`."""
        if isinstance(optimizer, Optimizer) and not sharded:
            raise InputError(
                "with sharding='fsdp2' the optimizer must be created after the parameters "
                "are sharded; pass a function of the parameters, such as lambda p: Adam(p, "
                "lr=0.001)"
            )

    def check_optimizer(self, optimizer: Optimizer) -> None:
        """See :meth:`Parallel.check_optimizer`."""
        super().check_optimizer(optimizer)
        if isinstance(optimizer, LBFGS):
            raise InputError("LBFGS needs the whole gradient at once; use sharding='ddp'")

    def _wrap(self) -> None:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        self.slots = [
            (module, name, parameter)
            for module in self.valued.modules()
            for name, parameter in module._parameters.items()
            if parameter is not None and not is_sharded(parameter)
        ]
        mesh = init_device_mesh(self.team.device.type, (self.team.size,))
        try:
            self.sharded = fully_shard(self.valued, mesh=mesh)
        except (ValueError, NotImplementedError) as error:
            raise InputError(f"torch cannot shard this model: {error}") from None
        self.wrapped = self.valued  # sharded in place
        for _, _, parameter in self.slots:
            parameter.data = parameter.data.new_empty(0)  # the shards are copies

    def _exchange(self, wanted: bool) -> None:
        self.sharded.set_requires_gradient_sync(wanted)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """See :meth:`Parallel.whole`."""
        self.sharded.unshard()
        try:
            yield
        finally:
            self.sharded.reshard()

    def release(self) -> None:
        """See :meth:`Parallel.release`; a model that came sharded stays so."""
        done: set[int] = set()
        for module, name, parameter in self.slots:
            if id(parameter) not in done:
                done.add(id(parameter))
                sharded: Any = module._parameters[name]  # a DTensor
                parameter.data = sharded.full_tensor().detach()
        for module, name, parameter in self.slots:
            module._parameters[name] = parameter
        for module in self.model.modules():
            for mark in ("_is_fsdp_managed_module", "_fsdp_use_orig_params"):
                module.__dict__.pop(mark, None)
        self.slots = []


def described(model: nn.Module) -> str:
    """A word by which models of different make are told apart.

    Example:
        >>> described(nn.Linear(2, 3))
        'Linear with 9 parameters'
    """
    return f"{type(model).__name__} with {sum(p.numel() for p in model.parameters())} parameters"


def is_sharded(tensor: Tensor) -> bool:
    """Whether the tensor is spread over processes.

    Example:
        >>> is_sharded(torch.ones(2))
        False
    """
    return hasattr(tensor, "device_mesh")
