"""What the generated modules of all entities share: keys, cells and errors.

It has what they use, and no more.
Written by rowsmith generate python. Do not edit: the next run overwrites it.
"""

from __future__ import annotations

import json
import re
import struct
import time
import unicodedata
import uuid
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from datetime import datetime
from datetime import timedelta
from datetime import timezone
from decimal import Decimal
from typing import Any
from typing import Final
from typing import Generic
from typing import NoReturn
from typing import Protocol
from typing import TypeVar

from google.cloud.bigtable.data import AddToCell
from google.cloud.bigtable.data import DeleteAllFromFamily
from google.cloud.bigtable.data import DeleteRangeFromColumn
from google.cloud.bigtable.data import Mutation
from google.cloud.bigtable.data import ReadRowsQuery
from google.cloud.bigtable.data import RowRange
from google.cloud.bigtable.data import SetCell
from google.cloud.bigtable.data.read_modify_write_rules import IncrementRule

__all__ = [
    "Between",
    "KeyRange",
    "RowsmithError",
    "Scope",  #if scopes
    "StartsWith",  #if startsWith
    "Subdomains",  #if key.domain
    "Version",  #if versions
    "at_least",
    "at_most",
    "between",
    "less_than",
    "more_than",
    "query",
]

T = TypeVar("T")


def _sentences(lines: str) -> dict[str, str]:
    return dict(line.strip().split(": ", 1) for line in lines.strip().splitlines())


# The messages of error codes.
MESSAGES: Final = _sentences("""
    CODES
    """)

# What is wrong | how to fix it: the sentences are the same in all languages.
WORDS: Final = _sentences("""
    WORDS
    """)


class RowsmithError(Exception):
    """Says why a key, value or row is not allowed. `code` is stable, the rest tells more."""

    def __init__(
        self,
        code: str,
        problem: str,
        fix: str,
        entity: str | None = None,
        property: str | None = None,
    ) -> None:
        self.code = code
        self.problem = problem
        self.fix = fix
        self.entity = entity
        self.property = property
        where = ".".join(part for part in (entity, property) if part is not None)
        subject = f"{where}: " if where else ""
        super().__init__(f"[{code}] {MESSAGES[code]} {subject}{problem}; {fix}")


class _Refused(Exception):
    """A value or cell that is refused, before entity and property are known."""

    def __init__(self, word: str, path: str = "", /, **given: object) -> None:
        self.problem = _problem(word, **given)
        self.fix = _fix(word, **given)
        self.path = path
        super().__init__(self.problem)

    def error(self, code: str, entity: str, property: str | None) -> RowsmithError:
        name = property if property is None else property + self.path
        return RowsmithError(code, self.problem, self.fix, entity, name)


class _Unsupported(_Refused):
    """A stored value that this language cannot read."""

    def error(self, code: str, entity: str, property: str | None) -> RowsmithError:
        return super().error("UNSUPPORTED", entity, property)


def _filled(text: str, given: Mapping[str, object]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: str(given[match[1]]), text).strip()


def _problem(word: str, /, **given: object) -> str:
    return _filled(f" {WORDS[word]}".partition(" |")[0], given)


def _fix(word: str, /, **given: object) -> str:
    return _filled(WORDS[word].partition("| ")[2], given)


class _Refusing:
    """What refuses values in the name of an entity."""

    entity: str

    def _fail(
        self, code: str, word: str, property: str | None = None, /, **given: object
    ) -> NoReturn:
        raise _Refused(word, **given).error(code, self.entity, property)


def _text_of(value: object) -> str:
    """A value in a sentence: its type, and what it is if that is short."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        shown = value if len(value) <= 40 else f"{value[:40]}..."
        return f"the string {json.dumps(shown, ensure_ascii=False)}"
    if isinstance(value, (int, float)):
        return f"the number {_number_text(value)}"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def _number_text(value: int | float) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return "-0" if value == 0 and str(value)[0] == "-" else str(int(value))
    return str(value)


def _utf16_length(text: str) -> int:
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
