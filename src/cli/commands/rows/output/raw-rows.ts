/** Stored rows of a query: all their cells, with the families in the order of cbt. */
import { compareBytes, latin1Text, pointRange, unionRanges } from '../../../../base/index.js';
import type { EntityModel } from '../../../../entities/model/index.js';
import { collectRows, type Engine, type Filter, type Row } from '../../../../data/store/index.js';

/** Which cells are read. */
export interface RawOptions {
  readonly asOf: Date | undefined;
  readonly versions: number | undefined;
}

/** The stored rows of keys, in the order of the keys; keys without a row are left out. */
export async function rawRows(
  engine: Engine,
  model: EntityModel,
  keys: readonly object[],
  options: RawOptions,
): Promise<readonly Row[]> {
  const encoded = keys.map((key) => model.key.encode(key as Record<string, unknown>));
  return storedRows(engine, model.table.name, encoded, options);
}

/** The same of keys as they are stored. */
export async function storedRows(
  engine: Engine,
  table: string,
  encoded: readonly Uint8Array[],
  options: RawOptions,
): Promise<readonly Row[]> {
  if (encoded.length === 0) return [];
  const ranges = unionRanges([...encoded].sort(compareBytes).map(pointRange));
  const found = await collectRows(
    engine.readRows({
      table,
      ranges,
      reversed: false,
      filter: filterOf(options),
    }),
  );
  const byKey = new Map(found.map((row) => [latin1Text(row.key), withSortedFamilies(row)]));
  return encoded.flatMap((key) => byKey.get(latin1Text(key)) ?? []);
}

/** Bigtable promises no order of families, and the emulator has another for each table. */
function withSortedFamilies({ key, cells }: Row): Row {
  return {
    key,
    cells: [...cells].sort((a, b) => (a.family < b.family ? -1 : Number(a.family > b.family))),
  };
}

function filterOf({ asOf, versions }: RawOptions): Filter | undefined {
  const filters: Filter[] = [];
  // In microseconds, and the end is exclusive.
  if (asOf !== undefined)
    filters.push({ kind: 'timestampRange', end: BigInt(asOf.getTime() + 1) * 1000n });
  if (versions !== undefined) filters.push({ kind: 'cellsPerColumn', count: versions });
  if (filters.length < 2) return filters[0];
  return { kind: 'chain', filters };
}
