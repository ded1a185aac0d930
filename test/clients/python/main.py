"""Google's Python client against the server that BIGTABLE_EMULATOR_HOST names: prints a line of JSON
for each check. The harness (../clients.ts) restarts the server when a check asks for it."""

import json
import time

import data_checks
import table_checks
from checks import NotRun, client, legacy, status_of


def detail(error):
    if isinstance(error, (AssertionError, NotRun)):
        return str(error)
    return f"{status_of(error)}: {error}"


# The last one ends Google's emulator.
for name, run in {**table_checks.CHECKS, **data_checks.CHECKS, **table_checks.LAST}.items():
    started = time.monotonic()
    failure = ""
    try:
        run()
    except Exception as error:
        failure = detail(error)
    line = {
        "check": name,
        "ok": failure == "",
        "detail": failure,
        "ms": round((time.monotonic() - started) * 1000),
    }
    print(json.dumps(line), flush=True)
client.close()
legacy.close()
