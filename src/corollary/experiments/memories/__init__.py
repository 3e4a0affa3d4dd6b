"""Networks that store patterns."""
