"""Evidence for candidates from other programs and models: plugins of the kind `feature`."""
