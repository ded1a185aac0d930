/** Looks at the keys of a scope: how many rows there are, and which ranges hold nothing else. */
import {
  compareBytes,
  copyBytes,
  coverOf,
  type CoverPart,
  intersectRanges,
  type KeyRange,
  rangeContains,
  unionRanges,
} from '../../../base/index.js';
import { canStartWith, type KeyDecoder } from '../../../data/key/index.js';
import { type EntityModel, isOwnFamily } from '../../model/index.js';
import { fullScan, rangesOf } from '../../query/index.js';
import type { Engine, Filter, RowCursor } from '../../../data/store/index.js';
import { ScopeGuard } from '../scope/scope-guard.js';
import { storagePath } from '../storage-path.js';
import type { ScopePart } from './scope-parts.js';

/** A part with rows in ranges of the scope. */
export type StoredPart = ScopePart & { readonly inScope: EntityModel };

/** Ranges that need more drops than this are deleted row by row. */
const maxDropsOfRange = 16;

/** The rows of a part in a range: whole, or in parts that can be dropped. */
interface SurveyedRange {
  readonly range: KeyRange;
  /** The parts of the scope that have rows here. */
  readonly owners: readonly Owner[];
  /** What to drop; undefined if other entities can have rows here. */
  cover: readonly CoverPart[] | undefined;
  /** The parts of `cover` that hold rows. */
  readonly used: Set<CoverPart>;
  readonly rows: Map<StoredPart, number>;
}

interface Owner {
  readonly part: StoredPart;
  readonly ranges: readonly KeyRange[];
  readonly decode: KeyDecoder;
}

/** A drop, and the rows that it deletes. */
export interface RangeDrop {
  readonly table: string;
  readonly guard: Engine;
  readonly drops: readonly CoverPart[];
  /** The parts that have rows here, and how many of each were found. */
  readonly parts: readonly StoredPart[];
  readonly rows: ReadonlyMap<StoredPart, number>;
}

/** What was found in one table. */
export interface TableSurvey {
  readonly drops: readonly RangeDrop[];
  /** Rows in ranges that hold something else, by part; 0 rows if such a range is empty. */
  readonly rest: ReadonlyMap<StoredPart, number>;
}

/** Reads the keys of parts of one table, to delete their rows by themselves. */
export async function surveyTable(
  parts: readonly StoredPart[],
  stored: readonly EntityModel[],
  signal: AbortSignal | undefined,
): Promise<TableSurvey> {
  const [{ repository, table, inScope }] = parts;
  const owners = parts.map((part): Owner => ({
    part,
    ranges: part.inScope.key.scope!.ranges,
    decode: part.inScope.key.scope!.decoder(),
  }));
  const ranges = unionRanges(owners.flatMap((owner) => owner.ranges));
  const scope = new ScopeGuard(inScope, ranges);
  const guard = storagePath(repository.derivedEngine, { scope });
  const models = stored.map((model) => ({ model, all: rangesOf(model, fullScan).perShard.flat() }));
  const surveyed = ranges.map((range) => surveyedRange(range, owners, models));
  const stream = guard.readRows(
    { table, ranges, reversed: false, filter: filterOf(parts) },
    { signal },
  );
  try {
    let at = 0;
    for (let page = await stream.next(); page !== undefined; page = await stream.next())
      while (page.nextRow()) {
        const key = copyBytes(page.keyBytes, page.keyStart, page.keyEnd);
        while (!rangeContains(surveyed[at].range, key)) at++;
        addRow(surveyed[at], key, page);
      }
  } finally {
    await stream.close();
  }
  return resultOf(surveyed, table, guard);
}

function resultOf(surveyed: readonly SurveyedRange[], table: string, guard: Engine): TableSurvey {
  const drops: RangeDrop[] = [];
  const rest = new Map<StoredPart, number>();
  for (const { cover, used, rows, owners } of surveyed) {
    if (cover !== undefined) {
      const parts = owners.map(({ part }) => part);
      if (used.size > 0) drops.push({ table, guard, drops: [...used], parts, rows });
      continue;
    }
    for (const { part } of owners) rest.set(part, (rest.get(part) ?? 0) + (rows.get(part) ?? 0));
  }
  return { drops, rest };
}

/** An entity, or rows that follow from one, and all keys that it can have. */
interface StoredModel {
  readonly model: EntityModel;
  readonly all: readonly KeyRange[];
}

function surveyedRange(
  range: KeyRange,
  owners: readonly Owner[],
  stored: readonly StoredModel[],
): SurveyedRange {
  const here = owners.flatMap((owner) => {
    const ranges = owner.ranges.flatMap((each) => intersectRanges(each, range) ?? []);
    return ranges.length === 0 ? [] : [{ ...owner, ranges }];
  });
  const isShared = stored.some((each) => canHaveOthers(each, range, here));
  return {
    range,
    owners: here,
    cover: isShared ? undefined : coverOf(range, maxDropsOfRange),
    used: new Set(),
    rows: new Map(),
  };
}

/** Whether an entity of this program can have rows in the range that are not of the scope. */
function canHaveOthers(
  { model, all }: StoredModel,
  range: KeyRange,
  owners: readonly Owner[],
): boolean {
  const theirs = all.flatMap((each) => intersectRanges(each, range) ?? []);
  const own = owners.find(({ part }) => part.inScope.name === model.name);
  const isInside = theirs.every((each) => own?.ranges.some((outer) => holds(outer, each)));
  if (isInside) return false;
  return owners.some(({ part: { inScope } }) =>
    canStartWith(inScope.key, inScope.key.scope!.names.length, model.key),
  );
}

function holds(outer: KeyRange, inner: KeyRange): boolean {
  if (compareBytes(outer.start, inner.start) > 0) return false;
  if (outer.end === undefined) return true;
  return inner.end !== undefined && compareBytes(inner.end, outer.end) <= 0;
}

function addRow(surveyed: SurveyedRange, key: Uint8Array, page: RowCursor): void {
  const owner = surveyed.owners.find(
    ({ ranges, decode }) =>
      ranges.some((range) => rangeContains(range, key)) && decode(key, 0, key.length, {}),
  );
  if (owner === undefined) {
    surveyed.cover = undefined;
    return;
  }
  const used = surveyed.cover?.find(({ range }) => rangeContains(range, key));
  if (used !== undefined) surveyed.used.add(used);
  const { part } = owner;
  if (isRow(part, page)) surveyed.rows.set(part, (surveyed.rows.get(part) ?? 0) + 1);
}

/** A row that was deleted keeps its version, and tokens of rollups, for a day in our families. */
function isRow({ kind }: StoredPart, page: RowCursor): boolean {
  if (kind !== 'rows') return true;
  while (page.nextCell()) if (!isOwnFamily(page.family)) return true;
  return false;
}

/** One cell of each row, and one that is not ours if there is one. */
function filterOf(parts: readonly StoredPart[]): Filter {
  const one: readonly Filter[] = [{ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }];
  const names = parts.flatMap(({ inScope }) => [...inScope.table.families.keys()]);
  const families = [...new Set(names)].filter((name) => !isOwnFamily(name));
  const any: Filter = { kind: 'chain', filters: one };
  if (families.length === 0) return any;
  const visible: Filter = {
    kind: 'chain',
    filters: [{ kind: 'families', families }, ...one],
  };
  return { kind: 'interleave', filters: [any, visible] };
}
