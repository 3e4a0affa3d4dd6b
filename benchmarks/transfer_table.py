"""Tables of ``benchmarks/transfer.py``: the best learning rate at each width, from the run file."""

import math
from collections import defaultdict
from typing import Any

Row = dict[str, Any]
Key = tuple[str, str, int, int, float]  # network, parametrisation, batch, steps, decay


def table(rows: list[Row]) -> str:
    """Best learning rates and losses in Markdown: one table over widths, one of other settings."""
    found = best(rows)
    usual = {key: w for key, w in found.items() if key == _usual(found, key[0], key[1])}
    head = ["network", "parametrisation", "width: best learning rate (loss)", "drift"]
    head.append("excess at the largest width with the rate of the smallest")
    lines = ["| " + " | ".join(head) + " |", "| --- | --- | --- | --- | --- |"]
    losses = curves(rows)
    for key, widths in usual.items():
        cells = "; ".join(f"{n}: {_power(r)} ({loss:.3f})" for n, (r, loss) in widths.items())
        regret = excess(losses[key], widths)
        lines.append(f"| {key[0]} | {key[1]} | {cells} | {drift(widths)} | {regret} |")
    lines += ["", "| MLP, muP, changed | width: best learning rate (loss) | drift | excess |"]
    lines.append("| --- | --- | --- | --- |")
    for key, widths in found.items():
        if key not in usual:
            cells = "; ".join(f"{n}: {_power(r)} ({loss:.3f})" for n, (r, loss) in widths.items())
            about = f"batch {key[2]}, {key[3]} steps, weight decay {key[4]:g}"
            regret = excess(losses[key], widths)
            lines.append(f"| {about} | {cells} | {drift(widths)} | {regret} |")
    return "\n".join(lines)


def curves(rows: list[Row]) -> dict[Key, dict[int, dict[int, float]]]:
    """Mean loss over seeds by setting, width and power of the learning rate; lost runs are inf."""
    losses: dict[Key, dict[int, dict[int, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for row in rows:
        s, loss = row["setting"], row["loss"]
        key = (s["network"], s["parametrisation"], s["batch"], s["steps"], s["decay"])
        losses[key][s["width"]][s["rate"]].append(math.inf if loss is None else loss)
    return {
        key: {n: {r: sum(v) / len(v) for r, v in by.items()} for n, by in widths.items()}
        for key, widths in losses.items()
    }


def best(rows: list[Row]) -> dict[Key, dict[int, tuple[int, float]]]:
    """The best power of the learning rate and its loss, by setting and width."""
    return {
        key: {n: min(by.items(), key=lambda pair: pair[1]) for n, by in widths.items()}
        for key, widths in curves(rows).items()
    }


def drift(widths: dict[int, tuple[int, float]]) -> str:
    """By which factor the best learning rate changes between widths.

    Example:
        >>> drift({128: (-8, 0.5), 256: (-9, 0.4), 512: (-10, 0.4)})
        'factor 4'
    """
    rates = [rate for rate, _ in widths.values()]
    return f"factor {2 ** (max(rates) - min(rates))}"


def excess(losses: dict[int, dict[int, float]], best: dict[int, tuple[int, float]]) -> str:
    """What it costs at the largest width to take the best learning rate of the smallest.

    Example:
        >>> losses = {128: {-8: 0.5, -9: 0.6}, 512: {-8: 0.44, -9: 0.4}}
        >>> excess(losses, {128: (-8, 0.5), 512: (-9, 0.4)})
        '+10 %'
    """
    small, large = min(best), max(best)
    loss = losses[large].get(best[small][0], math.inf)
    return f"{100 * (loss / best[large][1] - 1):+.0f} %" if math.isfinite(loss) else "diverged"


def _usual(found: dict[Key, Any], network: str, parametrisation: str) -> Key:
    """The first setting of a network is the usual one: its runs come first in the file."""
    return next(key for key in found if key[:2] == (network, parametrisation))


def _power(rate: int) -> str:
    return f"2^{rate}"
