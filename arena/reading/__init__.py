"""Reading files of users: YAML with places, strict checks, kinds of values."""
