"""How results of the knowledge bench are shown: lessons, evaluations, replies and sweeps."""
