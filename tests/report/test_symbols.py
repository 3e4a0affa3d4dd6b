import pytest

from corollary.report.symbols import in_symbols


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("the bound is 2 pi sigma^2", "the bound is 2 π σ²"),
        ("lambda(A) >= mu > 0", "λ(A) ≥ μ > 0"),
        ("||x|| <= sqrt(d)", "‖x‖ ≤ √(d)"),
        ("ceil(log2(n)) < floor(n)", "⌈log2(n)⌉ < ⌊n⌋"),
        ("that is what the notes say", "that is what the notes say"),  # no hats on words
        ("beta_1 of alphabet, x -> y", "β₁ of alphabet, x → y"),
        ("floor(n is not closed", "floor(n is not closed"),
    ],
)
def test_typed_mathematics_is_shown_in_symbols(typed, shown):
    assert in_symbols(typed) == shown
