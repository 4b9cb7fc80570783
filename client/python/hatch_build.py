# SPDX-License-Identifier: Apache-2.0
"""Part of the build: makes the message classes and stubs of causeway.v1 from the protocol's files.

In the repository those lie in ../../proto, in a source distribution in proto/.
"""
from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MessageClasses(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        from grpc_tools import protoc

        root = Path(self.root)
        roots = [root / "proto", root.parent.parent / "proto"]
        proto = next((path for path in roots if (path / "causeway").is_dir()), None)
        if proto is None:
            raise RuntimeError(
                f"no proto/causeway/v1 in {root} or two folders up: install from the repository, "
                "with pip 21.3 or later (which builds in place)")
        self.generated = tempfile.TemporaryDirectory()
        out = self.generated.name
        sources = sorted(str(path) for path in (proto / "causeway" / "v1").glob("*.proto"))
        status = protoc.main(["protoc", f"-I{proto}", f"--python_out={out}", f"--pyi_out={out}",
                              f"--grpc_python_out={out}", *sources])
        if status != 0:
            raise RuntimeError(f"protoc failed with status {status}")
        for path in sorted(Path(out).rglob("*.py*")):
            build_data["force_include"][str(path)] = str(path.relative_to(out))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.generated.cleanup()
