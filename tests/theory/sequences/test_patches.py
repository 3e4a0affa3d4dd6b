import pytest
import torch

from corollary.core import generator
from corollary.errors import InputError
from corollary.theory.sequences.patches import patches, unpatched


@pytest.mark.parametrize(("c", "h", "w", "patch"), [(1, 4, 4, 2), (3, 8, 12, 4), (2, 6, 9, 3)])
def test_patches_are_those_of_torch_unfold(c, h, w, patch):
    x = torch.randn(5, c, h, w, generator=generator(0), dtype=torch.float64)
    theirs = torch.nn.functional.unfold(x, patch, stride=patch).mT
    assert torch.equal(patches(x, patch), theirs)
    assert torch.equal(unpatched(patches(x, patch), patch, (h, w)), x)


@pytest.mark.parametrize("patch", [0, 3, 16])
def test_patches_that_do_not_cover_the_image_are_refused(patch):
    with pytest.raises(InputError, match="do not cover"):
        patches(torch.zeros(1, 1, 8, 8), patch)
