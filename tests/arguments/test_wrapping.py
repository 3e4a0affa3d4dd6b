import importlib
import inspect
import math
import pickle
import re
import sys
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.fx import symbolic_trace
from torch.fx.proxy import TraceError

import corollary.theory.generalization.weight_spectra.layers as layers
from corollary.arguments import name_bad_arguments
from corollary.arguments.wrapping import wrapped
from corollary.errors import InputError, InputTypeError, NotFiniteError


@wrapped
def product(a: Float[Tensor, "m n"], b: Float[Tensor, "n k"]) -> Float[Tensor, "m k"]:
    """A @ B."""
    return a @ b


@wrapped
def gram(x: Tensor) -> Tensor:
    return product(x, x)


@wrapped
def tolerant(x: Tensor) -> str:
    try:
        gram(x)
    except RuntimeError:
        return "caught"
    return "good"


def test_the_function_keeps_its_name_signature_and_documentation():
    assert (product.__name__, product.__doc__) == ("product", "A @ B.")
    assert list(inspect.signature(product).parameters) == ["a", "b"]


def test_functions_are_pickled_by_name_also_those_that_a_table_of_their_module_holds(shapes):
    assert pickle.loads(pickle.dumps(layers.stable_rank)) is layers.stable_rank
    assert pickle.loads(pickle.dumps(shapes.half)) is shapes.half
    assert pickle.loads(pickle.dumps(shapes.TABLE)) == shapes.TABLE


def test_a_good_call_gives_what_the_function_gives():
    assert torch.equal(product(torch.eye(2), torch.ones(2, 1)), torch.ones(2, 1))


def test_a_raw_error_becomes_a_sentence_and_stays_its_cause():
    with pytest.raises(
        InputError, match="product: expected b to be .* with n = 3 as in a"
    ) as caught:
        product(torch.ones(2, 3), torch.ones(2, 3))
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_module_that_cannot_be_traced_says_why():
    class Branching(nn.Module):
        @wrapped
        def forward(self, x: Float[Tensor, "n d"]) -> Tensor:
            return x if x.sum() > 0 else -x

    with pytest.raises(TraceError, match="inputs to control flow"):
        symbolic_trace(Branching())


def test_an_error_that_no_argument_explains_stays_as_it_is():
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        gram(torch.ones(2, 3))  # the annotation allows it: a fault of ours, and it looks like one


def test_our_own_errors_pass():
    @wrapped
    def left(x: float) -> float:
        raise NotFiniteError("the loss left the finite numbers at step 3")

    with pytest.raises(NotFiniteError, match="step 3"):
        left("x")


def test_errors_of_the_users_own_classes_pass():
    class Enough(RuntimeError):
        """Raised by a callback."""

    @wrapped
    def train(steps: int, callback: Callable[[], None]) -> None:
        callback()

    def stop() -> None:
        raise Enough

    with pytest.raises(Enough):
        train(-1, stop)


def test_only_the_outermost_function_speaks_so_that_code_below_can_catch_errors():
    assert tolerant(torch.ones(2, 3)) == "caught"


def test_the_rooms_are_wrapped_when_they_are_imported():
    with pytest.raises(InputTypeError, match="stable_rank: expected values to be a float tensor"):
        layers.stable_rank("values")


MODULE = """
from dataclasses import dataclass
from math import sqrt

@dataclass(frozen=True)
class Disc:
    radius: float

    def __post_init__(self):
        self.radius + 1

    def cut(self, height: float) -> float:
        return 2 * sqrt(self.radius**2 - height**2)

def half(x: float) -> float:
    return x / 2

TABLE = {"half": half}

def _hidden(x: float) -> float:
    return x / 2
"""


@pytest.fixture
def shapes(tmp_path, monkeypatch):
    """A package whose module is imported with the finder, both forgotten afterwards."""
    (tmp_path / "someones").mkdir()
    (tmp_path / "someones" / "shapes.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    name_bad_arguments("someones")
    yield importlib.import_module("someones.shapes")
    del sys.modules["someones.shapes"], sys.modules["someones"]


def test_functions_constructors_and_methods_of_a_package_are_wrapped(shapes):
    assert shapes.half(3.0) == 1.5 and shapes.Disc(1.0).cut(0.0) == 2.0
    for call, words in [
        (shapes.half, "half: expected x to be float, got 'one' (str)"),
        (shapes.Disc, "Disc: expected radius to be float, got 'one' (str)"),
        (shapes.Disc(1.0).cut, "Disc.cut: expected height to be float, got 'one' (str)"),
    ]:
        with pytest.raises(InputTypeError, match=re.escape(words)):
            call("one")


def test_what_is_imported_or_private_is_not_wrapped(shapes):
    with pytest.raises(TypeError, match="unsupported operand"):
        shapes._hidden("one")
    assert shapes.sqrt is math.sqrt


class Shared(MetaPathFinder, Loader):
    """A finder that is the loader of all it finds, as pytest's is."""

    def find_spec(self, fullname, path, target=None):
        if fullname.startswith(("someones.", "others.")):
            return ModuleSpec(fullname, self)
        return ModuleSpec(fullname, self, is_package=True)

    def exec_module(self, module):
        exec("def half(x: float):\n    return x / 2\n", module.__dict__)


def test_a_loader_that_serves_other_modules_too_does_not_wrap_those(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", [Shared()])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    name_bad_arguments("someones")
    mine, theirs = (importlib.import_module(name) for name in ("someones.parts", "others.parts"))
    with pytest.raises(InputTypeError, match="half: expected x"):
        mine.half("one")
    with pytest.raises(TypeError, match="unsupported operand"):
        theirs.half("one")


def test_sources_are_still_found():
    assert inspect.getsource(layers.stable_rank).startswith("def stable_rank(")
