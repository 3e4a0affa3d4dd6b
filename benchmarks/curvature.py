"""Curvature of a loss against its peers: ``python benchmarks/curvature.py``.

Peers are optional: ``pip install curvlinops-for-pytorch pyhessian`` (into an environment that
shares this torch, or on ``PYTHONPATH``). Without them our own numbers and the floor (one gradient
pass) are printed. PyHessian's density is absent: its release calls ``torch.eig``, which is gone.
"""

import functools
import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

import torch
from apart import apart
from race import Race, main, race
from torch import Generator, Tensor, nn

from corollary.theory.landscape.curvature import (
    Landscape,
    hessian,
    kfac,
    spectral_density,
    top_eigenpairs,
    trace,
)

K, TOL = 10, 1e-4  # eigenpairs, relative residual
FEW = 2  # eigenpairs by power iteration, whose cost is linear in their number
PROBES, STEPS = 2, 30  # of the density


class Problem(NamedTuple):
    """A network after a few passes over noisy classes, as a landscape is met in practice."""

    module: nn.Module
    x: Tensor
    y: Tensor

    @property
    def landscape(self) -> Landscape:
        """Ours, from scratch."""
        return Landscape(self.module, nn.CrossEntropyLoss(), (self.x, self.y))

    def gradient(self) -> tuple[Tensor, ...]:
        """The floor: one gradient pass."""
        value = nn.functional.cross_entropy(self.module(self.x), self.y)
        return torch.autograd.grad(value, tuple(self.module.parameters()))


def mlp() -> nn.Module:
    return nn.Sequential(
        nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)
    )


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 49, 10),
    )


@functools.cache
def problem(make: Callable[[], nn.Module], n: int, shape: tuple[int, ...]) -> Problem:
    g = Generator().manual_seed(0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        module = make()
    y = torch.randint(0, 10, (n,), generator=g)
    x = 0.7 * torch.randn(n, *shape, generator=g)
    x += 0.3 * torch.randn(10, *shape, generator=g)[y]
    noisy = torch.rand(n, generator=g) < 0.1
    y = torch.where(noisy, torch.randint(0, 10, (n,), generator=g), y)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.05, momentum=0.9)
    for _ in range(5):
        for rows in torch.randperm(n, generator=g).split(250):
            optimizer.zero_grad()
            nn.functional.cross_entropy(module(x[rows]), y[rows]).backward()
            optimizer.step()
    return Problem(module, x, y)


def mlp_problem() -> Problem:
    return problem(mlp, 2000, (784,))


def cnn_problem() -> Problem:
    return problem(cnn, 500, (1, 28, 28))


@functools.cache
def has(peer: str) -> bool:
    """Whether a peer can be imported; says once what to install if not."""
    found = find_spec(peer) is not None
    if not found:
        name = {"curvlinops": "curvlinops-for-pytorch"}.get(peer, peer)
        print(f"{peer} is not installed and is left out: pip install {name}", file=sys.stderr)
    return found


def curvlinops_hessian(p: Problem):
    from curvlinops import HessianLinearOperator

    params = [q for q in p.module.parameters() if q.requires_grad]
    data = [(p.x, p.y)]
    return HessianLinearOperator(
        p.module, nn.CrossEntropyLoss(), params, data, check_deterministic=False
    )


def curvlinops_kfac(p: Problem):
    from curvlinops import KFACLinearOperator

    params = [q for q in p.module.parameters() if q.requires_grad]
    return KFACLinearOperator(
        p.module,
        nn.CrossEntropyLoss(),
        params,
        [(p.x, p.y)],
        fisher_type="type-2",
        separate_weight_and_bias=False,
        check_deterministic=False,
    )


def pyhessian_hessian(p: Problem):
    from pyhessian import hessian as made

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it calls backward(create_graph=True)
        out = made(p.module, nn.CrossEntropyLoss(), data=(p.x, p.y), cuda=False)
    return out


