from pathlib import Path

import pytest

from corollary.registry import Entry, Option, entries, places, suggestion

HEAD = r'''r"""A toy.

Line one begins
:math:`x = 1` with a role.

.. math:: a \le b

:source: Somebody (1999), "On toys".
    Second line.
:kind: bound
:covers: one, two,
    three
"""

@dataclass
class Toy(Claim[int]):
    n: int = 2**4 - 1  # points
    rate: float = option(0.5, low=-1.0, high=10**3)  # speed
    sizes: tuple[int, ...] = (1, 2)  # sizes
    where: str = SOMEWHERE  # place

    def hypotheses(self, given):
        yield Hypothesis("it is small", True)
        yield Hypothesis(f"n is {self.n} at least", True)
'''


def toy(tmp_path: Path) -> Entry:
    path = tmp_path / "toy.py"
    path.write_text(HEAD)
    return Entry("toys/toy", "toys.toy", path, HEAD.split('"""')[1])


def test_the_head_is_data_and_the_statement_keeps_its_roles(tmp_path):
    entry = toy(tmp_path)
    assert entry.title == "A toy"
    assert entry.source == 'Somebody (1999), "On toys". Second line.'
    assert entry.covers == ("one", "two", "three")
    assert ":math:`x = 1` with a role." in entry.statement
    assert ":source:" not in entry.statement


def test_options_and_hypotheses_are_read_without_importing(tmp_path):
    entry = toy(tmp_path)
    assert entry.options == (
        Option("n", "int", 15, "points"),
        Option("rate", "float", 0.5, "speed", -1.0, 1000),
        Option("sizes", "tuple[int, ...]", (1, 2), "sizes"),
        Option("where", "str", "SOMEWHERE", "place"),
    )
    assert entry.hypotheses == ("it is small", "n is n at least")


def test_every_entry_can_be_read(tmp_path):
    for entry in entries():
        assert entry.title and entry.statement
        assert isinstance(entry.options, tuple) and isinstance(entry.hypotheses, tuple)


def test_the_map_finds_classes_and_functions():
    known = {(p.slug, p.object) for p in places()}
    assert ("dataset-separable-gaussians", "") in known or any(
        slug == "dataset-separable-gaussians" for slug, _ in known
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("novikof", "did you mean novikoff?"),
        ("novikov", "did you mean novikoff?"),
        ("cover", "did you mean cover_counting or cover_transition?"),
        ("resnet", "depth_with_shortcuts mentions it"),
        ("gradient_descent", "mention it"),
        ("zzzz", "`corollary list` shows all names"),
        ("", "`corollary list` shows all names"),
    ],
)
def test_an_unknown_name_is_answered_with_names_that_have_to_do_with_it(name, told):
    assert suggestion(name).endswith(told)
