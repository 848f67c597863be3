# Shortcuts for work on the project; everything here is a command of bootstrap.py.
RUN = python3 bootstrap.py

.PHONY: test fuzz mutants lint format docs bench torture power games release clean

test:
	$(RUN) pytest

# The fuzz tests of the suite with 25 times as many examples: about ten minutes on two cores.
fuzz:
	$(RUN) pytest -n 2 --timeout 3600 --hypothesis-profile=fuzz --hypothesis-seed=random \
		tests/protocol/test_fuzz.py tests/games/test_fuzz_replies.py

# Changes the source of a module or folder in one place after another, and names each change that
# no test of it notices: `make mutants AREA=arena/gate/tally.py`, some seconds for each change.
mutants:
	$(RUN) python tests/mutants.py $(AREA)

lint:
	$(RUN) ruff check
	$(RUN) ruff format --check
	.ci/types
	$(RUN) lint-imports

format:
	$(RUN) ruff check --fix
	$(RUN) ruff format
	git ls-files '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format -i

# Builds the documentation site in build/site; broken links are errors.
docs:
	$(RUN) python docs/build_site.py

# Measures every performance claim and compares with the last run (bench.json).
bench:
	$(RUN) python -m tests.bench

# Kills directors and referees at random moments, including starts and beside a container, for three
# minutes; no match may be lost or counted twice, and no process left.
torture:
	PYTHONPATH=tests $(RUN) python tests/e2e/torture.py

# Cuts the power 1,000 times in events and leagues, by a log of all that they write; nothing that was
# acknowledged may be lost. Ten minutes.
power:
	PYTHONPATH=tests $(RUN) python tests/e2e/power_cuts.py

# Plays every game of OpenSpiel with random bots and checks it by the contract: five minutes.
games:
	$(RUN) python tests/games/open_spiel_matches.py

# Writes the version, commits, tags and pushes: `make release VERSION=1.0.0`; needs nothing installed.
release:
	python3 docs/release.py --make "$(VERSION)"

clean:
	rm -rf .venv build dist bench.json arena.db*
