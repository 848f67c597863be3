"""Bots on disk: manifests, builds and shipped bots."""
