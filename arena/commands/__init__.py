"""The commands of `arena`: what each takes, and whom it calls."""
