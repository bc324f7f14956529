"""Runs coroutine tests, reports results to the Node test that started the system, and gives tests a system and faults."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from dataclasses import dataclass
from typing import Any, Iterator

import pytest
from hypothesis import settings

from faults import FaultProxy

# A slow machine is no failure, and every run does the same.
settings.register_profile("almanac", deadline=None, derandomize=True, max_examples=60, database=None)
settings.load_profile("almanac")


@dataclass(frozen=True)
class System:
    base_url: str
    key: str


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A coroutine test runs in a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    path = os.environ.get("ALMANAC_TEST_REPORT")
    # A failed set-up has no call. A test that passed before its clean-up failed is reported twice.
    if path is None or (report.when != "call" and report.outcome == "passed"):
        return
    line = {"name": report.nodeid, "outcome": report.outcome, "text": report.longreprtext}
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _variable(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        pytest.fail(f"{name} is not set. Run `npm test -- test/clients`, which starts a system.")
    return value


@pytest.fixture(scope="session")
def system() -> System:
    return System(_variable("ALMANAC_BASE_URL"), _variable("ALMANAC_API_KEY"))


@pytest.fixture
def faults(system: System) -> Iterator[FaultProxy]:
    """A proxy in front of the system, which breaks what a test wants to break."""
    with FaultProxy(system.base_url) as proxy:
        yield proxy


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: Any, system: System) -> None:
    """Clients get what tests pass, and nothing from the environment."""
    for name in ("ALMANAC_BASE_URL", "ALMANAC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
