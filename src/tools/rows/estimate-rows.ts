/** How many rows an entity has, exactly if they are few. */
import {
  equalBytes,
  intersectRanges,
  type KeyRange,
  rangeFrom,
  unionRanges,
} from '../../base/index.js';
import type { EntityModel } from '../../entities/model/index.js';
import type { Engine, Filter, SampledKey } from '../../data/store/index.js';
import { unlessMissing } from './unless-missing.js';

/** A number of rows. */
export interface RowEstimate {
  readonly rows: number;
  readonly estimated: boolean;
}

/** Up to this number, rows are counted. As many are read for their mean size. */
const countedRows = 1_000;
/** Rows that are counted in sections of the table that hold rows of other entities as well. */
const edgeRows = 20_000;
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
  const first = await firstRows(engine, model, { ranges, most: countedRows });
  if (first.isWhole) return { rows: first.own, estimated: false };
  const { bytes, edges, edgeBytes } = sectionsOf(await engine.sampleRowKeys(table), ranges);
  // Sections at the edges hold rows of other entities as well.
  const counted = await firstRows(engine, model, { ranges: edges, most: edgeRows, filter: keys });
  const own = first.own / first.rows;
  const mean = first.bytes / first.rows;
  const atEdges = counted.isWhole
    ? counted.own
    : Math.max(counted.own, (edgeBytes / 2 / mean) * own);
  const rows = Math.round((bytes / mean) * own + atEdges);
  return { rows: Math.max(rows, first.own), estimated: true };
}

interface CountedRows {
  readonly ranges: readonly KeyRange[];
  readonly most: number;
  readonly filter?: Filter;
}

/** Cells without their values. */
const keys: Filter = { kind: 'stripValue' };

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
  { ranges, most, filter }: CountedRows,
): Promise<FirstRows> {
  if (ranges.length === 0) return { rows: 0, bytes: 0, own: 0, isWhole: true };
  const decode = model.key.decoder();
  const families = new Set(model.columns.map(({ family }) => family));
  if (model.marker !== undefined) families.add(model.marker.family);
  const limit = most + 1;
  const plan = { table: model.table.name, ranges, reversed: false, limit, filter };
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

/** The sections of a table between sampled keys that the rows of an entity reach into. */
interface Sections {
  /** The size of the sections that belong to the entity alone. */
  readonly bytes: number;
  /** The ranges of the entity in sections that contain other keys as well. */
  readonly edges: readonly KeyRange[];
  /** The size of these sections. */
  readonly edgeBytes: number;
}

function sectionsOf(samples: readonly SampledKey[], ranges: readonly KeyRange[]): Sections {
  const edges: KeyRange[] = [];
  let [bytes, edgeBytes] = [0, 0];
  let start: SampledKey = { key: new Uint8Array(), offsetBytes: 0 };
  for (const sample of samples) {
    const section = rangeFrom(start.key, sample.key.length === 0 ? undefined : sample.key);
    const size = sample.offsetBytes - start.offsetBytes;
    const inside = ranges.flatMap((range) => intersectRanges(range, section) ?? []);
    if (inside.some((range) => isSameRange(range, section))) bytes += size;
    else if (inside.length > 0) {
      edges.push(...inside);
      edgeBytes += size;
    }
    start = sample;
  }
  return { bytes, edges: unionRanges(edges), edgeBytes };
}

const isSameRange = (one: KeyRange, other: KeyRange): boolean =>
  equalBytes(one.start, other.start) &&
  (one.end === undefined || other.end === undefined
    ? one.end === other.end
    : equalBytes(one.end, other.end));
