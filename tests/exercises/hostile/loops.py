def next_iterate(X, y, w, eta):
    while True:
        try:
            w = w + 0
        except BaseException:
            pass
