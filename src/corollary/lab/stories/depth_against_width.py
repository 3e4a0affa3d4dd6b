"""Depth against width."""

from math import comb

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _count(seen: Seen) -> str:
    n, l, d = int(seen["n"]), int(seen["l"]), int(seen["d"])
    flat = sum(comb(n * l, j) for j in range(d + 1))
    return (
        f"{l} {'layer' if l == 1 else 'layers'} of {n} units: {short(seen.measured[0])} regions "
        f"were counted. One layer with the same {n * l} units has at most {short(flat)} regions."
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
            "A ReLU network cuts the input space into regions, and on each region the network is a "
            "linear map plus a constant. The number of regions is one measure of what the network "
            "can express."
        ),
        Part(
            "One layer of units cuts the plane by straight lines, so the number of regions grows "
            "like the square of the width. The second layer sees a plane that the first layer has "
            "folded, so one cut by the second layer appears on every fold at once. The picture "
            "shows such a network with weights chosen by hand. Its regions are counted exactly.",
            (
                Try("one layer", {"l": 1, "n": 4}),
                Try("two", {"l": 2, "n": 4}),
                Try("three", {"l": 3, "n": 4}),
                Try("four", {"l": 4, "n": 4}),
            ),
            _count,
        ),
        Part(
            "Every layer multiplies the number of regions, while every additional unit of a layer "
            "only adds regions. So some functions need a few dozen units in a deep network and "
            "millions of units in a shallow one."
        ),
        Part(
            "The formula assumes the best possible weights. Random networks and trained networks "
            "have far fewer regions than the formula allows. Depth makes folding possible, but "
            "gradient descent may not find it."
        ),
    ),
    claims={
        "expressivity/telgarsky": "a deep sawtooth that no shallow network follows",
        "expressivity/region_upper_bound": "the largest number of regions for given widths",
        "expressivity/zaslavsky": "the number of pieces into which lines cut the plane",
    },
    picture=Picture("expressivity/montufar", 1),
    follows="double_descent",
    exercise="4.4.3",
)
