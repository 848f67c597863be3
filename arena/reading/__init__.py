"""Reading what a user wrote: YAML with places, strict checks, kinds of values."""
