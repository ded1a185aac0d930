/** Counts the requests of every write method for every feature. */
import { RowsmithError } from '../../../src/base/index.js';
import { Database, openParts } from '../../../src/entities/repository/index.js';
import { withStages } from '../../../src/data/store/index.js';
import { existingIds, storedRow, type WriteCall, writeCalls } from './calls.js';
import type { Method } from './request-counter.js';
import { type Feature, features, type Plain } from './entities.js';
import { TripCounter } from './trip-counter.js';

/** What one call cost. */
export interface Counted {
  readonly feature: string;
  readonly call: string;
  /** By Bigtable's methods, until nothing happens any more. */
  readonly counts: ReadonlyMap<Method, number>;
  readonly requests: number;
  /** Round trips until the call resolved. */
  readonly trips: number;
  /** Whether the requests of the call wait for each other, for random times. */
  readonly varies: boolean;
  /** `ok`, or the code of the error, for calls of many rows with their number. */
  readonly outcome: string;
}

/** Counts all calls, each on a new database. */
export async function countRequests(): Promise<readonly Counted[]> {
  const counted: Counted[] = [];
  for (const feature of features)
    for (const call of writeCalls) counted.push(await countCall(feature, call));
  return counted;
}

async function countCall(feature: Feature, call: WriteCall): Promise<Counted> {
  const entity = call.needsRevision === true ? feature.revised : feature.entity;
  const entities = [entity, ...feature.others.filter((each) => each !== entity)];
  const all = [...new Set([...entities, feature.entity, feature.revised])];
  const parts = await openParts('memory:', { entities: all });
  const counter = new TripCounter();
  const db = new Database({ ...parts, engine: withStages(parts.engine, [counter]) });
  // Sources first.
  for (const each of entities.toReversed()) await store(db, each);
  counter.start();
  const rows = db.repository(entity);
  const outcome = await outcomeOf(call.run(rows));
  const { trips } = counter;
  await counter.idle();
  await db.close();
  const { counts, requests } = counter;
  const varies = feature.contends === true && call.contends === true;
  return { feature: feature.name, call: call.name, counts, requests, trips, outcome, varies };
}

async function store(db: Database, entity: typeof Plain): Promise<void> {
  const rows = db.repository(entity);
  for (const id of existingIds) await rows.insert(storedRow(rows, id));
}

async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    const { failures = [] } = ((await call) ?? {}) as { failures?: { error: RowsmithError }[] };
    if (failures.length === 0) return 'ok';
    return `${failures.length} ${[...new Set(failures.map(({ error }) => error.code))].join(', ')}`;
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    return error.code;
  }
}
