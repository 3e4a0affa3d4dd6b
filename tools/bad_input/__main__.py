"""Walk every public function with bad input and count how it answers.

PYTHONPATH=tools python -m bad_input [--json FILE] [--thorough] [--only NAME]
"""

import argparse
import json
import os
import sys
import warnings
from pathlib import Path

import torch

from bad_input.examples import recorded
from bad_input.walking import walk


def main() -> None:
    """Walk, print one line, and write the faults to a file or to the screen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write counts and faults to this file")
    parser.add_argument("--thorough", action="store_true", help="three calls each, also slow ones")
    parser.add_argument("--only", default="", help="functions whose name contains this")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    kept, seconds = (3, 1.0) if options.thorough else (1, 0.1)
    entries = [entry for entry in recorded(kept) if entry.spoilable and options.only in entry.name]
    screen = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # LAPACK prints on bad input
    found = walk(entries, seconds)
    os.dup2(screen, 1)
    raw, count = len(found["raw error"]), found["calls"]
    print(
        f"bad input: {found['walked']} of {found['public']} functions, {count} calls, "
        f"{len(found['swallowed'])} swallowed NaN, {len(found['hung'])} hung, "
        f"{raw} raw errors ({raw / max(count, 1):.1%})"
    )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    else:
        print(*found["swallowed"], *found["hung"], *found["raw error"], sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
