"""Curvature at sizes in use: ResNet-18 and GPT-2 with 124 million parameters, on one core.

Each row is one call in a process of its own: CPU seconds without set-up (the graph, which is
built once), peak memory with it and without the vector that is multiplied. The reference is one
gradient. Products are at the full size (128 images of 32 x 32, one sequence of 128 tokens with
50,257 logits each); instruments that take many products and the peers are run once at a reduced
size, which the title says. Those of GPT-2 are for its last block, because they hold dozens of
vectors: a trace over all 124 million parameters took 18 GB. Networks are drawn, not trained. GPT-2
needs the transformers package; peers are left out where they are absent.

    python benchmarks/real_sizes.py [--json out/bench/real_sizes.json]
"""

import math
from collections.abc import Callable, Iterator
from importlib.util import find_spec

import torch
import torch.nn.functional as F
from apart import Cost, apart
from networks.large import ResNet18
from race import Lap, Race, main
from torch import Tensor, nn

from corollary.theory.landscape.curvature import (
    Landscape,
    gauss_newton,
    hessian,
    kfac,
    noise_scale,
    spectral_density,
    top_eigenpairs,
    trace,
)

Data = tuple[Tensor, Tensor]


class GPT2(nn.Module):
    """Tokens to logits, from the configuration alone."""

    def __init__(self) -> None:
        super().__init__()
        from transformers import GPT2Config, GPT2LMHeadModel

        self.body = GPT2LMHeadModel(GPT2Config())

    def forward(self, ids: Tensor) -> Tensor:
        return self.body(input_ids=ids, use_cache=False).logits


