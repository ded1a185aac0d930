/**
 * What indexes and rollups cost: rows of the workload are written to an engine in memory, and its
 * requests counted.
 */
import type { EntityModel } from '../../../entities/model/index.js';
import { Database, openParts } from '../../../entities/repository/index.js';
import { drawNumbers, type Population } from '../population/population.js';
import { withStages } from '../../../data/store/index.js';
import { Random } from '../../values/index.js';
import { entityClassesOf } from '../workload/entity-classes.js';
import { RowData } from '../workload/row-data.js';
import { countRequests, type CountedRequest } from './count-requests.js';
import { rowValues } from './row-keys.js';

/** What one write causes, on average. */
export interface WriteCost {
  /** `row`, or the name of the index or rollup. */
  readonly name: string;
  readonly kind: 'row' | 'index' | 'rollup';
  /** The first write of a row, and a later one with other values. */
  readonly insertRequests: number;
  readonly insertBytes: number;
  readonly updateRequests: number;
  readonly updateBytes: number;
}

/** A row of the workload, then the indexes and rollups of the entity. */
type Owner = Pick<WriteCost, 'name' | 'kind'> & {
  readonly owns: (table: string, key: Uint8Array) => boolean;
};

const writtenRows = 50;

/** Costs of the row itself and of each index and rollup; empty if the entity has none of these. */
export async function writeCosts(
  population: Population,
  at: number,
  seed: number,
): Promise<readonly WriteCost[]> {
  const { load } = population;
  const { model } = load;
  if (model.indexes.length + model.rollups.length === 0) return [];
  const parts = await openParts('memory:', {
    entities: entityClassesOf(model),
    validate: false,
  });
  const requests: CountedRequest[] = [];
  const counted = countRequests((request) => requests.push(request));
  const engine = withStages(parts.engine, [counted]);
  await using db = new Database({ ...parts, engine });
  const repository = db.repository(model.entityClass as never) as unknown as Writer;
  const random = new Random(seed);
  const data = new RowData(load, false);
  const rows = Array.from({ length: writtenRows }, (_, i) => {
    const instant = { ms: at + i * 977, sequence: i, random: random.next() };
    return rowValues(load.segments, drawNumbers(load.segments, random), instant);
  });
  const write = async (): Promise<readonly CountedRequest[]> => {
    requests.length = 0;
    for (const row of rows)
      await repository.save(repository.create({ ...row, ...data.columns(random) }));
    return [...requests];
  };
  const inserts = await write();
  const updates = await write();
  return ownersOf(model).map((owner): WriteCost => {
    const insert = cost(owner, inserts);
    const update = cost(owner, updates);
    return {
      name: owner.name,
      kind: owner.kind,
      insertRequests: insert.requests,
      insertBytes: insert.bytes,
      updateRequests: update.requests,
      updateBytes: update.bytes,
    };
  });
}

interface Writer {
  create(values: object): object;
  save(entity: object): Promise<void>;
}

function cost(
  { owns, kind }: Owner,
  requests: readonly CountedRequest[],
): { readonly requests: number; readonly bytes: number } {
  const own = requests.filter(({ table, keys }) =>
    keys.length === 0 ? kind === 'row' : owns(table, keys[0]),
  );
  const bytes = own.reduce((sum, request) => sum + request.bytes, 0);
  return { requests: own.length / writtenRows, bytes: bytes / writtenRows };
}

function ownersOf(model: EntityModel): readonly Owner[] {
  return [
    { name: 'row', kind: 'row', owns: ownerOf(model) },
    ...model.indexes.map(({ name, entry }): Owner => ({
      name,
      kind: 'index',
      owns: ownerOf(entry),
    })),
    ...model.rollups.map(({ name, rows }): Owner => ({
      name,
      kind: 'rollup',
      owns: ownerOf(rows),
    })),
  ];
}

function ownerOf({ table, key }: EntityModel): Owner['owns'] {
  const decode = key.decoder();
  return (name, bytes) => name === table.name && decode(bytes, 0, bytes.length, {});
}
