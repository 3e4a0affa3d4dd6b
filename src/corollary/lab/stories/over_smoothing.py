"""Over-smoothing."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, percent


def _left(seen: Seen) -> str:
    left, bound = seen.measured[-1] / seen.measured[0], seen.predicted[-1] / seen.predicted[0]
    k = int(seen["K"])
    return (
        f"After {k} {'round' if k == 1 else 'rounds'}, {percent(left)} of the differences between "
        f"the nodes are left. Theory predicts at most {percent(bound)}."
    )


STORY = Story(
    title="Over-smoothing",
    teaser="Why most graph networks have two layers, and what the thirtieth layer would see.",
    claim="geometry/oversmoothing",
    moves={"K": "rounds of message passing"},
    ends={"K": (1, 60)},
    options={"K": 3},
    figure=1,
    parts=(
        Part(
            "In a graph network, every node takes the average over its neighbours once per layer. "
            "Two rounds of averaging help: neighbours are often alike, and an average has less "
            "noise. So why not thirty rounds?"
        ),
        Part(
            "The graph is a karate club of 34 members with random features. Each dot is a member; "
            "its position on the x axis is the square root of the member's number of friends. "
            "Drag the number of rounds and watch the dots collapse onto a line.",
            (
                Try("1 round", {"K": 1}),
                Try("5", {"K": 5}),
                Try("20", {"K": 20}),
                Try("60", {"K": 60}),
            ),
            _left,
        ),
        Part(
            "In the end only the degree remains. The features of a member are gone, and two "
            "members differ only by their number of friends. An eigenvalue of the graph sets the "
            "speed: the better connected the graph, the faster the features are lost."
        ),
        Part(
            "There are three remedies: skip connections that keep the first features, attention "
            "that gives neighbours different weights, or simply few layers. Tasks that need "
            "distant nodes meet a second obstacle, over-squashing: too much information has to "
            "pass through too few edges."
        ),
    ),
    claims={
        "geometry/oversmoothing_rate": "the speed is set by the second eigenvalue",
        "geometry/gcn_block_model": "why a few rounds help so much",
        "geometry/oversquashing": "how little information arrives from distant nodes",
    },
    picture=Picture("geometry/oversmoothing", 1),
    follows="pac_bayes_by_hand",
    exercise="1.7.1",
)
