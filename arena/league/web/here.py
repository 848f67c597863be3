"""The league that this process serves."""

from arena.league.folder import League, SiteSection

_LEAGUES: list[League] = []


def serve_league(league: League) -> None:
    """Set the league of this process."""
    _LEAGUES[:] = [league]


def league() -> League:
    """Return the league of this process."""
    return _LEAGUES[0]


def site() -> SiteSection:
    """Return the section of its config for the site."""
    return league().site
