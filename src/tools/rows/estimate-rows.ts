/** How many rows an entity has, exactly if they are few. */
import { intersectRanges, type KeyRange } from '../../base/index.js';
import type { EntityModel } from '../../entities/model/index.js';
import { collectRows, type Engine, type Row } from '../../data/store/index.js';
import { unlessMissing } from './unless-missing.js';

/** A number of rows. */
export interface RowEstimate {
  readonly rows: number;
  readonly estimated: boolean;
}

/** Up to this number rows are counted, and so many are read to know their mean size. */
const countedRows = 1_000;

/**
 * Counts the rows of an entity, or estimates them from the sizes that `sampleRowKeys` reports and
 * the first rows. Undefined if the table does not exist.
 */
export async function estimateRows(
  engine: Engine,
  model: EntityModel,
): Promise<RowEstimate | undefined> {
  return unlessMissing(() => estimate(engine, model));
}

async function estimate(engine: Engine, model: EntityModel): Promise<RowEstimate> {
  const table = model.table.name;
  const ranges = model.key.ranges({ fixed: {} }).perShard.flat();
  const first = await collectRows(
    engine.readRows({ table, ranges, reversed: false, limit: countedRows + 1 }),
  );
  const decode = model.key.decoder();
  const families = new Set(model.columns.map(({ family }) => family));
  if (model.marker !== undefined) families.add(model.marker.family);
  // Of a deleted row with indexes, cells of the library's families are left for a day.
  const own = first.filter(
    ({ key, cells }) =>
      decode(key, 0, key.length, {}) && cells.some(({ family }) => families.has(family)),
  ).length;
  if (first.length <= countedRows) return { rows: own, estimated: false };
  const bytes = sectionBytes(await engine.sampleRowKeys(table), ranges);
  const mean = first.reduce((sum, row) => sum + rowBytes(row), 0) / first.length;
  const rows = Math.round(((bytes / mean) * own) / first.length);
  return { rows: Math.max(rows, own), estimated: true };
}

/** The size of the sections between sampled keys that the ranges reach into. */
function sectionBytes(
  samples: readonly { readonly key: Uint8Array; readonly offsetBytes: number }[],
  ranges: readonly KeyRange[],
): number {
  let bytes = 0;
  let start = { key: new Uint8Array(), offsetBytes: 0 } as (typeof samples)[number];
  for (const sample of samples) {
    const end = sample.key.length === 0 ? undefined : sample.key;
    const section = { start: start.key, end };
    if (ranges.some((range) => intersectRanges(range, section) !== undefined))
      bytes += sample.offsetBytes - start.offsetBytes;
    start = sample;
  }
  return bytes;
}

/** About the bytes of a row as the storage counts them: key, qualifiers, timestamps and values. */
function rowBytes({ key, cells }: Row): number {
  return cells.reduce(
    (sum, { qualifier, value }) => sum + qualifier.length + value.length + 8,
    key.length,
  );
}
