"""Results of an event as files for CI and other programs."""
