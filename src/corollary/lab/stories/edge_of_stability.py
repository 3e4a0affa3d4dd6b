"""The edge of stability."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, percent, short


def _limit(seen: Seen) -> str:
    share = float(seen["share"])
    ratio, factor = short(share / 2), (1 - share) ** 2
    if share > 2:
        return (
            f"Now the learning rate is {ratio} times the limit. In the steepest direction every "
            f"step multiplies the gap by {short(factor)}, and nothing you do later repairs that."
        )
    if share > 1.9:
        return (
            f"Now the learning rate is {ratio} of the limit: the steepest direction jumps from one "
            f"wall to the other and keeps {percent(factor)} of its gap in each step."
        )
    return (
        f"Now the learning rate is {ratio} of the limit. The steepest direction keeps "
        f"{percent(factor)} of its gap in each step."
    )


def _flat(seen: Seen) -> str:
    share, kappa, k = float(seen["share"]), float(seen["kappa"]), int(seen["k"])
    kept = (1 - share / kappa) ** 2
    return (
        f"The flattest direction keeps {percent(kept)} per step, so {percent(kept**k)} after "
        f"{k} {'step' if k == 1 else 'steps'}."
    )


STORY = Story(
    title="Edge of stability",
    teaser="Why does training work best just below the learning rate at which it explodes?",
    claim="optimization/gd_quadratic",
    moves={
        "share": "learning rate times the largest curvature",
        "kappa": "condition number",
        "k": "steps",
    },
    ends={"share": (0.1, 2.5), "kappa": (1.0, 1000.0), "k": (1, 30)},
    parts=(
        Part(
            "You raise the learning rate, training gets faster, and then, a little further, the "
            "loss is NaN. The border is not a matter of luck. Near a minimum the loss is a bowl, "
            "and gradient descent acts on each direction of the bowl by itself: a direction of "
            "curvature :math:`\\lambda` has its error multiplied by :math:`1-\\eta\\lambda` in "
            "every step. That is a shrinking as long as :math:`\\eta<2/\\lambda`."
        ),
        Part(
            "The figure shows five directions, from the flattest on the left to the steepest on "
            "the right, and how far each is above its minimum after a few steps. The line is the "
            "formula, the blue dots are gradient descent. (The green dots are a bowl with a "
            "quartic term, to which the formula does not apply.) Drag the learning rate past 2 "
            "and watch the dot on the right.",
            (
                Try("safe: 1", {"share": 1.0}),
                Try("at the edge: 1.98", {"share": 1.98}),
                Try("over it: 2.1", {"share": 2.1}),
            ),
            _limit,
        ),
        Part(
            "Why go near the edge at all? Because one learning rate has to serve all directions, "
            "and the flat ones need a large one. With a condition number of 1000 they hardly move "
            "at any rate that the steepest direction tolerates.",
            (
                Try("round bowl", {"kappa": 1.0}),
                Try("long valley", {"kappa": 1000.0, "share": 1.9}),
            ),
            _flat,
        ),
        Part(
            "Networks add a twist that no bowl has. Full-batch gradient descent drives the "
            "curvature itself up until it meets :math:`2/\\eta`, and stays there, for the rest of "
            "training: the edge of stability. The picture on the home page is such a run. In the "
            "playground you can watch it happen in a minute."
        ),
    ),
    claims={
        "optimization/gd_stability_threshold": "the limit, found by bisection",
        "optimization/edge_of_stability": "a convolutional network and a transformer go there",
        "optimization/edge_of_stability_adam": "the same for Adam, whose curvature is another",
    },
    picture=Picture("optimization/edge_of_stability"),
    follows="",
    preset="edge-of-stability",
    exercise="5.8.2",
)
