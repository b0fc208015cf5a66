"""The OpenAPI document, used as a stranger would: requests made by it and against it.

In: every operation, bodies that fit its schema and bodies that do not, chosen alike in every run.
Out: no answer that is a fault of ours, none with a status that the document does not name, and none
of another shape than it says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance
from served import PATIENCE, served_here
from test_surface_answers import differences

from conftest import is_full
from smartbrain.bootstrap.root import Root
from smartbrain.entrypoints.rest.app import make_app
from smartbrain.entrypoints.rest.graph_calls import CALLS
from smartbrain.entrypoints.rest.keys import ApiKeys
from smartbrain.entrypoints.wire.verbs import verbs

EXAMPLES, EXAMPLES_FULL = 3, 200
TENANT = {"SmartBrain-Tenant": "default"}
NOT_BUILT = ("/memory/consolidate", "/memory/decay")
"""Jobs that do not exist yet; they answer 501."""
PATHS = [*(f"/v1/{name}" for name in verbs()), *(path for path in CALLS if path not in NOT_BUILT)]
BARE = [("POST", "/v1/open"), ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics")]


def response_fits(_: Any, response: Any, case: schemathesis.Case) -> None:
    """Hold an answer against its schema; the library's own check fails on tuples in one."""
    document = case.operation.schema.raw_schema
    found = differences(document, case.path, response.status_code, response.json())
    assert [] == found, case.path


CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_fits]


@pytest.fixture(scope="module")
def served_document(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any]]:
    """The address of a server, and its document."""
    root = Root(tmp_path_factory.mktemp("asked") / "brain")
    with root.tenants.lease("default"):
        app = make_app(root, ApiKeys(root.path, root.clock))
    with served_here(app) as address:
        yield address, schemathesis.openapi.from_url(f"{address}/openapi.json", timeout=PATIENCE)


# Threads of the server draw random numbers while a case is made; the case does not.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.spec("S3")
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_request_finds_a_fault(
    served_document: tuple[str, Any], path: str, mode: GenerationMode
) -> None:
    """Whatever is sent, the answer is one that the document describes, and no fault."""

    @settings(
        max_examples=EXAMPLES_FULL if is_full() else EXAMPLES,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=served_document[1][path]["POST"].as_strategy(generation_mode=mode))
    def ask(case: schemathesis.Case) -> None:
        case.call_and_validate(headers=TENANT, checks=CHECKS, timeout=PATIENCE)

    ask()


@pytest.mark.parametrize(("method", "path"), BARE)
@pytest.mark.parametrize("headers", [{}, {"host": "evil.example"}, {"origin": "http://["}])
def test_what_is_asked_without_a_body_is_documented_too(
    served_document: tuple[str, Any], method: str, path: str, headers: dict[str, str]
) -> None:
    """Whoever watches over the server finds each status in the document."""
    address, document = served_document
    status = httpx.request(method, f"{address}{path}", headers=headers, timeout=60).status_code
    assert str(status) in document.raw_schema["paths"][path][method.lower()]["responses"]
