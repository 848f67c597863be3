"""The tables of site.db, as an application of Django."""
