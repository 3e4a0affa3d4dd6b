"""Every proof runs, uses each hypothesis, and is refuted when a step of it is changed."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from corollary.core.derivation import Step, derive, link, mutants, on_instances
from corollary.registry import Entry, proofs

TRIED: list[bool] = []  # whether each changed step was refuted
PROOFS = [pytest.param(entry, id=entry.name) for entry in proofs()]


@cache
def evaluated(entry: Entry) -> tuple[Any, Any, list[tuple[Step, ...]]]:
    assert entry.proof
    claim, module = entry.load()(), entry.proof.load()
    return claim, module, on_instances(claim, module)


@pytest.mark.parametrize("proved", PROOFS)
def test_every_step_holds_on_every_instance(proved):
    _, _, chains = evaluated(proved)
    for number, chain in enumerate(chains):
        wrong = [link(step) for step in chain if not link(step).holds]
        assert not wrong, f"instance {number}"


@pytest.mark.parametrize("proved", PROOFS)
def test_every_changed_step_is_refuted(proved):
    _, _, chains = evaluated(proved)
    refuted = dict(fates(chains))
    TRIED.extend(refuted.values())
    assert all(refuted.values()), [name for name, done in refuted.items() if not done]


def test_how_many_changed_steps_were_refuted_is_printed(capsys):
    with capsys.disabled():
        print(f" {sum(TRIED)} of {len(TRIED)} changed steps refuted ", end="")
    assert all(TRIED)


def fates(chains: list[tuple[Step, ...]]) -> Iterator[tuple[str, bool]]:
    """Each mutant, and whether one of the instances refutes it."""
    refuted: dict[str, bool] = {}
    for chain in chains:
        for number, step in enumerate(chain):
            for change, mutant in mutants(step):
                name = f"step {number}, {change}: {step.right.tex}"
                refuted[name] = refuted.get(name, False) or not link(mutant).holds
    yield from refuted.items()


@pytest.mark.parametrize("proved", PROOFS)
def test_without_a_hypothesis_a_step_breaks(proved):
    claim, module, _ = evaluated(proved)
    assert [b for b in derive(claim, module).without if b.step is None] == []


@pytest.mark.parametrize("proved", PROOFS)
def test_the_proof_of_the_notes_is_refuted_where_it_is_wrong(proved):
    claim, module, _ = evaluated(proved)
    if not hasattr(module, "as_printed"):
        return
    chains = on_instances(claim, module, module.as_printed)
    found = {n for chain in chains for n, step in enumerate(chain) if not link(step).holds}
    assert found == {n for n, step in enumerate(chains[0]) if step.wrong} != set()
