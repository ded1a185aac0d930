/** Reads what a table contains, without mapping. */
import { collectRows, type Engine } from '../../../src/data/store/index.js';

const everything = [{ start: new Uint8Array(0) }];

/** All cells as `family:qualifier@ms`. */
export async function cellsOf(engine: Engine, table: string): Promise<string[]> {
  const rows = await collectRows(engine.readRows({ table, ranges: everything, reversed: false }));
  return rows.flatMap(({ cells }) =>
    cells.map(
      ({ family, qualifier, timestamp }) =>
        `${family}:${Buffer.from(qualifier).toString('latin1')}@${timestamp / 1000n}`,
    ),
  );
}

/** All row keys. */
export async function keysOf(engine: Engine, table: string): Promise<Uint8Array[]> {
  return (await collectRows(engine.readRows({ table, ranges: everything, reversed: false }))).map(
    ({ key }) => key,
  );
}

/** The bytes of Latin-1 text. */
export function latin1(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}
