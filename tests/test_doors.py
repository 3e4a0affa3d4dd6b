"""The doors: short ways to the instruments, loaded on first use."""

import inspect
import subprocess
import sys
from importlib import import_module
from typing import Any, get_type_hints

import pytest
import torch
from torch import Generator

import corollary

DOORS = ["curvature", "data", "generalization", "kernels", "models", "regions", "robustness"]
DOORS += ["scaling", "spectra", "train"]
CALLS = ("__init__", "__call__")


def test_opening_every_door_imports_nothing_heavy():
    doors = "; ".join(f"dir(corollary.{door})" for door in DOORS)
    heavy = "{'torch', 'numpy', 'scipy'} & set(sys.modules)"
    code = f"import sys, corollary; {doors}; assert not ({heavy}), {heavy}"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("door", DOORS)
def test_every_name_behind_a_door_loads_and_is_documented(door):
    room = import_module(f"corollary.{door}")
    assert len(dir(room)) > 15
    assert [name for name in dir(room) if not inspect.getdoc(getattr(room, name))] == []


@pytest.mark.parametrize("name", dir(corollary))
def test_every_public_name_of_the_package_loads(name):
    assert getattr(corollary, name) is not None


RENAMED = {"empirical_ntk": "ntk", "from_module": "infinite", "certified_radius": "radius"}


@pytest.mark.parametrize(
    ("door", "room"),
    [
        ("kernels", "theory.kernels.infinite"),
        ("kernels", "theory.kernels.empirical"),
        ("kernels", "theory.kernels.learning"),
        ("curvature", "theory.landscape.curvature"),
        ("robustness", "theory.robustness"),
        ("robustness", "theory.robustness.certificates"),
    ],
)
def test_a_door_has_all_that_its_rooms_offer(door, room):
    offered = {RENAMED.get(name, name) for name in import_module(f"corollary.{room}").__all__}
    assert offered - set(dir(import_module(f"corollary.{door}"))) == set()


def test_a_name_wins_over_the_file_of_the_same_name():
    from corollary.data.two_moons import two_moons

    assert corollary.data.two_moons is two_moons
    assert sys.modules["corollary.data.two_moons"].two_moons is two_moons


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'corollary.kernels' has no attribute 'nkt'"):
        _ = corollary.kernels.nkt
    assert not hasattr(corollary, "kernel")


@pytest.mark.parametrize(
    ("short", "home", "name"),
    [
        ("kernels.ntk", "theory.kernels.empirical", "empirical_ntk"),
        ("kernels.infinite", "theory.kernels.infinite", "from_module"),
        ("robustness.radius", "theory.robustness.certificates", "certified_radius"),
        ("generalization.certificate", "train.pac_bayes", "pac_bayes_certificate"),
    ],
)
def test_short_names_are_the_functions_they_stand_for(short, home, name):
    door, _, given = short.partition(".")
    found = getattr(getattr(corollary, door), given)
    assert found is getattr(import_module(f"corollary.{home}"), name)


def drawing(door: str) -> dict[str, Any]:
    """Functions, constructors and methods behind a door that have an ``rng``."""
    room = import_module(f"corollary.{door}")
    found = {name: getattr(room, name) for name in dir(room)}
    for name, kind in list(found.items()):
        if inspect.isclass(kind):
            public = {m: f for m, f in vars(kind).items() if m in CALLS or not m.startswith("_")}
            found |= {f"{name}.{m}": f for m, f in public.items() if inspect.isfunction(f)}
    plain = {name: inspect.unwrap(f) for name, f in found.items() if inspect.isfunction(f)}
    return {name: f for name, f in plain.items() if "rng" in getattr(f, "__annotations__", {})}


@pytest.mark.parametrize("door", DOORS)
def test_whatever_draws_takes_a_seed_or_a_generator_and_works_without(door):
    # None is for what draws only if it is asked to, as the generation of text.
    allowed = {(int | Generator, 0), (int | Generator | None, None)}
    found = {
        name: (get_type_hints(f)["rng"], inspect.signature(f).parameters["rng"].default)
        for name, f in drawing(door).items()
    }
    assert {name: rng for name, rng in found.items() if rng not in allowed} == {}


def test_many_functions_draw():
    counts = {door: len(drawing(door)) for door in DOORS}
    assert counts["curvature"] > 10 and counts["robustness"] > 10 and counts["spectra"] > 2
    assert counts["data"] > 20 and counts["models"] > 20


def test_a_seed_is_a_generator_that_starts_there():
    rng = Generator().manual_seed(3)
    for make in (
        lambda **r: corollary.data.two_moons(9, **r)[0],
        lambda **r: corollary.models.MLP([2, 3, 1], **r).layers[0].affine.W,
    ):
        assert torch.equal(make(rng=3), make(rng=rng))
        assert torch.equal(make(), make(rng=0)) and not torch.equal(make(), make(rng=3))
        rng.manual_seed(3)


def test_a_claim_is_found_by_its_name():
    from corollary.claims.connectionism.novikoff import Novikoff

    assert corollary.claim("novikoff") is Novikoff
    with pytest.raises(corollary.errors.UnknownNameError, match="did you mean novikoff"):
        corollary.claim("novikov")
    with pytest.raises(corollary.errors.UnknownNameError, match="which is an exam"):
        corollary.claim("largest_step")
