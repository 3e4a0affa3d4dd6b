"""First-order methods with a memory: momentum and steps that adapt, one file each."""
