"""From text to numbers and back: characters, words, and three ways to cut words into pieces."""
