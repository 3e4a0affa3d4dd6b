"""Published figures and the trainings that obtain them again, one per file, by family."""
