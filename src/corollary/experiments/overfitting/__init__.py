"""More parameters than examples."""
