/**
 * What indexes, rollups and copies cost: rows of the workload are written to an engine in memory,
 * its requests counted, and the rows that it then has.
 */
import { everyKey } from '../../../base/index.js';
import { type EntityModel, isOwnFamily, maxAgeOf } from '../../../entities/model/index.js';
import { Database, openParts } from '../../../entities/repository/index.js';
import { type Cell, collectRows, type Engine, withStages } from '../../../data/store/index.js';
import { drawNumbers, type Population } from '../population/population.js';
import { yearSeconds } from '../population/rates.js';
import { Random } from '../../values/index.js';
import { entityClassesOf } from '../workload/entity-classes.js';
import { RowData } from '../workload/row-data.js';
import { countRequests, type CountedAccess } from './count-requests.js';
import { type DerivedOwner } from './derived-keys.js';
import type { RowAccess } from '../../heat/index.js';
import { rowValues } from './row-keys.js';
import { RowSizes } from './row-size.js';

/** What one write causes, on average. */
export interface WriteCost {
  /** `row`, or the name of the index, the rollup or the entity with copied values. */
  readonly name: string;
  readonly kind: 'row' | DerivedOwner['kind'];
  /** The first write of a row. */
  readonly insert: RowAccess;
  /** A later write with other values. */
  readonly update: RowAccess;
  /** A write of the workload: an insert or an update, as often as it is one. */
  readonly write: RowAccess;
  /** Bytes of its rows now and after each of 12 months; of `row`, of what indexes store in it. */
  readonly storedBytes: readonly number[];
}

/** What follows from the writes of an entity. */
export interface DerivedLoad {
  /** Of the row itself, then of its indexes, rollups and copies; empty if it has none of these. */
  readonly costs: readonly WriteCost[];
  /** What a write asks of the row itself besides the write of its columns. */
  readonly ofRow: RowAccess;
}

type Owner = Pick<WriteCost, 'name' | 'kind'> & {
  readonly owns: (table: string, key: Uint8Array) => boolean;
};

const writtenRows = 200;
const sampleSize = 4_096;
const months = Array.from({ length: 13 }, (_, month) => (month * yearSeconds) / 12);

/** Measures the costs of a workload. */
export async function derivedLoad(
  population: Population,
  at: number,
  seed: number,
): Promise<DerivedLoad> {
  const { load } = population;
  const { model } = load;
  const owners = ownersOf(model);
  if (owners.length === 1) return { costs: [], ofRow: { reads: 0, writes: 0, writtenBytes: 0 } };
  const parts = await openParts('memory:', { entities: entityClassesOf(model), validate: false });
  const accesses: CountedAccess[] = [];
  const counted = countRequests((access) => accesses.push(access));
  await using db = new Database({ ...parts, engine: withStages(parts.engine, [counted]) });
  const repository = db.repository(model.entityClass as never) as unknown as Writer;
  const random = new Random(seed);
  const data = new RowData(load, false);
  const rows = distinctRows(population, at, random);
  const write = async (): Promise<readonly CountedAccess[]> => {
    accesses.length = 0;
    for (const row of rows)
      await repository.save(repository.create({ ...row, ...data.columns(random) }));
    return [...accesses];
  };
  const [inserts, updates] = [await write(), await write()];
  const stored = await storedRows(parts.engine, model);
  const inserted = population.insertShare(new RowSizes(population).retention, seed);
  const costs = owners.map((owner): WriteCost => {
    const [insert, update] = [inserts, updates].map((all) =>
      access(owner, owners, all, rows.length),
    );
    const mean = mix(insert, update, inserted);
    const storedBytes = storedBytesOf(owner, stored, { population, seed, rows: rows.length });
    return { name: owner.name, kind: owner.kind, insert, update, write: mean, storedBytes };
  });
  const [{ write: ofRow }] = costs;
  const isRow = owners[0].owns;
  const ownBytes = [inserts, updates].map(
    (all) =>
      all.reduce((sum, each) => sum + (isRow(each.table, each.key) ? each.ownBytes : 0), 0) /
      rows.length,
  );
  const writtenBytes = inserted * ownBytes[0] + (1 - inserted) * ownBytes[1];
  return { costs, ofRow: { reads: ofRow.reads, writes: ofRow.writes - 1, writtenBytes } };
}

interface Writer {
  create(values: object): object;
  save(entity: object): Promise<void>;
}

/** Values of segments as writes draw them, each once. */
function distinctRows(
  { load, writes }: Population,
  at: number,
  random: Random,
): readonly Readonly<Record<string, unknown>>[] {
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (let i = 0; i < 4 * writtenRows && found.size < writtenRows; i++) {
    const instant = { ms: at + i * 977, sequence: Math.floor(writes) + i, random: random.next() };
    const values = rowValues(load.segments, drawNumbers(load.segments, random), instant);
    found.set(Buffer.from(load.model.key.encode(values)).toString('latin1'), values);
  }
  return [...found.values()];
}

