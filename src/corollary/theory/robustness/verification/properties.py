r"""Properties in VNN-LIB: boxes of inputs, and linear inequalities that unsafe outputs satisfy.

A file asserts what a counterexample would satisfy: bounds on the inputs ``X_i`` and inequalities in
the outputs ``Y_j``, joined by ``and`` and ``or``. It is read as a list of cases, each a box of
inputs with rows :math:`Ay\le b`; the property is violated if in some case an input of the box has
outputs that satisfy all rows.

:source: VNN-LIB, the verification of neural networks library, vnnlib.org.
"""

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

TOKEN = re.compile(r"[()]|[^\s()]+")
MOST = 100_000  # cases
Row = tuple[dict[str, float], float]  # coefficients and constant: sum <= constant


@dataclass(frozen=True)
class Case:
    """One way to violate a property."""

    lower: Float[Tensor, " d"]  # of the inputs
    upper: Float[Tensor, " d"]
    A: Float[Tensor, "r k"]  # outputs with Ay <= b are unsafe
    b: Float[Tensor, " r"]


def read_property(text: str) -> list[Case]:
    """The cases of a VNN-LIB file.

    Raises:
        InputError: if the text is not VNN-LIB, an input has no bounds, or an inequality is not
            linear or mixes inputs and outputs.

    Example:
        >>> text = '''(declare-const X_0 Real) (declare-const Y_0 Real)
        ... (assert (>= X_0 -1.0)) (assert (<= X_0 1.0))
        ... (assert (or (and (>= Y_0 2.0)) (and (<= Y_0 -2.0))))'''
        >>> [(case.A.tolist(), case.b.tolist()) for case in read_property(text)]
        [([[-1.0]], [-2.0]), ([[1.0]], [-2.0])]
    """
    names: list[str] = []
    asserted: list[Any] = []
    for form in _forms(re.sub(r";[^\n]*", " ", text)):
        if not isinstance(form, list) or not form:
            raise InputError(f"expected VNN-LIB, got '{form}' outside of parentheses")
        if form[0] == "declare-const":
            names.append(form[1])
        elif form[0] == "assert":
            asserted.append(form[1])
    inputs = [n for n in names if n.startswith("X_")]
    outputs = [n for n in names if n.startswith("Y_")]
    if not inputs or not outputs or not asserted:
        raise InputError(
            "expected VNN-LIB with inputs X_0, X_1, ..., outputs Y_0, Y_1, ... and assertions, got "
            f"{len(inputs)} inputs, {len(outputs)} outputs and {len(asserted)} assertions"
        )
    return [_case(rows, len(inputs), len(outputs)) for rows in _cases(["and", *asserted])]


def _forms(text: str) -> list[Any]:
    """Nested lists of words."""
    stack: list[list[Any]] = [[]]
    for token in TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise InputError("expected VNN-LIB, got a closing parenthesis too many")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) > 1:
        raise InputError("expected VNN-LIB, got a parenthesis that is not closed")
    return stack[0]


def _cases(form: Any) -> list[list[Row]]:
    """Alternatives, each a list of rows that hold together."""
    kind, *parts = form
    if kind == "or":
        return [rows for part in parts for rows in _cases(part)]
    if kind == "and":
        each = [_cases(part) for part in parts]
        if math.prod(map(len, each)) > MOST:
            raise InputError(f"expected at most {MOST} cases in a property; split it into files")
        return [list(itertools.chain(*rows)) for rows in itertools.product(*each)]
    if kind in ("<=", ">=", "<", ">") and len(parts) == 2:
        low, high = parts if kind[0] == "<" else parts[::-1]
        (a, s), (c, t) = _linear(low), _linear(high)
        return [[({n: a.get(n, 0.0) - c.get(n, 0.0) for n in (*a, *c)}, t - s)]]
    raise InputError(f"expected and, or, <= or >= in an assertion, got '{kind}'")


def _linear(form: Any) -> Row:
    """Coefficients by name, and a constant."""
    if isinstance(form, str):
        if form.startswith(("X_", "Y_")):
            return {form: 1.0}, 0.0
        return {}, _number(form)
    kind, *parts = form
    terms = [_linear(part) for part in parts]
    if kind == "*" and len(terms) == 2:
        factors = [t for t in terms if not t[0]]
        if factors:
            other = terms[1] if terms[0] is factors[0] else terms[0]
            return {n: v * factors[0][1] for n, v in other[0].items()}, other[1] * factors[0][1]
    if kind in ("+", "-") and terms:
        signs = [1.0] * len(terms) if kind == "+" else [1.0] + [-1.0] * (len(terms) - 1)
        if kind == "-" and len(terms) == 1:
            signs = [-1.0]
        total: dict[str, float] = {}
        for sign, (a, _) in zip(signs, terms, strict=True):
            for name, value in a.items():
                total[name] = total.get(name, 0.0) + sign * value
        return total, sum(sign * s for sign, (_, s) in zip(signs, terms, strict=True))
    raise InputError(f"expected a linear term of X_i and Y_j, got '({kind} ...)'")


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InputError(f"expected a number or a name X_i or Y_j, got '{word}'") from None


def _case(rows: list[Row], d: int, k: int) -> Case:
    lower, upper = torch.full((2, d), math.inf, dtype=torch.float64) * torch.tensor([[-1.0], [1.0]])
    A, b = [], []
    for coefficients, constant in rows:
        used = {n: v for n, v in coefficients.items() if v}
        if all(n.startswith("Y_") for n in used):
            A.append([used.get(f"Y_{j}", 0.0) for j in range(k)])
            b.append(constant)
        elif len(used) == 1:
            ((name, value),) = used.items()
            i, bound = _place(name, d), constant / value
            if value > 0:
                upper[i] = min(float(upper[i]), bound)
            else:
                lower[i] = max(float(lower[i]), bound)
        else:
            raise InputError(
                f"expected bounds on single inputs and inequalities of outputs, got one of "
                f"{', '.join(sorted(used))}"
            )
    for i in range(d):
        if not math.isfinite(float(upper[i] - lower[i])):
            raise InputError(f"expected two bounds for every input, got fewer for X_{i}")
    return Case(lower, upper, torch.tensor(A, dtype=torch.float64).reshape(-1, k), _vector(b))


def _vector(values: list[float]) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def _place(name: str, d: int) -> int:
    place = int(name[2:])
    if place >= d:
        raise InputError(f"{name} is not declared")
    return place


def nonempty(cases: list[Case]) -> Iterator[Case]:
    """Those whose box holds an input."""
    return (case for case in cases if bool((case.lower <= case.upper).all()))
