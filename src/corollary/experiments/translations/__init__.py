"""Networks that translate."""
