"""Depth against width."""

from math import comb

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _count(seen: Seen) -> str:
    n, l, d = int(seen["n"]), int(seen["l"]), int(seen["d"])
    flat = sum(comb(n * l, j) for j in range(d + 1))
    return (
        f"{l} {'layer' if l == 1 else 'layers'} of {n} units: {short(seen.measured[0])} regions "
        f"counted. The same {n * l} units in one layer make at most {short(flat)}."
    )


STORY = Story(
    title="Depth against width",
    teaser="Fold a sheet of paper three times, cut once, unfold: that is what depth buys.",
    claim="expressivity/montufar",
    moves={"l": "hidden layers", "n": "units per layer"},
    ends={"n": (2, 8)},
    figure=1,
    parts=(
        Part(
            "A ReLU network is a patchwork: the input space falls into regions, and on each the "
            "network is a plain linear map. How finely it can cut the space is one honest "
            "measure of what it can express."
        ),
        Part(
            "One layer of units cuts the plane by straight lines, so the number of pieces grows "
            "like the square of the width. A second layer sees the plane already folded by the "
            "first: one cut there appears on every fold at once. The picture is such a network, "
            "built by hand, and its regions are counted, not estimated.",
            (
                Try("one layer", {"l": 1, "n": 4}),
                Try("two", {"l": 2, "n": 4}),
                Try("three", {"l": 3, "n": 4}),
                Try("four", {"l": 4, "n": 4}),
            ),
            _count,
        ),
        Part(
            "Every layer multiplies the number of regions, every additional unit only adds to "
            "it. So there are functions that a deep network writes down with a few dozen units "
            "and a shallow one cannot write down with millions."
        ),
        Part(
            "A warning that the formula does not give: these are the best weights. Random "
            "networks, and trained ones, have far fewer regions than their shape allows. Depth "
            "makes such folding possible; whether gradient descent finds it is another question."
        ),
    ),
    claims={
        "expressivity/telgarsky": "a deep sawtooth that no shallow network follows",
        "expressivity/region_upper_bound": "no network of a shape has more regions than this",
        "expressivity/zaslavsky": "the pieces that lines can cut, counted",
    },
    picture=Picture("expressivity/montufar", 1),
    follows="double_descent",
    exercise="4.4.3",
)