class TokenLoss(nn.CrossEntropyLoss):
    """The mean over all tokens."""

    def forward(self, z: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(z.flatten(0, -2), y.flatten())


def resnet(n: int) -> tuple[nn.Module, nn.Module, Data]:
    torch.manual_seed(0)
    data = torch.randn(n, 3, 32, 32), torch.randint(0, 10, (n,))
    return ResNet18().eval(), nn.CrossEntropyLoss(), data


def gpt2(n: int) -> tuple[nn.Module, nn.Module, Data]:
    torch.manual_seed(0)
    ids = torch.randint(0, 50257, (n, 129))
    return GPT2().eval(), TokenLoss(), (ids[:, :-1].contiguous(), ids[:, 1:].contiguous())


def gradient(model: nn.Module, loss: nn.Module, data: Data) -> Callable[[], object]:
    weights = list(model.parameters())
    return lambda: torch.autograd.grad(loss(model(data[0]), data[1]), weights)


def product(make: Callable[[], object], model: nn.Module) -> Callable[[], Iterator[object]]:
    """One product with an operator that is made before the clock starts; v was there before."""
    size = sum(p.numel() for p in model.parameters())
    v = torch.randn(size, generator=torch.Generator().manual_seed(1))

    def run() -> Iterator[object]:
        A = make()
        yield A
        kept = A.matvec(v) if hasattr(A, "matvec") else A @ v
        yield f"a vector of {len(kept):,}"

    return run


def peers(model: nn.Module, loss: nn.Module, data: Data) -> dict[str, Callable[[], object]]:
    found: dict[str, Callable[[], object]] = {}
    if find_spec("curvlinops") is not None:

        def curvlinops() -> object:
            from curvlinops import HessianLinearOperator

            weights = list(model.parameters())
            return HessianLinearOperator(model, loss, weights, [data], check_deterministic=False)

        found["curvlinops, Hessian product"] = product(curvlinops, model)
    if find_spec("hessian_eigenthings") is not None:

        def eigenthings() -> object:
            from hessian_eigenthings import HessianOperator, supervised_loss

            return HessianOperator(model, [data], supervised_loss(loss))

        found["hessian-eigenthings, Hessian product"] = product(eigenthings, model)
    return found


def rows(title: str, calls: dict[str, Callable[[], object]]) -> Race:
    """All calls, each once; the gradient comes first and is the reference."""
    costs = {name: apart(run) for name, run in calls.items()}
    base = costs["gradient"]
    laps = tuple(
        Lap(name, cost.seconds, cost.seconds, base.seconds / cost.seconds, None, told(cost, base))
        for name, cost in costs.items()
        if math.isfinite(cost.seconds)
    )
    failed = {name: cost.said[:120] for name, cost in costs.items() if cost.seconds != cost.seconds}
    return Race(title, "gradient", 1, laps, failed)


def told(cost: Cost, base: Cost) -> str:
    times, memory = cost.seconds / base.seconds, cost.megabytes / base.megabytes
    said = f"{times:.2g} gradients, {cost.megabytes:.0f} MB = {memory:.2g} times a gradient's"
    return f"{said}; {cost.said}" if cost.said else said


def resnet_products() -> Race:
    model, loss, data = resnet(128)
    return rows(
        "ResNet-18, 11.2 million parameters, 128 images",
        {
            "gradient": gradient(model, loss, data),
            "Hessian product": product(lambda: hessian(Landscape(model, loss, data)), model),
            "Gauss-Newton product": product(
                lambda: gauss_newton(Landscape(model, loss, data)), model
            ),
        },
    )


def resnet_instruments() -> Race:
    model, loss, data = resnet(8)
    at = Landscape(model, loss, data)
    return rows(
        "ResNet-18, 8 images",
        {
            "gradient": gradient(model, loss, data),
            "Hessian product": product(lambda: hessian(at), model),
            **peers(model, loss, data),
            "trace, at most 20 products": lambda: str(
                trace(at, rtol=0.1, max_products=20).estimate
            ),
            "density, 2 x 6 products": lambda: repr(spectral_density(at, probes=2, steps=6))[:60],
            "top 5 eigenpairs to 10 %, at most 40 products": lambda: eigen(
                top_eigenpairs(at, 5, tol=0.1, look=0, max_products=40)
            ),
            "KFAC, sampled": lambda: repr(kfac(at, "sampled"))[:60],
            "gradient noise scale, 8 groups": lambda: repr(noise_scale(at, groups=8, group_size=1)),
        },
    )


def gpt2_products() -> Race:
    model, loss, data = gpt2(1)
    return rows(
        "GPT-2, 124 million parameters, one sequence of 128 tokens",
        {
            "gradient": gradient(model, loss, data),
            "Hessian product": product(lambda: hessian(Landscape(model, loss, data)), model),
            "Gauss-Newton product": product(
                lambda: gauss_newton(Landscape(model, loss, data)), model
            ),
            **peers(model, loss, data),
            "trace of the last block, at most 20 products": lambda: trace_of(
                last_block(model, loss, data)
            ),
            "top 5 eigenpairs of the last block to 10 %": lambda: eigen(
                top_eigenpairs(last_block(model, loss, data), 5, tol=0.1, look=0, max_products=30)
            ),
            "density of the last block, 2 x 4 products": lambda: repr(
                spectral_density(last_block(model, loss, data), probes=2, steps=4)
            )[:60],
        },
    )


def gpt2_noise() -> Race:
    model, loss, data = gpt2(4)
    at = Landscape(model, loss, data)
    return rows(
        "GPT-2, four sequences of 128 tokens",
        {
            "gradient": gradient(model, loss, data),
            "gradient noise scale, 4 groups": lambda: repr(noise_scale(at, groups=4, group_size=1)),
        },
    )


def last_block(model: nn.Module, loss: nn.Module, data: Data) -> Landscape:
    return Landscape(model, loss, data, parameters="body.transformer.h.11")


def trace_of(at: Landscape) -> str:
    return str(trace(at, rtol=0.1, max_products=20).estimate)


def eigen(found: object) -> str:
    values = ", ".join(f"{v:.3g}" for v in found.values.tolist())
    return f"{found.products} products, {values}"


if __name__ == "__main__":
    large = [gpt2_products, gpt2_noise] if find_spec("transformers") is not None else []
    main(resnet_products, resnet_instruments, *large)
