from typing import Any, Callable, Iterable, Iterator, List, Literal, Mapping, Optional, Sequence, Union

from . import Moments

__all__: List[str]

SCHEMA: str

def partial_moments(
    columns: Sequence[str],
    *,
    partition: Union[None, int, Callable[[], int]] = ...,
    center: bool = ...,
    scale: bool = ...,
    ddof: Literal[0, 1] = ...,
    map: Optional[str] = ...,
) -> Callable[[Iterable[Any]], Iterator[Any]]: ...
def merge_moments(
    rows: Union[Any, Iterable[Mapping[str, Any]]], n_partitions: Optional[int] = ...
) -> Moments: ...