def linearised(p: Problem) -> tuple[Callable[[list[Tensor]], object], float]:
    """``torch.func.linearize`` of the gradient, and the CPU seconds it takes to trace."""
    named = dict(p.module.named_parameters())
    names, values = list(named), tuple(q.detach() for q in named.values())

    def loss(params: tuple[Tensor, ...]) -> Tensor:
        replaced = dict(zip(names, params, strict=True))
        z = torch.func.functional_call(p.module, replaced, (p.x,), tie_weights=False)
        return nn.functional.cross_entropy(z, p.y)

    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own tracing speaks of its modules
        _, product = torch.func.linearize(torch.func.grad(loss), values)
    return lambda parts: product(tuple(parts)), time.process_time() - start


def forget_gradients(p: Problem) -> None:
    for q in p.module.parameters():  # PyHessian leaves graphs behind them
        q.grad = None


def _product(name: str, p: Problem) -> Race:
    def once() -> Tensor:
        H = hessian(p.landscape)
        return H @ torch.ones(H.size)

    slope, ours = apart(p.gradient).megabytes, apart(once).megabytes
    H = hessian(p.landscape)
    v = torch.randn(H.size, generator=Generator().manual_seed(1))
    traced, seconds = linearised(p)
    parts = H.landscape.split(v)
    contenders = {
        "corollary": lambda: H @ v,
        "gradient pass": p.gradient,
        "torch.func.linearize": lambda: traced(parts),
    }
    reference = "gradient pass"
    if has("pyhessian"):
        from pyhessian.utils import hessian_vector_product

        made = pyhessian_hessian(p)
        contenders["PyHessian"] = lambda: hessian_vector_product(made.gradsH, made.params, parts)
        flat = torch.cat([a.reshape(-1) for a in contenders["PyHessian"]()])
        assert torch.allclose(flat, H @ v, rtol=1e-3, atol=1e-5 * float(flat.abs().max()))
        reference = "PyHessian"
    if has("curvlinops"):
        C = curvlinops_hessian(p)
        contenders["curvlinops"] = lambda: C @ v
        reference = "curvlinops"
    facts = {
        "parameters": H.size,
        "path": H.path,
        "memory of a gradient (MB)": round(slope),
        "memory of a product (MB)": round(ours),
        "memory ratio": round(ours / slope, 2),
    }
    out = race(
        f"One Hessian product, {name}",
        contenders,
        reference=reference,
        floor="gradient pass",
        rounds=9,
        facts=facts,
    )
    forget_gradients(p)
    return out


def _worst_residual(p: Problem, values: Tensor, vectors: Tensor) -> str:
    H = hessian(p.landscape)
    gaps = (H @ vectors - vectors * values).norm(dim=0) / values.abs()
    return f"worst relative residual {float(gaps.max()):.1e}"


def _eigen(name: str, p: Problem) -> Race:
    found = top_eigenpairs(p.landscape, K, tol=TOL)
    notes = {
        "corollary": f"{found.products} products, "
        + _worst_residual(p, found.values, found.vectors)
    }
    contenders: dict[str, Callable[[], object]] = {
        "corollary": lambda: top_eigenpairs(p.landscape, K, tol=TOL)
    }
    reference = "corollary"
    if has("curvlinops"):
        from scipy.sparse.linalg import eigsh

        def arpack():
            return eigsh(curvlinops_hessian(p).to_scipy(), k=K, which="LA", tol=TOL)

        contenders["curvlinops + eigsh"], reference = arpack, "curvlinops + eigsh"
        values, vectors = (torch.from_numpy(a.copy()).float() for a in arpack())
        notes["curvlinops + eigsh"] = _worst_residual(p, values, vectors)
    facts = {"eigenpairs": K, "tol": TOL, "set-up": "included"}
    if has("pyhessian"):  # by power iteration, too slow for all of them and for more than one run
        start = time.process_time()
        values, vectors = pyhessian_hessian(p).eigenvalues(top_n=FEW)
        seconds = time.process_time() - start
        forget_gradients(p)
        flat = torch.stack([torch.cat([a.reshape(-1) for a in v]) for v in vectors], dim=1)
        quality = _worst_residual(p, torch.tensor(values), flat)
        facts[f"PyHessian, {FEW} pairs, one run"] = f"{seconds:.1f} s with {quality}"
    return race(
        f"Top {K} eigenpairs, {name}",
        contenders,
        reference=reference,
        rounds=2,
        notes=notes,
        facts=facts,
    )


