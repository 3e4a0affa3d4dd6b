r"""Zachary's karate club: 34 members, 78 friendships, and a club that split in two.

Facts of the study, not drawn: who met whom outside the club, and whom each member followed after
the quarrel of the instructor (node 0) and the president (node 33).

:source: Zachary (1977), "An information flow model for conflict and fission in small groups".
:covers: graph-structure
"""

import torch
from jaxtyping import Int
from torch import Tensor

from corollary.theory.geometry.graph import Graph

# Friends with a larger number.
_FRIENDS = {
    0: (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31),
    1: (2, 3, 7, 13, 17, 19, 21, 30),
    2: (3, 7, 8, 9, 13, 27, 28, 32),
    3: (7, 12, 13),
    4: (6, 10),
    5: (6, 10, 16),
    6: (16,),
    8: (30, 32, 33),
    9: (33,),
    13: (33,),
    14: (32, 33),
    15: (32, 33),
    18: (32, 33),
    19: (33,),
    20: (32, 33),
    22: (32, 33),
    23: (25, 27, 29, 32, 33),
    24: (25, 27, 31),
    25: (31,),
    26: (29, 33),
    27: (33,),
    28: (31, 33),
    29: (32, 33),
    30: (32, 33),
    31: (32, 33),
    32: (33,),
}
_WITH_THE_PRESIDENT = (9, 14, 15, 18, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33)


def karate_club() -> tuple[Graph, Int[Tensor, " M"]]:
    """The graph, and for each member 0 (stayed with the instructor) or 1 (with the president).

    Example:
        >>> g, side = karate_club()
        >>> g.M, len(g.edges), side.sum().item(), g.is_connected
        (34, 78, 17, True)
    """
    pairs = [(i, j) for i, friends in _FRIENDS.items() for j in friends]
    side = torch.zeros(34, dtype=torch.int64)
    side[list(_WITH_THE_PRESIDENT)] = 1
    return Graph.of_edges(34, pairs), side
