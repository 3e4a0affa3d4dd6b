"""Linear regions of piecewise-linear networks: enumerated, drawn, bounded.

* ``linear_regions(model)``: all regions on a square (or any polygon, in any plane of inputs), by
  activation pattern; ``.merged_by_affine_map()`` joins those on which the network is one map.
* ``affine_pieces(model, start, end)``: the pieces along a segment.
* ``sample_patterns(model, x)``: how many patterns there are where enumeration is out of reach.
* ``serra_upper``, ``montufar_lower``, ``zaslavsky`` and others: what theory says of the number.

Example:
    >>> import torch
    >>> from torch import nn
    >>> from corollary import regions
    >>> three_lines = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    >>> w = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> _ = three_lines[0].weight.data.copy_(w), three_lines[0].bias.data.fill_(-0.2)
    >>> regions.linear_regions(three_lines).count, regions.zaslavsky(3, 2)
    (7, 7)
"""

from corollary import lazily

__getattr__, __dir__, __all__ = lazily(__name__)