def _trace(name: str, p: Problem) -> Race:
    truth = trace(p.landscape, rtol=0.02, max_products=300).estimate
    found = trace(p.landscape, rtol=0.05, rng=Generator().manual_seed(3))
    notes = {"corollary": f"{found.products} products, {found.estimate}"}
    contenders: dict[str, Callable[[], object]] = {
        "corollary": lambda: trace(p.landscape, rtol=0.05, rng=Generator().manual_seed(3))
    }
    reference, same = "corollary", 3 * -(-found.products // 3)
    if has("curvlinops"):
        from curvlinops import hutchpp_trace

        def hutch():
            torch.manual_seed(3)  # it draws from the global generator
            return float(hutchpp_trace(curvlinops_hessian(p), same))

        contenders["curvlinops hutch++"], reference = hutch, "curvlinops hutch++"
        notes["curvlinops hutch++"] = f"{same} products, {hutch():.4g}, no interval"
    facts = {"to": "5 % at 95 %", "reference": str(truth)}
    return race(
        f"Trace, {name}", contenders, reference=reference, rounds=2, notes=notes, facts=facts
    )


def _density(name: str, p: Problem) -> Race:
    contenders: dict[str, Callable[[], object]] = {
        "corollary": lambda: spectral_density(p.landscape, probes=PROBES, steps=STEPS)
    }
    reference = "corollary"
    if has("curvlinops"):
        from curvlinops import lanczos_approximate_spectrum

        ends = spectral_density(p.landscape, probes=2, steps=15).grid
        bounds = float(ends[0]), float(ends[-1])  # given, so that it need not look for them

        def peer():
            return lanczos_approximate_spectrum(
                curvlinops_hessian(p), STEPS, num_repeats=PROBES, boundaries=bounds
            )

        contenders["curvlinops"], reference = peer, "curvlinops"
    facts = {"probes": PROBES, "steps": STEPS, "set-up": "included"}
    return race(f"Spectral density, {name}", contenders, reference=reference, rounds=2, facts=facts)


def _kfac(name: str, p: Problem) -> Race:
    v = torch.randn(p.landscape.size, generator=Generator().manual_seed(1))
    contenders: dict[str, Callable[[], Tensor]] = {
        "corollary": lambda: kfac(p.landscape).inverse(0.01) @ v
    }
    reference = "corollary"
    if has("curvlinops"):
        from curvlinops import KFACInverseLinearOperator

        def peer() -> Tensor:
            K = curvlinops_kfac(p)
            return KFACInverseLinearOperator(K, damping=0.01, use_exact_damping=True) @ v

        contenders["curvlinops"], reference = peer, "curvlinops"
        ours, theirs = contenders["corollary"](), peer()
        assert float((ours - theirs).norm()) <= 1e-3 * float(theirs.norm())
    facts = {"damping": 0.01, "factors": "exact", "set-up": "included"}
    return race(
        f"KFAC and one product with its inverse, {name}",
        contenders,
        reference=reference,
        rounds=3,
        facts=facts,
    )


def _named(measure: Callable[[str, Problem], Race], word: str) -> list[Callable[[], Race]]:
    def on_mlp() -> Race:
        return measure("MLP 784-256-256-10, n = 2000", mlp_problem())

    def on_cnn() -> Race:
        return measure("small CNN, n = 500", cnn_problem())

    on_mlp.__name__, on_cnn.__name__ = f"{word}_mlp", f"{word}_cnn"
    return [on_mlp, on_cnn]


if __name__ == "__main__":
    main(
        *_named(_product, "product"),
        *_named(_eigen, "eigen"),
        *_named(_trace, "trace"),
        *_named(_density, "density"),
        *_named(_kfac, "kfac"),
    )
