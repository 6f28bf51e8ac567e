from typing import Any, List

from . import Team

__all__: List[str]

def team(comm: Any = ...) -> Team: ...
