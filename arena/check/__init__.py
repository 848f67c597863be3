"""Examination of one bot: conformance, debugging, positions asked again."""
