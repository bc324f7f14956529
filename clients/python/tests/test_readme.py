"""The examples of the client's README run as they are, in their order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from conftest import System

README = Path(__file__).parent.parent / "README.md"


def test_the_examples_run(system: System, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("ALMANAC_BASE_URL", system.base_url)
    monkeypatch.setenv("ALMANAC_API_KEY", system.key)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    examples = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert examples
    variables: dict[str, Any] = {}
    for number, example in enumerate(examples):
        exec(compile(example, f"README.md, example {number + 1}", "exec"), variables)
        if number == 0:
            shown = capsys.readouterr().out
            assert "GENBTC15M" in shown and "rows x 9 columns" in shown
    variables["client"].close()
