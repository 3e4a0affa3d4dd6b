from itertools import product

import pytest
import torch

from corollary.errors import InputError
from corollary.models.mcculloch_pitts import (
    McCullochPitts,
    TwoLevel,
    and_unit,
    at_least_unit,
    boolean_cube,
    majority_unit,
    nand_unit,
    not_unit,
    or_unit,
    truth_table_circuit,
)

SIZES = range(1, 7)


def table(unit, n):
    return unit(boolean_cube(n)).tolist()


def expected(n, rule):
    """Truth table by Python's own logic."""
    return [int(rule(row)) for row in product([False, True], repeat=n)]


@pytest.mark.parametrize("n", SIZES)
def test_the_builders_have_the_truth_tables_of_their_names(n):
    assert table(and_unit(n), n) == expected(n, all)
    assert table(or_unit(n), n) == expected(n, any)
    assert table(nand_unit(n), n) == expected(n, lambda row: not all(row))
    assert table(majority_unit(n), n) == expected(n, lambda row: sum(row) > n / 2)
    for k in range(n + 1):
        assert table(at_least_unit(k, n), n) == expected(n, lambda row, k=k: sum(row) >= k)


def test_not_is_a_unit_with_one_inhibiting_synapse():
    assert table(not_unit(), 1) == [1, 0]


def test_no_signs_and_threshold_give_exclusive_or():
    reached = {
        tuple(table(McCullochPitts(signs, threshold), 2))
        for signs in product([-1, 1], repeat=2)
        for threshold in torch.arange(-3, 3.25, 0.25).tolist()
    }
    assert (0, 1, 1, 0) not in reached and (1, 0, 0, 1) not in reached
    assert len(reached) == 10


def test_two_levels_give_exclusive_or():
    xor = TwoLevel([or_unit(2), nand_unit(2)], and_unit(2))
    assert table(xor, 2) == [0, 1, 1, 0]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_two_levels_compute_every_boolean_function(n):
    for wanted in product([0, 1], repeat=2**n):
        assert table(truth_table_circuit(wanted), n) == list(wanted)


def test_wires_choose_the_inputs_of_each_unit():
    circuit = TwoLevel([and_unit(2), not_unit()], or_unit(2), wires=[[0, 1], [2]])
    assert table(circuit, 3) == expected(3, lambda row: (row[0] and row[1]) or not row[2])


def test_any_number_type_and_batch_shape_is_taken():
    x = boolean_cube(3)
    for kind in (torch.bool, torch.float32, torch.uint8):
        assert and_unit(3)(x.to(kind)).tolist() == and_unit(3)(x).tolist()
    assert and_unit(3)(x.reshape(2, 4, 3)).shape == (2, 4)


@pytest.mark.parametrize("signs", [[1, 0], [2, 1], [], [1.0, torch.nan], [[1, 1]]])
def test_other_synapses_are_refused(signs):
    with pytest.raises(InputError, match="-1 and"):
        McCullochPitts(torch.tensor(signs), 1)


@pytest.mark.parametrize("value", [0.5, -1.0, 2.0, torch.nan])
def test_inputs_that_are_not_boolean_are_refused(value):
    with pytest.raises(InputError, match="inputs 0 or 1, got"):
        and_unit(2)(torch.tensor([1.0, value]))


def test_wrong_shapes_are_refused_in_one_sentence():
    with pytest.raises(InputError, match=r"expected 2 inputs per point, got shape \(4, 3\)"):
        and_unit(2)(torch.zeros(4, 3))
    with pytest.raises(InputError, match="expected 2 units for the output unit to read, got 1"):
        TwoLevel([or_unit(2)], and_unit(2))
    with pytest.raises(InputError, match="wires"):
        TwoLevel([or_unit(2)], and_unit(1), wires=[[0, 1, 2]])
    with pytest.raises(InputError, match="2, 4, 8"):
        truth_table_circuit([0, 1, 1])
    with pytest.raises(InputError, match="0 <= k <= n"):
        at_least_unit(3, 2)
    with pytest.raises(InputError, match="NaN"):
        McCullochPitts([1], float("nan"))
    with pytest.raises(InputError, match="at least one input"):
        boolean_cube(0)
