"""The mathematics as pure functions on tensors; a folder an area. Knows nothing of claims."""
