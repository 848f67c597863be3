"""Configs of events: their model, their JSON Schema, what makes two of them the same."""
