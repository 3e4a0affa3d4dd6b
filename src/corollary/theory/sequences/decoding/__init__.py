"""From next-token probabilities to sequences: greedy, beam, exhaustive search, and sampling."""
