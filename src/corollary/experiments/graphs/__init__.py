"""Networks on citation graphs."""
