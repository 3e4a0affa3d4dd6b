"""The edge of stability."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, percent, short


def _limit(seen: Seen) -> str:
    share = float(seen["share"])
    ratio, factor = short(share / 2), (1 - share) ** 2
    if share > 2:
        return (
            f"Now the learning rate is {ratio} times the limit. In the steepest direction, every "
            f"step multiplies the excess loss by {short(factor)}, so training diverges."
        )
    if share > 1.9:
        return (
            f"Now the learning rate is {ratio} times the limit. In the steepest direction, each "
            f"step jumps to the other side of the minimum and keeps {percent(factor)} of the "
            f"excess loss."
        )
    return (
        f"Now the learning rate is {ratio} times the limit. In the steepest direction, each step "
        f"keeps {percent(factor)} of the excess loss."
    )


def _flat(seen: Seen) -> str:
    share, kappa, k = float(seen["share"]), float(seen["kappa"]), int(seen["k"])
    kept = (1 - share / kappa) ** 2
    return (
        f"In the flattest direction, each step keeps {percent(kept)} of the excess loss. After {k} "
        f"{'step' if k == 1 else 'steps'}, {percent(kept**k)} is left."
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
            "You raise the learning rate, and training gets faster. You raise it a little more, "
            "and the loss is NaN. Where is the limit? Near a minimum the loss looks like a bowl, "
            "and gradient descent treats each direction of the bowl separately. In a direction "
            "with curvature :math:`\\lambda`, every step multiplies the distance to the minimum by "
            ":math:`1-\\eta\\lambda`. The distance shrinks as long as :math:`\\eta<2/\\lambda`."
        ),
        Part(
            "The figure shows five directions, from the flattest on the left to the steepest on "
            "the right. The height is the excess loss of each direction after a few steps. The "
            "line is the formula, and the blue dots are gradient descent. (The green dots belong "
            "to a bowl with a quartic term, to which the formula does not apply.) Drag the "
            "learning rate past 2 and watch the dot on the right.",
            (
                Try("safe: 1", {"share": 1.0}),
                Try("at the edge: 1.98", {"share": 1.98}),
                Try("above the edge: 2.1", {"share": 2.1}),
            ),
            _limit,
        ),
        Part(
            "Why go near the edge at all? All directions share one learning rate, and the flat "
            "directions need a large one. With a condition number of 1000, the flat directions "
            "hardly move at any learning rate that is stable in the steepest direction.",
            (
                Try("round bowl", {"kappa": 1.0}),
                Try("long valley", {"kappa": 1000.0, "share": 1.9}),
            ),
            _flat,
        ),
        Part(
            "Networks do something that a bowl cannot do. Full-batch gradient descent increases "
            "the curvature until it reaches :math:`2/\\eta`. The curvature then stays there for "
            "the rest of training. This is called the edge of stability. The picture on the home "
            "page shows such a run, and you can watch one in the playground within a minute."
        ),
    ),
    claims={
        (
            "optimization/gd_stability_threshold"
        ): "the largest stable learning rate, found by bisection",
        (
            "optimization/edge_of_stability"
        ): "a convolutional network and a transformer at the edge of stability",
        "optimization/edge_of_stability_adam": "Adam at its own edge of stability",
    },
    picture=Picture("optimization/edge_of_stability"),
    follows="",
    preset="edge-of-stability",
    exercise="5.8.2",
)
