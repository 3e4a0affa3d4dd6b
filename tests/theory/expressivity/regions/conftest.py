"""What every mosaic must be."""

import numpy as np
import pytest
import torch


@pytest.fixture(scope="session")
def check_mosaic():
    """The polygons tile the domain, and each map is the network at random points inside."""
    return _check


def _check(mosaic, model, area=4.0, seed=0):
    areas = mosaic.areas()
    assert float(areas.min()) > 0
    assert float(areas.sum()) == pytest.approx(area, rel=1e-9)
    slope, offset = mosaic.maps()
    rng = np.random.default_rng(seed)
    cells = mosaic.cells
    for _ in range(3):
        share = rng.random(len(cells.corner))[:, None]
        total = np.add.reduceat(share, cells.start[:-1])
        p = np.add.reduceat(share * cells.vertices[cells.corner], cells.start[:-1]) / total
        out = mosaic.program.output(mosaic.plane.points(p))
        mapped = (slope @ torch.from_numpy(p)[:, :, None])[:, :, 0] + offset
        torch.testing.assert_close(mapped, out, rtol=1e-8, atol=1e-8 * float(out.abs().max()))
    if model is not None:
        with torch.no_grad():
            mine = model(mosaic.plane.points(p)).reshape(len(p), -1)
        torch.testing.assert_close(mine, out, rtol=1e-9, atol=1e-9)
