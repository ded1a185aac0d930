/**
 * The lines of test/languages/vectors.jsonl, which TypeScript makes and every language runs. Values
 * have the tagged form of `values.ts`. Entities, properties and errors have the names and words of
 * TypeScript. Bytes are hexadecimal.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, isRowsmithError, toHex, type Values } from '../../../src/base/index.js';
import { scopedKey } from '../../../src/data/key/codec/scoped-key.js';
import type { KeyCondition } from '../../../src/data/key/index.js';
import type { Mutation } from '../../../src/data/store/index.js';
import { compileDehydrator } from '../../../src/entities/mapping/index.js';
import { buildModels, type EntityModel } from '../../../src/entities/model/index.js';
import { type Database, open } from '../../../src/index.js';
import { tagged, taggedColumn } from './values.js';
import { keyCases, type RangeCase, rangeCases, readCases, writeCases } from './vector-cases.js';
import { Value, vectorEntities } from './vector-entities.js';

/** A cell: family, qualifier, value, and milliseconds since 1970; without them, the write's. */
export type CellVector = readonly [family: string, qualifier: string, value: string, ms?: number];

/** The error of TypeScript, with its words. */
export interface VectorError {
  readonly code: string;
  readonly property: string | null;
  readonly problem: string;
  readonly fix: string;
}

/** What each line has: an operation on an entity, its input, and its result or error. */
export type Vector = { readonly entity: string; readonly error?: VectorError } & (
  | {
      /** Values of a key, to its bytes. */
      readonly op: 'encode';
      readonly values: object;
      readonly key?: string;
    }
  | {
      /** Bytes of a key, to its values. */
      readonly op: 'parse';
      readonly key: string;
      readonly values?: object;
    }
  | {
      /** Leading segments, of which the last may be a bound, to ranges; `within` is a scope. */
      readonly op: 'ranges';
      readonly values: object;
      readonly within?: object;
      readonly ranges?: readonly (readonly [start: string, end: string | null])[];
    }
  | {
      /** A new row, to its cells. Other properties have no value. */
      readonly op: 'write';
      readonly values: object;
      readonly cells?: readonly CellVector[];
    }
  | {
      /** The cells of a row, to its properties. Properties that are not named have no value. */
      readonly op: 'read';
      readonly key: string;
      readonly cells: readonly CellVector[];
      readonly values?: object;
    }
);

/** The time of the writes, in milliseconds since 1970. */
export const vectorNow = Date.UTC(2026, 10, 28, 13);

export const vectorPath = join(__dirname, '../vectors.jsonl');

/** The committed lines. */
export function readVectors(): readonly Vector[] {
  const lines = readFileSync(vectorPath, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Vector);
}

/** The lines as TypeScript makes them. */
export async function makeVectors(): Promise<readonly Vector[]> {
  await using db = await open('memory:', { entities: vectorEntities, lint: false });
  const models = new Map(buildModels(vectorEntities).map((model) => [model.name, model]));
  const vectors: Vector[] = [];
  for (const { entity, values } of keyCases())
    vectors.push(...keyVectors(models.get(entity)!, values));
  for (const each of rangeCases()) vectors.push(rangeVector(models.get(each.entity)!, each));
  for (const values of writeCases())
    vectors.push(...(await writeVectors(models.get('Value')!, values, db)));
  for (const { key, cells } of readCases())
    vectors.push(await readVector(models.get('Value')!, key, cells, db));
  return vectors;
}

function keyVectors(model: EntityModel, given: object): readonly Vector[] {
  const values = taggedKey(model, given);
  const entity = model.name;
  const found = attempted(() => toHex(model.key.encode(given as Record<string, unknown>)));
  if ('error' in found) return [{ op: 'encode', entity, values, error: found.error }];
  const key = found.ok;
  const shorter = key.slice(0, -2);
  return [
    { op: 'encode', entity, values, key },
    parseVector(model, key),
    parseVector(model, shorter),
  ];
}

function parseVector(model: EntityModel, key: string): Vector {
  const bytes = fromHex(key)!;
  const problem = model.key.foreignReason(bytes);
  const entity = model.name;
  if (problem !== undefined) {
    const fix = 'read these rows as the entity that they belong to';
    return {
      op: 'parse',
      entity,
      key,
      error: { code: 'FOREIGN_KEY', property: null, problem, fix },
    };
  }
  const values: Record<string, unknown> = {};
  model.key.decoder()(bytes, 0, bytes.length, values);
  return { op: 'parse', entity, key, values: taggedKey(model, values) };
}

function taggedKey(model: EntityModel, values: object): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, tagged(value, segmentKind(model, name))]),
  );
}

function segmentKind({ segments }: EntityModel, name: string): string {
  return segments.find(({ property }) => property === name)?.type.kind ?? 'string';
}

function rangeVector(model: EntityModel, { condition, within }: RangeCase): Vector {
  const base = {
    op: 'ranges' as const,
    entity: model.name,
    values: taggedCondition(model, condition),
    within: within && taggedKey(model, within),
  };
  const found = attempted(() => {
    const { fixed, bound } = condition;
    if (within === undefined) return model.key.ranges(condition);
    scopedKey(model.key, model.name, within as Values).scope!.assertInside(fixed);
    return model.key.ranges({ fixed: { ...within, ...fixed }, bound });
  });
  if ('error' in found) return { ...base, error: found.error };
  const ranges = found.ok.perShard
    .flat()
    .map(({ start, end }) => [toHex(start), end === undefined ? null : toHex(end)] as const);
  return { ...base, ranges };
}

