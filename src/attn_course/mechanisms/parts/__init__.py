"""Parts handed to a layer: positions, norms, gates and other softmaxes."""
