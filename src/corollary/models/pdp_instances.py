r"""The perceptron, the Hopfield network and the multilayer perceptron as seven parts each.

They differ in the connectivity (one row; symmetric without diagonal; blocks below the diagonal),
in the activation (three-valued sign; two-valued sign; anything smooth) and in the learning rule
(mistake driven; Hebb's; gradient descent). All else is shared.

:source: Perez Jensen (2025), Deep Learning, Section 1.3.
"""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.models.pdp import (
    Connectivity,
    Environment,
    LearningRule,
    PDPSystem,
    Units,
    weighted_sum,
)
from corollary.models.threshold import Sign


def identity(a: Tensor) -> Tensor:
    """States are outputs."""
    return a


def perceptron_system(x: Float[Tensor, "k d"], y: Float[Tensor, " k"]) -> PDPSystem:
    """Inputs 0 to d-1 and one unit that reads them, zero weights, Rosenblatt's rule.

    Example:
        >>> x, y = torch.tensor([[1.0, 2.0]]), torch.tensor([1.0])
        >>> perceptron_system(x, y).learn(0).connectivity.W[2]
        tensor([1., 2., 0.])
    """
    d = x.shape[1]
    mask = torch.zeros(d + 1, d + 1, dtype=torch.bool, device=x.device)
    mask[d, :d] = True
    return PDPSystem(
        units=Units(d + 1, ((d,),)),
        output=identity,
        connectivity=_unconnected(mask, x),
        propagation=weighted_sum,
        activation=torch.sign,
        learning=rosenblatt_rule,
        environment=Environment(x, tuple(range(d)), (d,), y[:, None]),
    )


def hopfield_system(patterns: Float[Tensor, "k n"], *, synchronous: bool = False) -> PDPSystem:
    """All units connected, signs as states, Hebb's rule (in counts, without the factor 1/n).

    Example:
        >>> stored = hopfield_system(torch.tensor([[1.0, 1.0, -1.0, -1.0]])).learn(0)
        >>> stored.step(torch.tensor([1.0, -1.0, -1.0, -1.0]))
        tensor([ 1.,  1., -1., -1.])
    """
    n = patterns.shape[1]
    every = tuple(range(n))
    mask = ~torch.eye(n, dtype=torch.bool, device=patterns.device)
    return PDPSystem(
        units=Units(n, (every,) if synchronous else tuple((i,) for i in every)),
        output=identity,
        connectivity=_unconnected(mask, patterns),
        propagation=weighted_sum,
        activation=Sign(at_zero=1),
        learning=hebb_rule,
        environment=Environment(patterns, every),
    )


def mlp_system(
    net: nn.Sequential, x: Float[Tensor, "k d"], y: Float[Tensor, "k q"], eta: float
) -> PDPSystem:
    """Linear layers with activations between them, squared error, gradient descent a pattern.

    Example:
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        >>> x, y = torch.ones(1, 2), torch.ones(1, 1)
        >>> torch.allclose(mlp_system(net, x, y, 0.1).present(0)[-1:], net(x)[0])
        True
    """
    linears, activations = _layers(net)
    widths = [linears[0].in_features, *(layer.out_features for layer in linears)]
    ends = torch.tensor([0, *widths]).cumsum(0).tolist()
    groups = tuple(tuple(range(a, b)) for a, b in zip(ends[1:], ends[2:], strict=False))
    mask = torch.zeros(ends[-1], ends[-1], dtype=torch.bool, device=x.device)
    W, b = torch.zeros_like(mask, dtype=x.dtype), x.new_zeros(ends[-1])
    for k, layer in enumerate(linears):
        rows, columns = slice(ends[k + 1], ends[k + 2]), slice(ends[k], ends[k + 1])
        mask[rows, columns] = True
        W[rows, columns] = layer.weight.detach()
        b[rows] = layer.bias.detach()
    return PDPSystem(
        units=Units(ends[-1], groups),
        output=identity,
        connectivity=Connectivity(W, b, mask),
        propagation=weighted_sum,
        activation=activations,
        learning=gradient_rule(eta),
        environment=Environment(x, tuple(range(widths[0])), groups[-1], y, nn.functional.mse_loss),
    )


def rosenblatt_rule(system: PDPSystem, i: int) -> Connectivity:
    """On a mistake, add the pattern times its label to the weights of the answering unit."""
    place, seen = list(system.environment.answer), system.present(i)
    target = system.environment.target(i)
    if torch.equal(seen[place], target):
        return system.connectivity
    db = torch.zeros_like(seen).index_fill(0, torch.tensor(place, device=seen.device), 1.0) * target
    return system.connectivity.changed(db[:, None] * seen, db)


def hebb_rule(system: PDPSystem, i: int) -> Connectivity:
    """What fires together wires together."""
    x = system.start(i)
    return system.connectivity.changed(x[:, None] * x, torch.zeros_like(x))


def gradient_rule(eta: float) -> LearningRule:
    """Downhill on the loss of the answer, by ``eta`` times the gradient."""

    def rule(system: PDPSystem, i: int) -> Connectivity:
        known, environment = system.connectivity, system.environment

        def loss(W: Tensor, b: Tensor) -> Tensor:
            free = replace(system, connectivity=Connectivity(W, b, known.mask))
            return environment.loss_of(free.present(i)[list(environment.answer)], i)

        dW, db = torch.func.grad(loss, argnums=(0, 1))(known.W, known.b)
        return known.changed(-eta * dW, -eta * db)

    return rule


def _unconnected(mask: Tensor, like: Tensor) -> Connectivity:
    return Connectivity(torch.zeros_like(mask, dtype=like.dtype), like.new_zeros(len(mask)), mask)


def _layers(net: nn.Sequential) -> tuple[list[nn.Linear], list[nn.Module]]:
    """Linear layers and the activation after each, the identity where there is none."""
    linears: list[nn.Linear] = []
    activations: list[nn.Module] = []
    for i, layer in enumerate(net):
        if isinstance(layer, nn.Linear) and layer.bias is not None:
            linears.append(layer)
            activations.append(nn.Identity())
        elif isinstance(layer, nn.Linear) or not linears or list(layer.parameters()):
            raise InputError(
                f"mlp_system needs Linear layers with bias and plain activations, but layer "
                f"'{i}' is {layer}"
            )
        else:
            activations[-1] = layer
    if not linears:
        raise InputError("mlp_system needs at least one Linear layer, but the network has none")
    return linears, activations
