/** What the suites of batches of an import share. */
import type { Database } from '../../../src/index.js';
import type { Engine, RowMutation } from '../../../src/storage.js';
import { good } from './import-rows.js';

/** Lines of a batch. */
export const batchLines = 2_048;

/** The engine of a database, which does something before each batch is written. */
export function engineThat(
  { engine: own }: Database,
  before: (rows: readonly RowMutation[]) => Promise<unknown>,
): Engine {
  return new Proxy(own, {
    get: (engine, name: keyof Engine) =>
      name === 'mutateRows'
        ? async (table: string, rows: readonly RowMutation[]) => {
            await before(rows);
            return engine.mutateRows(table, rows);
          }
        : (engine[name] as () => unknown).bind(engine),
  });
}

export const lineOf = (device: string, temperature: number): string =>
  good.replace('"d"', `"${device}"`).replace('1.5', `${temperature}`);
