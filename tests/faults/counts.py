def cases(probe):
    return []
