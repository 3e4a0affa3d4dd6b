"""Attacks, exact worst cases, random networks, concentration and adversarial risk."""
