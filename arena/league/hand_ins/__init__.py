"""What is handed in: received, examined, and made a version."""
