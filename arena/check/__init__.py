"""Looking closely at one bot: conformance, debugging, positions asked again."""
