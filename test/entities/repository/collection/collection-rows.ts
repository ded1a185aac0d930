/** Random rows of a collection. */
import { type Database } from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';
import type { layouts, Reading } from './collection-entities.js';

export type Kind = 'device' | 'readings' | 'alarms';

export const kinds: readonly Kind[] = ['device', 'readings', 'alarms'];

/** A stored row as the tests know it. */
export interface Stored {
  readonly kind: Kind;
  readonly tenant: string;
  readonly device: string;
  readonly n?: number;
}

export const tenant = fc.constantFrom('a', 'a#', 'b');
export const device = fc.constantFrom('c', 'd', 'd#', 'e');

export type Layout = (typeof layouts)[number];

export async function fill(
  db: Database,
  layout: Layout,
  rows: readonly Stored[],
): Promise<Stored[]> {
  const unique = new Map(rows.map((row) => [JSON.stringify(row), row]));
  for (const kind of kinds) {
    const repository = db.repository(layout[kind] as typeof Reading);
    await repository.deleteMany(repository.scanAll().keysOnly());
    await repository.saveMany(
      [...unique.values()]
        .filter((row) => row.kind === kind)
        .map(({ kind: _kind, ...segments }) => {
          const values = { value: 1, label: 'x', text: 'x' };
          const own = Object.fromEntries(
            repository.model.columns.map(({ property }) => [
              property,
              values[property as keyof typeof values],
            ]),
          );
          return repository.create({ ...segments, ...own } as never);
        }),
    );
  }
  return [...unique.values()];
}
