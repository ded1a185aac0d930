/** How many rows an entity has, exactly if they are few. */
import { intersectRanges, type KeyRange } from '../../base/index.js';
import type { EntityModel } from '../../entities/model/index.js';
import type { Engine } from '../../data/store/index.js';
import { unlessMissing } from './unless-missing.js';

/** A number of rows. */
export interface RowEstimate {
  readonly rows: number;
  readonly estimated: boolean;
}

/** Up to this number rows are counted, and so many are read to know their mean size. */
const countedRows = 1_000;
/** Rows of a page, and bytes after whose page no more is read. */
const countedPage = 64;
const countedBytes = 64 * 2 ** 20;

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
  const first = await firstRows(engine, model, ranges);
  if (first.isWhole) return { rows: first.own, estimated: false };
  const bytes = sectionBytes(await engine.sampleRowKeys(table), ranges);
  const mean = first.bytes / first.rows;
  const rows = Math.round(((bytes / mean) * first.own) / first.rows);
  return { rows: Math.max(rows, first.own), estimated: true };
}

/** The first rows in the ranges of an entity. */
interface FirstRows {
  readonly rows: number;
  /** About as the storage counts them: key, qualifiers, timestamps and values. */
  readonly bytes: number;
  /** Rows of the entity. */
  readonly own: number;
  /** Whether there are no more. */
  readonly isWhole: boolean;
}

/** A timestamp, as the storage counts it. */
const timestampBytes = 8;

/** Counts without copies: values may be of 100 MiB. */
async function firstRows(
  engine: Engine,
  model: EntityModel,
  ranges: readonly KeyRange[],
): Promise<FirstRows> {
  const decode = model.key.decoder();
  const families = new Set(model.columns.map(({ family }) => family));
  if (model.marker !== undefined) families.add(model.marker.family);
  const limit = countedRows + 1;
  const plan = { table: model.table.name, ranges, reversed: false, limit };
  const stream = engine.readRows(plan, { pageRows: countedPage });
  let [rows, bytes, own] = [0, 0, 0];
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow()) {
        rows++;
        bytes += page.keyEnd - page.keyStart;
        const isOwn = decode(page.keyBytes, page.keyStart, page.keyEnd, {});
        // Of a deleted row with indexes, cells of the library's families are left for a day.
        let hasOwn = false;
        while (page.nextCell()) {
          hasOwn ||= families.has(page.family);
          bytes += page.qualifierEnd - page.qualifierStart + timestampBytes;
          bytes += page.valueEnd - page.valueStart;
        }
        if (isOwn && hasOwn) own++;
      }
      if (bytes > countedBytes) return { rows, bytes, own, isWhole: false };
    }
  } finally {
    await stream.close();
  }
  return { rows, bytes, own, isWhole: rows < limit };
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
