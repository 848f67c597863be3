"""Keep a database of today's format for the tests of later ones.

    python tests/arena/results/make_format.py

Writes `formats/NUMBER.sql`; run it in the commit that changes the format.
"""

import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from arena.results.database_format import APPLICATION_ID, NUMBER

FORMATS = Path(__file__).with_name("formats")


def main() -> None:
    """Play a short event and keep its database as statements of SQL."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        played = ("greedy", "random", "--game", "pente", "--games", "4", "--seed", "7")
        command = [sys.executable, "-m", "arena", "match", *played, "--db", "kept.db"]
        subprocess.run(command, cwd=folder, check=True)
        with closing(sqlite3.connect(folder / "kept.db")) as db:
            statements = "\n".join(db.iterdump()).replace(name, "/kept")
    pragmas = f"PRAGMA application_id = {APPLICATION_ID};\nPRAGMA user_version = {NUMBER};\n"
    FORMATS.mkdir(exist_ok=True)
    (FORMATS / f"{NUMBER}.sql").write_text(f"{statements}\n{pragmas}", "utf-8")


if __name__ == "__main__":
    main()
