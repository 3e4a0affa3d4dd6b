from corollary.data.imagenet_errors import IMAGENET_ERRORS, resnets


def test_errors_fall_with_the_depth_of_the_residual_network():
    rows = resnets()
    for shallow, deep in zip(rows, rows[1:], strict=False):
        assert shallow.depth <= deep.depth
        assert shallow.top1 > deep.top1 and shallow.top5 > deep.top5


def test_top_5_errors_are_below_top_1_errors():
    assert all(row.top5 < row.top1 for row in IMAGENET_ERRORS if row.top1 is not None)


def test_the_deepest_network_is_best_of_all():
    assert min(row.top5 for row in IMAGENET_ERRORS) == resnets()[-1].top5 == 4.49
