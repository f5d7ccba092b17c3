"""Says what a wheel of this package is: with machine code it serves one platform and one version of Python."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard" and any(Path(self.root, "mbs_dae", "machine_code").glob("*.code")):
            build_data["pure_python"], build_data["infer_tag"] = False, True
