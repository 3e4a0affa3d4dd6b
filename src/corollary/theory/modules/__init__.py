"""Use a user's modules without changing them, and run them where derivatives exist."""
