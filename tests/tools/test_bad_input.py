import inspect

import pytest
import torch
from bad_input import outcomes
from bad_input.examples import Public
from bad_input.walking import walk
from torch import Tensor, nn

from corollary.errors import InputError


def found(function, **arguments):
    """What the walk finds of one function with one recorded call."""
    entry = Public("here", function, inspect.signature(function), [arguments])
    return walk([entry], seconds=1.0)


def kinds(faults):
    return {fault.split(": ")[1].removesuffix(")") for fault in faults}


X = torch.tensor([1.0, 2.0, 3.0])


def test_a_number_made_of_nan_is_seen():
    def errors(margins: Tensor) -> Tensor:
        return (margins <= 0).to(margins.dtype)

    assert kinds(found(errors, margins=X)["swallowed"]) == {"all nan", "one nan"}


def test_a_count_alone_is_seen_but_not_beside_nan():
    def count(x: Tensor) -> int:
        return int((x > 2).sum())

    assert found(count, x=X)["swallowed"]
    assert not found(lambda x: (count(x), x.sum()), x=X)["swallowed"]


def test_a_part_of_the_result_that_does_not_depend_on_the_argument_may_stand():
    assert not found(lambda x: (len(x), 7.0, x.sum()), x=X)["swallowed"]


def test_nan_out_refusals_and_false_from_a_predicate_are_good():
    def positive(x: float) -> bool:
        return x > 0

    def root(x: float) -> float:
        if not x >= 0:
            raise InputError("x must not be negative")
        return x**0.5

    for given in (found(positive, x=1.0), found(root, x=1.0), found(lambda x: x.sum(), x=X)):
        assert not given["swallowed"] and given["calls"] >= 5


@pytest.mark.parametrize(
    ("function", "value", "kind"),
    [
        (lambda n: max(1, n), 3, "nan"),
        (lambda model: (model(X[:2]) > 0).sum(), nn.Linear(2, 2), "nan weights"),
        (lambda f: max(0.0, f(2.0)), lambda x: x + 1, "nan function"),
        (lambda values: max(0.0, *values[::-1]), [1.0, 2.0], "one nan"),
    ],
)
def test_nan_is_put_into_numbers_weights_functions_and_lists(function, value, kind):
    torch.manual_seed(0)
    (name,) = inspect.signature(function).parameters
    assert kinds(found(function, **{name: value})["swallowed"]) == {kind}


def test_raw_errors_and_loops_without_end_are_seen(monkeypatch):
    monkeypatch.setattr(outcomes, "SECONDS", 0.1)

    def forever(x: Tensor) -> Tensor:
        while not bool(x.isfinite().all()):
            pass
        return x @ x

    given = found(forever, x=X)
    assert kinds(given["hung"]) == {"all nan", "one nan", "inf"}
    assert {"wrong dtype", "None"} & kinds(given["raw error"])
