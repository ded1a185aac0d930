/**
 * Reads of live tables that need no filter, beside the same with filters, and beside raw rows of the
 * official client.
 */
import type { Database } from '../../src/entities/repository/index.js';
import { type Case, race } from './case.js';
import { FilteredNarrow, FilteredTwenty, Narrow, rowsPerDevice, Twenty } from './entities.js';

/** Devices that are read, 8 at a time. */
const devices = Array.from({ length: 100 }, (_, i) => `device-${String(i).padStart(6, '0')}`);

export const filterCases: readonly Case[] = [
  {
    name: 'filters.twenty-cells',
    async run({ name, db, live, rows }, results) {
      if (live === undefined) return;
      const { official, filtered } = live;
      const count = async (read: Promise<readonly unknown[]>): Promise<number> => {
        if ((await read).length !== rows.twenty) throw new Error(`${(await read).length} rows`);
        return rows.twenty;
      };
      await race(
        results,
        `filters.twenty-cells.${name}`,
        [
          { name: 'official', run: () => count(official.getRows('twenty')) },
          {
            name: 'with-filters',
            run: () => count(filtered.repository(FilteredTwenty).scanAll().all()),
          },
          { name: 'without', run: () => count(db.repository(Twenty).scanAll().all()) },
        ],
        name === 'emulator' ? { without: 4 } : {},
        7,
      );
    },
  },
  {
    name: 'filters.prefix-100',
    async run({ name, db, live }, results) {
      if (live === undefined) return;
      const { official, filtered } = live;
      const read = (of: (device: string) => Promise<readonly unknown[]>): Promise<number> =>
        eightAtATime(of);
      await race(
        results,
        `filters.prefix-100.${name}`,
        [
          {
            name: 'official',
            run: () =>
              read((device) =>
                official.getRows('narrow', { start: `${device}#`, end: `${device}$` }),
              ),
          },
          { name: 'with-filters', run: () => read((device) => ofDevice(filtered, device, true)) },
          { name: 'without', run: () => read((device) => ofDevice(db, device, false)) },
        ],
        {},
        7,
      );
    },
  },
];

function ofDevice(db: Database, device: string, filters: boolean): Promise<readonly unknown[]> {
  if (filters) return db.repository(FilteredNarrow).prefix({ device }).all();
  return db.repository(Narrow).prefix({ device }).all();
}

async function eightAtATime(
  read: (device: string) => Promise<readonly unknown[]>,
): Promise<number> {
  let next = 0;
  let rows = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (next < devices.length) {
        const found = await read(devices[next++]);
        rows += found.length;
      }
    }),
  );
  if (rows !== devices.length * rowsPerDevice) throw new Error(`${rows} rows`);
  return rows;
}
