"""From what was seen to what is said: one file per kind of mistake."""
