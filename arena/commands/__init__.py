"""The commands of `arena`: their arguments and options, and the functions they call."""
