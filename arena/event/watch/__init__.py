"""Those who follow an event: terminal, pipe and live pages."""
