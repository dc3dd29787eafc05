"""What models know, as it is shown: lessons, evaluations, replies and sweeps."""
