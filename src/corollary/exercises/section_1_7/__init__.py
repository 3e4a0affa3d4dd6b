"""Prerequisites."""
