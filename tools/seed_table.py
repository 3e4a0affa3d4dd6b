"""Checks claims at many seeds and prints those that do not hold at every one.

    python tools/seed_table.py [--seeds 20] [--first 0] [--costs instant,seconds] [--jobs 2]

Each line is a claim with its verdicts; the last one counts them all. Ends with exit code 1 if a
claim is refuted, crashed or inapplicable at some seed, or if more than one check in a thousand is
undecided.
"""

import argparse
import sys
from collections import Counter

from joblib import Parallel, delayed

from corollary.core import Verdict
from corollary.registry import Entry, entries

UNDECIDED = 1e-3  # largest share of checks that may end undecided


def verdicts(entry: Entry, seeds: range) -> Counter[Verdict]:
    """How often each verdict came out; only the verdict is computed, no picture."""
    import torch

    torch.set_num_threads(1)
    found: Counter[Verdict] = Counter()
    claim = entry.load()()
    for seed in seeds:
        try:
            found[claim.check_given(claim.draw(seed), seed=seed, draw=False).verdict] += 1
        except Exception as error:
            print(f"{entry.name}, seed {seed}: {type(error).__name__}: {error}", file=sys.stderr)
            found[Verdict.CRASHED] += 1
    return found


def main() -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--costs", default="instant,seconds", help="costs, separated by commas")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.seeds)
    chosen = [e for e in entries() if not e.is_exam and e.cost in asked.costs.split(",")]
    chosen.sort(key=lambda e: e.cost == "instant")  # long ones first: no process is left alone
    found = Parallel(n_jobs=asked.jobs)(delayed(verdicts)(e, seeds) for e in chosen)
    total: Counter[Verdict] = Counter()
    for entry, counts in sorted(zip(chosen, found, strict=True), key=lambda pair: pair[0].name):
        total += counts
        if set(counts) - {Verdict.HOLDS, Verdict.VACUOUS}:
            print(f"{entry.name:50} {_words(counts)}")
    print(f"{len(chosen)} claims, {asked.seeds} seeds each: {_words(total)}")
    good = {Verdict.HOLDS, Verdict.VACUOUS, Verdict.INCONCLUSIVE}
    undecided = total[Verdict.INCONCLUSIVE] / total.total()
    return int(bool(set(total) - good) or undecided > UNDECIDED)


def _words(counts: Counter[Verdict]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())


if __name__ == "__main__":
    sys.exit(main())
