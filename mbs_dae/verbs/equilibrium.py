"""Where a mechanism comes to rest."""


def equilibrium(model):
    raise NotImplementedError