function taggedCondition(model: EntityModel, { fixed, bound }: KeyCondition): object {
  const values = taggedKey(model, fixed);
  if (bound === undefined) return values;
  const { segment } = bound;
  if (bound.kind === 'startsWith') return { ...values, [segment]: { $startsWith: bound.text } };
  if (bound.kind === 'subdomains') return { ...values, [segment]: { $subdomains: bound.domain } };
  const kind = segmentKind(model, segment);
  const ends = [bound.from, bound.to].map((end) =>
    end === undefined ? null : [tagged(end.value, kind), end.inclusive],
  );
  return { ...values, [segment]: { $between: ends } };
}

/** The cells of a new row, and what TypeScript reads from them. */
async function writeVectors(
  model: EntityModel,
  given: object,
  db: Database,
): Promise<readonly Vector[]> {
  const entity = model.name;
  const values = taggedRow(model, given);
  const rows = db.repository(Value) as unknown as Rows;
  let error: VectorError | undefined;
  await rows
    .insert(Object.assign(new Value(), given))
    .catch((thrown: unknown) => (error = errorOf(thrown)));
  if (error !== undefined) return [{ op: 'write', entity, values, error }];
  const { key, mutations } = compileDehydrator(model).insert(given as Values, vectorNow * 1000);
  const cells = mutations.map(cellOf);
  await db.engine.mutateRow(model.table.name, { key, mutations: [{ kind: 'deleteFromRow' }] });
  const stored = cells.filter(([family]) => family !== 'sums');
  return [
    { op: 'write', entity, values, cells },
    await readVector(model, toHex(key), [...stored].sort(inStorage), db),
  ];
}

/** By family and qualifier, the newest first. */
function inStorage(a: CellVector, b: CellVector): number {
  const names = ([family, qualifier]: CellVector): string => `${family}:${qualifier}`;
  if (names(a) !== names(b)) return names(a) < names(b) ? -1 : 1;
  return (b[3] ?? vectorNow) - (a[3] ?? vectorNow);
}

function cellOf(mutation: Mutation): CellVector {
  if (mutation.kind !== 'setCell') throw new Error(`${mutation.kind} in an insert`);
  const { family, qualifier, value, timestamp } = mutation;
  const cell = [family, toHex(qualifier), toHex(value)] as const;
  const ms = Number(timestamp) / 1000;
  return ms === vectorNow ? cell : [...cell, ms];
}

async function readVector(
  model: EntityModel,
  key: string,
  cells: readonly CellVector[],
  db: Database,
): Promise<Vector> {
  const entity = model.name;
  const row = fromHex(key)!;
  const mutations = cells.map(([family, name, hex, ms = vectorNow]): Mutation => {
    const qualifier = fromHex(name)!;
    const value = fromHex(hex)!;
    const at = { family, qualifier, timestamp: ms * 1000 };
    // Cells of aggregate families are never set.
    if (family === 'sums') return { kind: 'addToCell', ...at, input: BigInt(`0x${hex}`) };
    return { kind: 'setCell', ...at, value };
  });
  await db.engine.mutateRow(model.table.name, { key: row, mutations });
  const keyValues: Record<string, unknown> = {};
  model.key.decoder()(row, 0, row.length, keyValues);
  const rows = db.repository(Value) as unknown as Rows;
  try {
    const found = await rows.get(keyValues);
    return { op: 'read', entity, key, cells, values: taggedRow(model, found ?? {}) };
  } catch (thrown) {
    return { op: 'read', entity, key, cells, error: errorOf(thrown) };
  } finally {
    await db.engine.mutateRow(model.table.name, {
      key: row,
      mutations: [{ kind: 'deleteFromRow' }],
    });
  }
}

/** What a repository of a declaration that the compiler does not know does here. */
interface Rows {
  insert(row: object): Promise<unknown>;
  get(key: object): Promise<object | undefined>;
}

/** The properties with values; maps and lists of versions without entries have none. */
export function taggedRow(model: EntityModel, row: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      const column = model.columns.find(({ property }) => property === name);
      if (value === undefined || (value === null && column !== undefined)) return [];
      if (column === undefined) return [[name, tagged(value, segmentKind(model, name))]];
      return isEmpty(value, column.kind) ? [] : [[name, taggedColumn(value, column)]];
    }),
  );
}

function isEmpty(value: unknown, kind: string): boolean {
  if (kind === 'columnMap') return value instanceof Map && value.size === 0;
  return kind === 'versions' && Array.isArray(value) && value.length === 0;
}

function attempted<T>(call: () => T): { readonly ok: T } | { readonly error: VectorError } {
  try {
    return { ok: call() };
  } catch (thrown) {
    return { error: errorOf(thrown) };
  }
}

function errorOf(thrown: unknown): VectorError {
  if (!isRowsmithError(thrown)) throw thrown;
  const { property = null, problem = '', fix = '' } = thrown.details;
  return { code: thrown.code, property, problem, fix };
}
