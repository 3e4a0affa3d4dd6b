"""What the doors give is printed as a sentence or a small table, never as a dump of tensors."""

import dataclasses
import inspect
import types
from functools import cache
from importlib import import_module
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
import torch
from torch import nn

import corollary
from corollary import curvature, generalization, kernels, regions, robustness, spectra

DOORS = [curvature, generalization, kernels, regions, robustness, spectra]
LINES, WIDTH = 12, 220  # of what is printed


@cache
def setting() -> tuple[nn.Module, nn.Module, torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3)).double()
    x = torch.rand(12, 2, dtype=torch.float64)
    return model, nn.CrossEntropyLoss(), x, model(x).argmax(1)


def results() -> list[Any]:
    """One of everything."""
    model, loss, x, y = setting()
    wide, targets = kernels.infinite(model), nn.functional.one_hot(y, 3).double()
    tangent = kernels.ntk(model, x)
    gram = wide.kernel(x).nngp + torch.eye(12, dtype=torch.float64)
    density = curvature.spectral_density(model, loss, (x, y), steps=5)
    watch = curvature.EdgeOfStability(loss, (x, y))
    mosaic = regions.linear_regions(model)
    certify = robustness.Certifier(model, x)
    layer = nn.Linear(60, 80).double()
    (portrait,) = spectra.portraits(layer)
    tail = portrait.tail(draws=5)

    def loss_of(output: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(output, y, reduction="none")

    return [
        curvature.top_eigenpairs(model, loss, (x, y), 3),
        density,
        density.logarithmic(),
        curvature.diagonal(model, loss, (x, y)),
        curvature.extreme_eigenvalues(model, loss, (x, y)),
        curvature.critical_point(model, loss, (x, y)),
        curvature.squared_frobenius_norm(model, loss, (x, y)),
        curvature.trace(model, loss, (x, y)).estimate,
        curvature.trace(model, loss, (x, y)),
        curvature.noise_scale(model, loss, (x, y), groups=4, group_size=2),
        curvature.loss_slice(model, loss, (x, y), 2, points=3),
        curvature.largest_stable_step(model, loss, (x, y)),
        curvature.sharpness(model, loss, (x, y)),
        watch.read(model, step=3, eta=0.1),
        curvature.Landscape(model, loss, (x, y)),
        curvature.hessian(model, loss, (x, y)),
        curvature.gauss_newton(model, loss, (x, y)),
        curvature.fisher(model, loss, (x, y)),
        curvature.fisher(model, loss, (x, y), "empirical"),
        curvature.kfac(model, loss, (x, y)),
        curvature.inverse(curvature.gauss_newton(model, loss, (x, y)), damping=1.0),
        curvature.lsmr_inverse(model, loss, (x, y), damping=1.0),
        curvature.neumann_inverse(curvature.gauss_newton(model, loss, (x, y)), damping=1.0),
        curvature.submatrix(model, loss, (x, y), range(3)),
        curvature.Explicit(torch.eye(2)),
        wide,
        wide.kernel(x),
        wide.operator(x),
        kernels.TangentOperator(model, x),
        kernels.sampled_kernels(model, x, draws=2),
        kernels.regime(tangent, 2 * tangent, targets),
        kernels.fit_linearized(model, x, targets, ridge=1.0),
        kernels.cholesky(gram),
        kernels.conjugate_gradients(gram, targets),
        kernels.KernelFlow(gram, targets),
        kernels.ntk_regress(wide, x, targets, x, ridge=1.0),
        kernels.wide_ensemble(wide, x[:4], targets[:4], x),
        mosaic,
        mosaic.plane,
        mosaic.maps(),
        mosaic.neighbours(),
        regions.affine_pieces(model, x[0], x[1]),
        regions.local_affine_map(model, x),
        regions.sample_patterns(model, x),
        generalization.certificate(model, (x, y), steps=5, draws=100),
        generalization.empirical_risk(model, (x, y), loss_of),
        generalization.generalization_gap(model, (x, y), (x, y), loss_of),
        generalization.minimised_catoni(0.1, 5.0, 1000, 0.05),
        generalization.vacuity([2, 8, 3], 100),
        generalization.vc_dimension(
            import_module("corollary.theory.generalization.shattering").thresholds,
            lambda n, rng: torch.rand(n, 1, generator=rng, dtype=torch.float64),
            2,
        ),
        robustness.PGD(0.1)(model, x, y),
        robustness.robust_curve(robustness.PGD, model, x, y, [0.1, 0.3]),
        robustness.adversarial_risk(model, x, y, robustness.FGSM(0.1)),
        certify,
        robustness.prove(certify, x, y, 0.05),
        robustness.decided(certify, x, y, 0.05),
        robustness.lipschitz_certificate(certify),
        robustness.LiveBounds(model, x),
        robustness.Smoothed(0.1).certify(model, x),
        portrait,
        portrait.layer,
        portrait.spikes,
        portrait.log_norms,
        portrait.power_law,
        tail,
        spectra.compared(portrait.operator, portrait.power_law, "lognormal"),
        spectra.random_start(layer.weight, fans=(60, 80)),
        corollary.check("novikoff"),
        corollary.check("novikoff").results[0],
        corollary.train.fit(model, (x, y), loss, torch.optim.SGD(model.parameters(), 0.1), steps=2),
        corollary.examine(nn.Linear(2, 1), x.float(), only="soundness/finite"),
    ]


@pytest.fixture(scope="module")
def printed() -> dict[type, str]:
    return {type(found): repr(found) for found in results()}


def test_results_are_sentences_or_small_tables(printed):
    for kind, text in printed.items():
        fields = getattr(kind, "_fields", None) or tuple(getattr(kind, "__dataclass_fields__", "?"))
        plain = f"{kind.__name__}({fields[0]}="  # what dataclasses and named tuples say
        assert not text.startswith(plain) and " at 0x" not in text, f"{kind.__name__}: {text}"
        lines = text.splitlines()
        assert len(lines) <= LINES and max(map(len, lines)) <= WIDTH, f"{kind.__name__}: {text}"
        assert "tensor(" not in text and "array(" not in text, f"{kind.__name__}: {text}"


def named_by(hint: Any) -> set[type]:
    """The classes of a return annotation."""
    if get_origin(hint) in (Union, types.UnionType, tuple, list):
        return set().union(*(named_by(part) for part in get_args(hint)))
    return {hint} if inspect.isclass(hint) else set()


def is_result(kind: type) -> bool:
    record = dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")
    return record and kind.__module__.startswith("corollary.") and not kind.__name__.startswith("_")


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_every_record_that_a_function_behind_a_door_returns_is_printed_above(door, printed):
    functions = [inspect.unwrap(getattr(door, name)) for name in dir(door)]
    hints = [get_type_hints(f).get("return") for f in functions if inspect.isfunction(f)]
    given = {kind for hint in hints for kind in named_by(hint) if is_result(kind)}
    made = {kind for kind in given if any(base.__name__ in SETTINGS for base in kind.__mro__)}
    assert {kind.__name__ for kind in given - made} - {kind.__name__ for kind in printed} == set()


SETTINGS = {"Layer", "Branches", "PGD", "InTurn"}  # what is given to instruments, not by them
