"""Gates: a verdict and an exit code on replacing a bot by its new version."""
