"""Runs instruments and exams on the strict device, and prints what went wrong as JSON.

``python child.py '{"float64": true, "instruments": true, "examine": ["mlp"], "only": null}'``
"""

import json
import sys
import traceback
from pathlib import Path
from typing import Any

import torch

import corollary

sys.path.insert(0, str(Path(__file__).parent))

import strict_device
from device_calls import CALLS
from small_networks import example


def outcome(call: Any, device: torch.device) -> str:
    """Nothing, or the error in one line."""
    try:
        call(device)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({last.filename}, line {last.lineno})"
    return ""


def examined(kind: str, device: Any, only: str | None) -> dict[str, str]:
    """Titles of the findings by exam and place; for those that failed, why."""
    net, data = example(kind)
    about: dict[str, Any] = {"lr": 0.01, "effort": "quick", "only": only, "progress": False}
    told: dict[str, str] = {}
    for f in corollary.examine(net.to(device), data, held_out=data, **about).findings:
        said = f.meaning if f.status.value == "failed" else f.title
        told[f"{f.exam} {f.where}"] = f"{f.status.value}: {said}"
    return told


def main() -> None:
    """The order of the command line, as it was carried out."""
    order = json.loads(sys.argv[1])
    device = strict_device.install(float64=order["float64"])
    found: dict[str, Any] = {}
    if order["instruments"]:
        found["instruments"] = {name: outcome(call, device) for name, call in CALLS.items()}
    for kind in order["examine"]:
        places = ("cpu", device)
        cpu, other = (examined(kind, place, order["only"]) for place in places)
        found[kind] = {"cpu": cpu, "strict": other}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
