"""Gates: whether a new version of a bot may replace the old one, as a verdict and an exit code."""
