"""Networks: activations, softmax, information and the backward pass."""
