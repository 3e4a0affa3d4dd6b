"""What rests on what: the graph of the ``:uses:`` fields. Standard library only.

A claim uses another if the argument for it invokes the other one, or if what it predicts is
computed from it. Nothing here decides that: heads of files say so, and a contract test compares
them with the code.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from graphlib import CycleError, TopologicalSorter

from corollary.errors import InputError, UnknownNameError
from corollary.registry import Entry, entries


@dataclass(frozen=True)
class Graph:
    """The claims by full name, each with those that it rests on directly."""

    uses: Mapping[str, tuple[str, ...]]

    @cached_property
    def used_by(self) -> dict[str, tuple[str, ...]]:
        """The claims that rest on each one directly."""
        found: dict[str, list[str]] = {name: [] for name in self.uses}
        for name, below in self.uses.items():
            for other in below:
                found[other].append(name)
        return {name: tuple(above) for name, above in found.items()}

    @property
    def edges(self) -> int:
        """How many pairs of claims there are of which one uses the other."""
        return sum(map(len, self.uses.values()))

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All claims, each after what it rests on.

        Raises:
            InputError: if a claim rests on itself.
        """
        try:
            return tuple(TopologicalSorter(self.uses).static_order())
        except CycleError as error:
            raise InputError(
                f"expected no cycle among the claims, got {' -> '.join(error.args[1])}"
            ) from None

    @cached_property
    def depth(self) -> dict[str, int]:
        """The length of the longest chain below each claim: 0 for what rests on nothing."""
        found: dict[str, int] = {}
        for name in self.order:
            found[name] = 1 + max((found[other] for other in self.uses[name]), default=-1)
        return found

    def below(self, *names: str) -> tuple[str, ...]:
        """All that these rest on, directly or not, each after what it rests on itself.

        Example:
            >>> Graph({"c": ("b",), "b": ("a",), "a": ()}).below("c")
            ('a', 'b')
        """
        return self._reached(names, self.uses)

    def above(self, *names: str) -> tuple[str, ...]:
        """All that rest on these, directly or not: what breaks if they fall.

        Example:
            >>> Graph({"c": ("b",), "b": ("a",), "a": ()}).above("a")
            ('b', 'c')
        """
        return self._reached(names, self.used_by)

    def _reached(
        self, names: Iterable[str], step: Mapping[str, tuple[str, ...]]
    ) -> tuple[str, ...]:
        seen: set[str] = set()
        queue = [other for name in names for other in step[name]]
        while queue:
            name = queue.pop()
            if name not in seen:
                seen.add(name)
                queue += step[name]
        return tuple(name for name in self.order if name in seen)

    def path(self, upper: str, lower: str) -> tuple[str, ...]:
        """A shortest chain from a claim down to one that it rests on; empty if it does not.

        Example:
            >>> Graph({"c": ("b", "a"), "b": ("a",), "a": ()}).path("c", "a")
            ('c', 'a')
        """
        came: dict[str, str] = {upper: ""}
        queue = deque([upper])
        while queue and lower not in came:
            name = queue.popleft()
            for other in self.uses[name]:
                if other not in came:
                    came[other] = name
                    queue.append(other)
        chain, name = list[str](), lower if lower in came else ""
        while name:
            chain.append(name)
            name = came[name]
        return tuple(reversed(chain))

    def common(self, one: str, other: str) -> tuple[str, ...]:
        """What both rest on and nothing else of both rests on: where their paths meet."""
        shared = set(self.below(one)) & set(self.below(other))
        return tuple(n for n in self.order if n in shared and not shared & set(self.used_by[n]))


@lru_cache(maxsize=1)
def graph() -> Graph:
    """The graph of all claims of the catalogue."""
    return graph_of(entry for entry in entries() if not entry.is_exam)


def graph_of(claims: Iterable[Entry]) -> Graph:
    """The graph of these claims.

    Raises:
        UnknownNameError: if one names a claim that is not among them.
    """
    found = list(claims)
    names = {entry.stem: entry.name for entry in found} | {e.name: e.name for e in found}
    for entry in found:
        if unknown := [name for name in entry.uses if name not in names]:
            raise UnknownNameError(f"{entry.name} uses {unknown[0]}, which is not a claim")
    return Graph({e.name: tuple(names[name] for name in e.uses) for e in found})
