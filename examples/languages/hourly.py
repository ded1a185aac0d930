"""Computes the values of each hour from the readings, and writes them as rows."""

from collections import defaultdict
from datetime import datetime

from google.cloud.bigtable.data import BigtableDataClient
from rowsmith_rows import hourly, reading, runtime as rt


def main() -> None:
    with BigtableDataClient(project="demo") as client:
        readings = client.get_table("plant", "readings")
        values: dict[tuple[str, datetime], list[float]] = defaultdict(list)
        for stored in readings.read_rows(rt.query(reading.ranges())):
            row = reading.from_row(stored)
            if row is not None:
                hour = row.at.replace(minute=0, second=0, microsecond=0)
                values[row.device, hour].append(row.temperature)

        table = client.get_table("plant", "hourly")
        for (device, hour), found in sorted(values.items()):
            mean = sum(found) / len(found)
            row_of_hour = hourly.Hourly(
                device=device, hour=hour, count=len(found), mean=mean
            )
            table.mutate_row(
                hourly.key_of_row(row_of_hour), hourly.to_mutations(row_of_hour)
            )
        print(f"wrote {len(values)} values of an hour")


main()
