"""Over-smoothing."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, percent


def _left(seen: Seen) -> str:
    left, bound = seen.measured[-1] / seen.measured[0], seen.predicted[-1] / seen.predicted[0]
    k = int(seen["K"])
    return (
        f"After {k} {'round' if k == 1 else 'rounds'} {percent(left)} of what told the nodes "
        f"apart is left; theory allows at most {percent(bound)}."
    )


STORY = Story(
    title="Over-smoothing",
    teaser="Why graph networks are two layers deep, and what the thirtieth layer would see.",
    claim="geometry/oversmoothing",
    moves={"K": "rounds of message passing"},
    ends={"K": (1, 60)},
    options={"K": 3},
    figure=1,
    parts=(
        Part(
            "In a graph network every node averages its neighbours, and does so once per layer. "
            "Two rounds help: neighbours are often alike, and a mean has less noise. So why not "
            "thirty?"
        ),
        Part(
            "Here is a karate club of 34 members who are given random features. Each dot is a "
            "member, placed by the root of its number of friends. Drag the number of rounds and "
            "watch the cloud collapse onto a line.",
            (
                Try("1 round", {"K": 1}),
                Try("5", {"K": 5}),
                Try("20", {"K": 20}),
                Try("60", {"K": 60}),
            ),
            _left,
        ),
        Part(
            "What remains in the end is the degree. Whatever you knew of a member is gone, and "
            "all that still tells two of them apart is how many friends they have. The speed is "
            "an eigenvalue of the graph: the better connected it is, the faster it forgets."
        ),
        Part(
            "The remedies all break the plain averaging: shortcuts that carry the first "
            "features along, attention that does not weigh all neighbours alike, or simply few "
            "layers. If your task needs far neighbours there is a second obstacle, "
            "over-squashing: too much has to pass through too few edges."
        ),
    ),
    claims={
        "geometry/oversmoothing_rate": "the speed is the second eigenvalue",
        "geometry/gcn_block_model": "why a few rounds help so much",
        "geometry/oversquashing": "what far nodes can say is squeezed",
    },
    picture=Picture("geometry/oversmoothing", 1),
    follows="pac_bayes_by_hand",
    exercise="1.7.1",
)
