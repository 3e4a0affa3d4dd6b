"""Networks as people write them, each with its data and its recipe: arguments of ``examine``.

``large.py`` has four real models on real data, ``small.py`` ten that are examined in seconds.
"""
