"""The format of a database: its tables, its number, and the steps from earlier formats.

From version 1.0 on, a changed table comes with a new number, the step to it, and a file of the
format before in `tests/arena/results/formats`, made by `make_format.py` there.
"""

from collections.abc import Mapping

APPLICATION_ID = 0x41524E41  # "ARNA"
NUMBER = 11
STEPS: Mapping[int, tuple[str, ...]] = {}
"""By an earlier number: the statements that make the next format of it."""
SCHEMA = """
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    seed TEXT NOT NULL,
    config TEXT NOT NULL,
    created TEXT NOT NULL,
    director TEXT,
    total INTEGER
);
CREATE TABLE entrant (
    event INTEGER NOT NULL REFERENCES event,
    place INTEGER NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (event, name)
);
CREATE TABLE version (
    id INTEGER PRIMARY KEY,
    event INTEGER NOT NULL REFERENCES event,
    content TEXT NOT NULL,
    UNIQUE (event, content)
);
CREATE TABLE match (
    id INTEGER PRIMARY KEY,
    event INTEGER NOT NULL REFERENCES event,
    key TEXT NOT NULL,
    board INTEGER NOT NULL,
    variant TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    termination TEXT NOT NULL,
    reason TEXT NOT NULL,
    plies INTEGER NOT NULL,
    finished TEXT NOT NULL,
    essence TEXT NOT NULL,
    aside INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX match_key ON match (event, key) WHERE aside = 0;
CREATE INDEX match_order ON match (event, id) WHERE aside = 0;
CREATE INDEX match_aside ON match (event) WHERE aside > 0;
CREATE TABLE seat (
    match INTEGER NOT NULL REFERENCES match,
    seat INTEGER NOT NULL,
    player TEXT NOT NULL,
    points INTEGER NOT NULL,
    place INTEGER NOT NULL,
    score TEXT NOT NULL,
    fault TEXT,
    wall_ns INTEGER NOT NULL,
    cpu_ns INTEGER NOT NULL,
    charged_ns INTEGER NOT NULL,
    grace_ns INTEGER NOT NULL,
    near_limit INTEGER NOT NULL,
    null_ns INTEGER,
    unplayed INTEGER NOT NULL,
    is_clock_exact INTEGER NOT NULL,
    version INTEGER NOT NULL REFERENCES version,
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;
CREATE TABLE record (
    match INTEGER PRIMARY KEY REFERENCES match,
    body BLOB NOT NULL
);
CREATE TABLE worker (
    match INTEGER PRIMARY KEY REFERENCES match,
    name TEXT NOT NULL,
    speed REAL NOT NULL
);
CREATE TABLE void (
    id INTEGER PRIMARY KEY,
    event INTEGER NOT NULL REFERENCES event,
    key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    aside INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL,
    suspect TEXT,
    happened TEXT NOT NULL,
    record BLOB,
    UNIQUE (event, key, attempt, aside)
);
CREATE TABLE begun (
    event INTEGER NOT NULL REFERENCES event,
    key TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    PRIMARY KEY (event, key)
) WITHOUT ROWID;
CREATE TABLE withdrawal (
    event INTEGER NOT NULL REFERENCES event,
    player TEXT NOT NULL,
    reason TEXT NOT NULL,
    happened TEXT NOT NULL,
    PRIMARY KEY (event, player)
) WITHOUT ROWID;
CREATE TABLE broken (
    event INTEGER NOT NULL REFERENCES event,
    player TEXT NOT NULL,
    detail TEXT NOT NULL,
    terms TEXT,
    is_lasting INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (event, player)
) WITHOUT ROWID;
CREATE TABLE revision (
    event INTEGER NOT NULL REFERENCES event,
    number INTEGER NOT NULL,
    lines TEXT NOT NULL,
    happened TEXT NOT NULL,
    PRIMARY KEY (event, number)
) WITHOUT ROWID;
"""
