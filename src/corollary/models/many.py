r"""Many networks of one shape, run and trained as one.

The parameters of :math:`R` networks are stacked, and every layer is one batched operation for all
of them. The sum :math:`\sum_r\mathcal L(\theta_r)` has the gradients of its terms, so a method that
treats every parameter on its own (gradient descent, momentum, Adam) trains each network as if it
were alone, at a fraction of the cost where the networks are small. A rule that looks at all
gradients together (clipping by their length, line search) would tie them to each other.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy

from jaxtyping import Float
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from corollary.errors import InputError


class Many(nn.Module):
    """From inputs that all networks share to their outputs, stacked in the first axis.

    The networks themselves are left as they are; :meth:`apart` gives them back as trained. Dropout
    is drawn for each of them anew, and BatchNorm keeps the statistics of each.

    Args:
        nets: Modules of one class with parameters of the same names and shapes.

    Example:
        >>> import torch
        >>> nets = [nn.Linear(2, 1) for _ in range(3)]
        >>> many, x = Many(nets), torch.ones(5, 2)
        >>> many(x).shape
        torch.Size([3, 5, 1])
        >>> torch.allclose(many(x)[1], nets[1](x))
        True
    """

    shape: nn.Module

    def __init__(self, nets: Sequence[nn.Module]) -> None:
        super().__init__()
        nets = list(nets)
        _check_alike(nets)
        parameters, buffers = stack_module_state(nets)
        self.names, self.buffer_names = list(parameters), list(buffers)
        self.theta = nn.ParameterList(v.detach() for v in parameters.values())
        for i, value in enumerate(buffers.values()):
            self.register_buffer(f"buffer_{i}", value)
        object.__setattr__(self, "shape", deepcopy(nets[0]))  # no child: it has no say of its own

    def __len__(self) -> int:
        return len(self.theta[0])

    def forward(self, *inputs: Tensor) -> Float[Tensor, "R ..."]:
        """The outputs of all networks."""
        self.shape.train(self.training)

        def one(parameters: dict[str, Tensor], buffers: dict[str, Tensor]) -> Tensor:
            output: Tensor = functional_call(self.shape, (parameters, buffers), inputs)
            return output

        return vmap(one, randomness="different")(*self._state())

    def apart(self) -> list[nn.Module]:
        """The networks one by one, with the parameters that they have now.

        Example:
            >>> import torch
            >>> many = Many([nn.Linear(2, 1) for _ in range(3)])
            >>> x = torch.ones(5, 2)
            >>> torch.allclose(many.apart()[2](x), many(x)[2])
            True
        """
        state = {k: v.detach() for part in self._state() for k, v in part.items()}
        nets = []
        for r in range(len(self)):
            net = deepcopy(self.shape).train(self.training)
            net.load_state_dict({k: v[r] for k, v in state.items()}, strict=False)
            nets.append(net)
        return nets

    def _state(self) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        buffers = [getattr(self, f"buffer_{i}") for i in range(len(self.buffer_names))]
        return (
            dict(zip(self.names, self.theta, strict=True)),
            dict(zip(self.buffer_names, buffers, strict=True)),
        )


def summed(loss: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The sum of a scalar loss over the outputs of many networks, held against the same targets.

    Example:
        >>> import torch
        >>> two = torch.tensor([[0.0, 0.0], [1.0, 3.0]])  # two networks, two points
        >>> summed(nn.functional.mse_loss)(two, torch.zeros(2)).item()  # 0 + (1 + 9) / 2
        5.0
    """

    def total(outputs: Tensor, *targets: Tensor) -> Tensor:
        return vmap(lambda output: loss(output, *targets))(outputs).sum()

    return total


def _check_alike(nets: list[nn.Module]) -> None:
    if not nets or not any(True for _ in nets[0].parameters()):
        what = f"{type(nets[0]).__name__} has none" if nets else "there is no network"
        raise InputError(f"Many stacks parameters, but {what}")
    first = _shapes(nets[0])
    for r, net in enumerate(nets):
        shapes = _shapes(net)
        differ = sorted(k for k in shapes | first if shapes.get(k) != first.get(k))
        if differ or type(net) is not type(nets[0]):
            what = f"'{differ[0]}'" if differ else f"its class, {type(net).__name__}"
            raise InputError(
                f"Many needs networks of the same shape, but network {r} differs from network "
                f"0 in {what}; a narrow ReLU layer can be padded with zeros, which stay zero"
            )
        if net.training is not nets[0].training:
            raise InputError(
                f"network {r} is not in the same mode as network 0; call .train() on all networks"
            )


def _shapes(net: nn.Module) -> dict[str, tuple[int, ...]]:
    return {k: tuple(v.shape) for k, v in net.state_dict().items()}
