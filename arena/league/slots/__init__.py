"""Where the matches of a league are played: this machine, and workers."""