/** What the requests ask of the rows of an owner, for each write. */
function access(
  owner: Owner,
  owners: readonly Owner[],
  accesses: readonly CountedAccess[],
  rows: number,
): RowAccess {
  let [reads, writes, writtenBytes] = [0, 0, 0];
  for (const { kind, table, key, bytes } of accesses) {
    if (owners.find(({ owns }) => owns(table, key)) !== owner) continue;
    if (kind === 'read') reads++;
    else writes++;
    writtenBytes += bytes;
  }
  return { reads: reads / rows, writes: writes / rows, writtenBytes: writtenBytes / rows };
}

function mix(insert: RowAccess, update: RowAccess, inserted: number): RowAccess {
  const of = (name: keyof RowAccess): number =>
    inserted * insert[name] + (1 - inserted) * update[name];
  return { reads: of('reads'), writes: of('writes'), writtenBytes: of('writtenBytes') };
}

interface StoredRow {
  readonly table: string;
  readonly key: Uint8Array;
  readonly cells: readonly Cell[];
}

/** The rows of the entity, and all rows that follow from them. */
async function storedRows(engine: Engine, model: EntityModel): Promise<readonly StoredRow[]> {
  const tables = new Set([
    model.table.name,
    ...model.indexes.map(({ entry }) => entry.table.name),
    ...model.rollups.map(({ rows }) => rows.table.name),
  ]);
  const found: StoredRow[] = [];
  for (const table of tables)
    for (const row of await collectRows(
      engine.readRows({ table, ranges: [everyKey], reversed: false }),
    ))
      found.push({ table, ...row });
  return found;
}

interface Extrapolation {
  readonly population: Population;
  readonly seed: number;
  /** Rows that were written. */
  readonly rows: number;
}

/** Bytes of the rows of an owner now and after each month. */
function storedBytesOf(
  { kind, name, owns }: Owner,
  stored: readonly StoredRow[],
  { population, seed, rows: written }: Extrapolation,
): readonly number[] {
  const { model } = population.load;
  const own = stored.filter(({ table, key }) => owns(table, key));
  if (kind === 'copies') return months.map(() => 0);
  if (kind === 'rollup') {
    const { by, width } = model.rollups.find((each) => each.name === name)!;
    const bytes = sum(own.map(({ key, cells }) => key.length + sum(cells.map(cellBytes))));
    const each = own.length === 0 ? 0 : bytes / own.length;
    return months.map((at) => each * population.buckets(by, width, at, seed));
  }
  const sizes = new RowSizes(population);
  const combinations = population.combinations(sampleSize, new Random(seed));
  const rowsWithin = (at: number, seconds: number): number =>
    sum(combinations.map((each) => each.weight * sizes.rows(each, at, seconds)));
  if (kind === 'index') {
    const bytes = sum(own.map(({ key, cells }) => key.length + sum(cells.map(cellBytes))));
    return months.map((at) => (bytes / written) * rowsWithin(at, sizes.retention));
  }
  const families = new Map<string, number>();
  for (const cell of own.flatMap(({ cells }) => cells))
    if (isOwnFamily(cell.family))
      families.set(cell.family, (families.get(cell.family) ?? 0) + cellBytes(cell));
  return months.map((at) =>
    sum(
      [...families].map(([family, bytes]) => {
        const seconds = maxAgeOf(model.table.families.get(family)?.gc) / 1e6;
        return (bytes / written) * rowsWithin(at, Math.min(seconds, sizes.retention));
      }),
    ),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const timestampBytes = 8;

function cellBytes({ family, qualifier, value }: Cell): number {
  return family.length + qualifier.length + timestampBytes + value.length;
}

function ownersOf(model: EntityModel): readonly Owner[] {
  const { indexes, rollups, copies = [] } = model;
  return [
    { name: 'row', kind: 'row', owns: ownerOf(model) },
    ...indexes.map(({ name, entry }): Owner => ({ name, kind: 'index', owns: ownerOf(entry) })),
    ...rollups.map(({ name, rows }): Owner => ({ name, kind: 'rollup', owns: ownerOf(rows) })),
    ...copies.map(({ source }): Owner => ({
      name: source.name,
      kind: 'copies',
      owns: ownerOf(source),
    })),
  ];
}

function ownerOf({ table, key }: EntityModel): Owner['owns'] {
  const decode = key.decoder();
  return (name, bytes) => name === table.name && decode(bytes, 0, bytes.length, {});
}
