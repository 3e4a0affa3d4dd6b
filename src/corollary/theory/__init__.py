"""The mathematics as pure functions on tensors, one folder per area; imports only errors."""
