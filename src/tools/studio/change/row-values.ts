/** Values of rows in requests, as the library takes them. */
import { isRowsmithError, type FaultTexts } from '../../../base/index.js';
import { CodecError } from '../../../data/cell/index.js';
import { columnJsonForm, parseEntryKey } from '../../../data/text/index.js';
import type { ColumnModel, EntityModel } from '../../../entities/model/index.js';
import { segmentsOfKey } from '../data/key-view.js';
import { entityNamed } from '../state/entity-names.js';
import type { StudioContext } from '../context.js';
import type { JsonValue } from '../protocol/json.js';
import { badRequest, type RequestFields } from '../request-fields.js';

/** The row that a request changes. */
export interface NamedRow {
  readonly model: EntityModel;
  readonly table: string;
  readonly key: Uint8Array;
  /** The segments. */
  readonly segments: Readonly<Record<string, unknown>>;
}

/** The row of a request. Throws BAD_REQUEST if the entity has no such key. */
export function namedRow({ models }: StudioContext, request: RequestFields): NamedRow {
  const model = entityNamed(models, request.text('entity'));
  const table = request.text('table');
  const key = request.bytes('key');
  const problem = model.key.foreignReason(key);
  if (model.table.name !== table || problem !== undefined)
    throw badRequest(request.pathOf('key'), faults.foreignKey(model.name, problem ?? ''));
  return { model, table, key, segments: segmentsOfKey(model, key) };
}

/** The column of a property. Throws BAD_REQUEST. */
export function requestedColumn(model: EntityModel, property: string, path: string): ColumnModel {
  const found = model.columns.find((column) => column.property === property);
  if (found !== undefined) return found;
  throw badRequest(path, faults.unknownColumn(model.name, property));
}

/** The changes of `set`, as `patch` takes them. Throws BAD_REQUEST with the property. */
export function parseChanges(
  model: EntityModel,
  set: Readonly<Record<string, JsonValue>>,
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const [property, json] of Object.entries(set)) {
    const column = requestedColumn(model, property, `set.${property}`);
    changes[property] = parsedValue(column, json, `set.${property}`);
  }
  return changes;
}

/** A value of a column; null for none. Throws BAD_REQUEST. */
export function parsedValue(column: ColumnModel, json: JsonValue, path: string): unknown {
  if (json === null) return null;
  try {
    if (column.kind !== 'columnMap') return columnJsonForm(column).parse(json);
    return parsedEntries(column, json);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    const at = error.path === '' ? path : `${path}.${error.path}`;
    throw badRequest(at, { problem: error.problem, fix: error.fix });
  }
}

/** Entries of a map, of which null deletes one. */
function parsedEntries(
  column: Extract<ColumnModel, { readonly kind: 'columnMap' }>,
  json: JsonValue,
): ReadonlyMap<unknown, unknown> {
  const entries = json as Readonly<Record<string, JsonValue>>;
  const isObject = typeof json === 'object' && !Array.isArray(json);
  const kept = isObject ? Object.entries(entries).filter(([, value]) => value !== null) : [];
  // Without a prototype: an entry may be `__proto__`.
  const given = Object.assign(Object.create(null) as object, Object.fromEntries(kept));
  const parsed = columnJsonForm(column).parse(isObject ? given : json);
  const map = new Map(parsed as ReadonlyMap<unknown, unknown>);
  const key = parseEntryKey(column.qualifiers);
  for (const [name, value] of isObject ? Object.entries(entries) : [])
    if (value === null) map.set(key(name), null);
  return map;
}

/** The problems of an error about values, if it is one. */
export function issuesOf(
  error: unknown,
):
  | readonly { readonly property?: string; readonly problem: string; readonly fix?: string }[]
  | undefined {
  if (!isRowsmithError(error) || !ofValues.includes(error.code)) return undefined;
  const { issues, property, problem = error.message, fix } = error.details;
  if (!Array.isArray(issues)) return [{ property, problem, fix }];
  return (issues as readonly { readonly path: string; readonly message: string }[]).map(
    ({ path, message }) => ({ property: path, problem: message }),
  );
}

const ofValues: readonly string[] = [
  'INVALID_KEY',
  'INVALID_VALUE',
  'INVALID_ARGUMENT',
  'VALIDATION_FAILED',
  'EMPTY_ROW',
  'HOOK_FAILED',
];

const faults = {
  foreignKey: (entity: string, reason: string) => ({
    problem: `the row is not of ${entity}: ${reason || 'it is in another table'}`,
  }),
  unknownColumn: (entity: string, property: string) => ({
    problem: `${entity} has no column '${property}'`,
    fix: 'segments of the key are changed by an insert and a deletion',
  }),
} satisfies FaultTexts;
