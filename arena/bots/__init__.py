"""Bots on disk: their manifests, their builds, those that are shipped."""
