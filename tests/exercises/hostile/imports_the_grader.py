from corollary.exercises.section_5_8 import problem_2


def next_iterate(X, y, w, eta):
    return w - eta * problem_2.gradient(lambda v: problem_2.loss(X, y, v), w)
