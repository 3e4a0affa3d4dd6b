"""Care for modules that are not ours: given back as they came, run where derivatives exist."""
