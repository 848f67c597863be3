"""What an event came to, as files for CI and other programs."""
