"""Properties in VNN-LIB, read."""

import pytest

from corollary.errors import InputError
from corollary.theory.robustness.verification.properties import nonempty, read_property

DECLARED = "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)\n"
DECLARED += "(declare-const Y_1 Real)\n"
BOX = "(assert (<= X_0 1.0))(assert (>= X_0 -1))(assert (<= X_1 2e0))(assert (>= X_1 0.5)) ; x\n"


def test_bounds_and_rows_of_outputs():
    (case,) = read_property(DECLARED + BOX + "(assert (<= Y_0 Y_1))(assert (>= Y_1 3.5))")
    assert case.lower.tolist() == [-1.0, 0.5]
    assert case.upper.tolist() == [1.0, 2.0]
    assert case.A.tolist() == [[1.0, -1.0], [0.0, -1.0]]
    assert case.b.tolist() == [0.0, -3.5]


def test_alternatives_of_inputs_and_outputs_are_multiplied():
    boxes = "(assert (or (and (<= X_0 1) (>= X_0 0)) (and (<= X_0 3) (>= X_0 2))))"
    boxes += "(assert (<= X_1 1))(assert (>= X_1 0))"
    rows = "(assert (or (and (<= Y_0 Y_1)) (and (<= Y_1 0) (<= Y_0 0)) (>= Y_0 9)))"
    cases = read_property(DECLARED + boxes + rows)
    assert [(float(c.lower[0]), len(c.A)) for c in cases] == [
        (0, 1),
        (0, 2),
        (0, 1),
        (2, 1),
        (2, 2),
        (2, 1),
    ]


def test_sums_and_multiples_are_linear():
    (case,) = read_property(
        DECLARED + BOX + "(assert (<= (+ (* 2.0 Y_0) (- Y_1) 1.0) (- Y_0 (* Y_1 3))))"
    )
    assert (case.A.tolist(), case.b.tolist()) == ([[1.0, 2.0]], [-1.0])


def test_a_box_without_inputs_is_left_out():
    cases = read_property(DECLARED + BOX + "(assert (<= X_0 -2))(assert (<= Y_0 0))")
    assert list(nonempty(cases)) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("(assert (<= X_0 1))", "fewer for X_0"),
        (BOX + "(assert (<= X_0 Y_0))", "got one of X_0, Y_0"),
        (BOX + "(assert (<= (* Y_0 Y_1) 1))", "linear term"),
        (BOX + "(assert (<= Y_0 one))", "got 'one'"),
        (BOX + "(assert (= Y_0 1))", "got '='"),
        (BOX + "(assert (<= Y_0 1)", "not closed"),
        ("", "0 assertions"),
    ],
)
def test_what_cannot_be_read_is_told(text, told):
    with pytest.raises(InputError, match="expected") as caught:
        read_property(DECLARED + text)
    assert told in str(caught.value)
