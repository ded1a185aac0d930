"""What the checks share: clients, rows as text, and comparisons."""

import json
import sys
import warnings

from google.api_core import exceptions
from google.cloud import bigtable
from google.cloud.bigtable import data
from google.cloud.bigtable.data import ReadRowsQuery, RowRange, SetCell

# The clients warn that they talk to an emulator.
warnings.filterwarnings("ignore", category=RuntimeWarning)

PROJECT = "p"
INSTANCE = "python"
PARENT = f"projects/{PROJECT}/instances/{INSTANCE}"
EVERYTHING = RowRange()

client = data.BigtableDataClient(project=PROJECT)
legacy = bigtable.Client(project=PROJECT, admin=True)
admin = legacy.table_admin_client
instances = legacy.instance_admin_client


class NotRun(Exception):
    """A check that this server gives no occasion for."""


def restart():
    """Asks the harness to end the server and to start it again with its data."""
    print(json.dumps({"ask": "restart"}), flush=True)
    if sys.stdin.readline().strip() == "no":
        raise NotRun("not run")


def name_of(table_id):
    return f"{PARENT}/tables/{table_id}"


def create(table_id, *families, splits=()):
    admin.create_table(
        request={
            "parent": PARENT,
            "table_id": table_id,
            "table": {"column_families": {family: {} for family in families}},
            "initial_splits": [{"key": key} for key in splits],
        }
    )
    return client.get_table(INSTANCE, table_id)


def put(table, key, family, column, micros, value):
    table.mutate_row(key, SetCell(family, column, value.encode(), timestamp_micros=micros))


def show(row):
    """The row as `key family:column@timestamp=value#label ...`, by family: servers choose the order."""
    cells = [
        f"{cell.family}:{cell.qualifier.decode()}@{cell.timestamp_micros}={cell.value.decode()}"
        + "".join(f"#{label}" for label in cell.labels)
        for cell in sorted(row, key=lambda cell: cell.family)
    ]
    return " ".join([row.row_key.decode(), *cells])


def read(table, keys=None, ranges=None, limit=None, row_filter=None):
    query = ReadRowsQuery(row_keys=keys, row_ranges=ranges, limit=limit, row_filter=row_filter)
    return " | ".join(show(row) for row in table.read_rows(query))


def equal(what, got, expected):
    if got != expected:
        raise AssertionError(f"{what}: {got} instead of {expected}")


def fails(what, code, call):
    """Expects a status, also of a call that was retried or of an entry of a bulk mutation."""
    try:
        call()
    except Exception as error:
        equal(what, status_of(error), code)
    else:
        raise AssertionError(f"{what}: OK instead of {code}")


def status_of(error):
    """The status of an error, or of the last of its causes that has one."""
    if isinstance(error, exceptions.GoogleAPICallError) and error.grpc_status_code:
        return error.grpc_status_code.name
    if isinstance(error, exceptions.DeadlineExceeded):
        return "DEADLINE_EXCEEDED"
    return status_of(error.__cause__) if error.__cause__ else type(error).__name__
