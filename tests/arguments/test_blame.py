import numpy as np
import pytest
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from corollary.arguments.blame import blamed, odd
from corollary.errors import InputError, InputTypeError

ERROR = RuntimeError("mat1 and mat2 shapes cannot be multiplied\nand more")


def fit(
    x: Float[Tensor, "n d"], y: Float[Tensor, " n"], steps: int = 10, *more: Tensor
) -> None: ...


def test_the_argument_that_does_not_fit_is_named_with_the_sizes_that_bind_it():
    error = blamed(fit, (torch.ones(5, 2), torch.ones(6)), {}, ERROR)
    assert type(error) is InputError
    assert str(error) == (
        "fit: expected y to be a float tensor of shape (n,) with n = 5 as in x, "
        "got a float32 tensor of shape (6,)"
    )


def test_another_type_is_a_type_error_that_says_what_was_given():
    error = blamed(fit, (None, torch.ones(6)), {}, ERROR)
    assert type(error) is InputTypeError
    assert str(error) == "fit: expected x to be a float tensor of shape (n, d), got None"


def test_a_tensor_where_none_is_taken_is_a_type_error():
    def inverse(of: nn.Module) -> None: ...

    assert type(blamed(inverse, (torch.eye(2),), {}, ERROR)) is InputTypeError


def test_arguments_given_by_name_and_by_star_are_looked_at():
    x, y = torch.ones(5, 2), torch.ones(5)
    assert "expected steps to be int, got 'ten' (str)" in str(
        blamed(fit, (x, y), {"steps": "ten"}, ERROR)
    )
    assert "expected more[1] to be Tensor, got 3 (int)" in str(
        blamed(fit, (x, y, 1, x, 3), {}, ERROR)
    )


def test_good_arguments_are_not_blamed():
    assert blamed(fit, (torch.ones(5, 2), torch.ones(5)), {"steps": 3}, ERROR) is None


def test_missing_arguments_are_left_to_python():
    assert blamed(fit, (), {}, TypeError("missing")) is None


def test_an_object_that_cannot_be_shown_does_not_hide_the_error():
    class Shy:
        def __repr__(self):
            raise AttributeError("not yet made")

    assert blamed(fit, (Shy(), torch.ones(5)), {}, ERROR) is None


def test_an_odd_value_is_blamed_with_the_first_line_of_the_reason():
    error = blamed(fit, (torch.ones(0, 2), torch.ones(0)), {}, ERROR)
    assert str(error) == (
        "fit failed on x, which has no entries: its shape is (0, 2) "
        "(mat1 and mat2 shapes cannot be multiplied)"
    )


def nan_weights() -> nn.Module:
    layer = nn.Linear(2, 2)
    nn.init.constant_(layer.weight, float("nan"))
    return layer


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (torch.tensor([1.0, float("nan")]), "has entries that are NaN or infinite"),
        (np.array([np.inf]), "has entries that are NaN or infinite"),
        (torch.ones(2, dtype=torch.complex64), "is complex: its dtype is torch.complex64"),
        (torch.tensor([2, -7]), "has an entry that is -7"),
        (nan_weights(), "has weights that are NaN or infinite"),
        (float("nan"), "is nan"),
        (-3, "is -3"),
        ([], "is empty"),
        ("", "is empty"),
        (torch.tensor([-1.0]), None),
        (nn.Linear(2, 2), None),
        (nn.LazyLinear(2), None),
        (torch.ones(2, device="meta"), None),
        (0, None),
        ((1.0, 2.0), None),
    ],
)
def test_what_is_odd_about_a_value(value, words):
    assert odd(value) == words


def test_labels_of_another_dtype_are_named():
    def classes(y: Int[Tensor, " n"]) -> None: ...

    error = blamed(classes, (torch.ones(3),), {}, ERROR)
    assert "to be an int tensor of shape (n,), got a float32 tensor of shape (3,)" in str(error)
