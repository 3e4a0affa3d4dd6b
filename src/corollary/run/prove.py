"""Carries out the proof of a claim on what the claim draws."""

from dataclasses import replace
from typing import Any

from corollary.core import Claim, Derivation, derive
from corollary.errors import UnknownNameError
from corollary.registry import Entry, find
from corollary.run.torch_defaults import torch_defaults


def prove(name: str, *, seed: int = 0, **options: Any) -> Derivation:
    """Carry out the proof of a claim; ``options`` set parameters of the claim.

    Example:
        >>> proof = prove("novikoff")
        >>> proof.holds, len(proof.links)
        (True, 6)

    Raises:
        UnknownNameError: if there is no such claim, or no proof of it.
    """
    entry = find(name)
    if entry.proof is None:
        raise _no_proof(entry)
    return prove_entry(entry, entry.load()(**options), seed)


def prove_entry(entry: Entry, claim: Claim[Any], seed: int = 0) -> Derivation:
    """The same for an existing claim."""
    if entry.proof is None:
        raise _no_proof(entry)
    with torch_defaults():
        made = derive(claim, entry.proof.load(), seed=seed)
    return replace(made, formal=entry.proof.fields.get("formal", ""))


def _no_proof(entry: Entry) -> UnknownNameError:
    return UnknownNameError(
        f"there is no proof of '{entry.name}'; `corollary prove` lists the proofs that exist"
    )
