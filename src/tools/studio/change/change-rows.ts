/** The calls `update`, `insert` and `remove`: writes of rows that are still as they were shown. */
import { isRowsmithError, RowsmithError, type FaultTexts } from '../../../base/index.js';
import { rowDetail } from '../data/row-detail.js';
import { repositoryOf } from '../../rows/index.js';
import type { CallOf, StudioContext } from '../context.js';
import { entityNamed } from '../state/entity-names.js';
import type { Changed } from '../protocol/change.js';
import type { JsonValue } from '../protocol/json.js';
import type { RowDetail } from '../protocol/row.js';
import { badRequest, type RequestFields } from '../request-fields.js';
import { assertWritable } from '../writable.js';
import { conditionOf } from './condition.js';
import { type NamedRow, namedRow, parseChanges } from './row-values.js';

type JsonValues = Readonly<Record<string, JsonValue>>;

/** Changes columns. */
export async function changeRow({ context, request }: CallOf<RequestFields>): Promise<Changed> {
  assertWritable(context);
  const row = namedRow(context, request);
  const changes = parseChanges(row.model, request.values('set'));
  if (Object.keys(changes).length === 0) throw badRequest(request.pathOf('set'), faults.noChanges);
  const shown = request.values('shown');
  checkVersions(row, request.values('set'), shown);
  const repository = repositoryOf(context.db, row.model);
  return guarded(context, row, shown, (key, options) => repository.patch(key, changes, options));
}

/** A patch adds versions: one that was shown and is left out would stay. Throws BAD_REQUEST. */
function checkVersions({ model }: NamedRow, set: JsonValues, shown: JsonValues): void {
  for (const { kind, property } of model.columns) {
    const [given, before] = [set[property], shown[property]];
    if (kind !== 'versions' || !Array.isArray(given) || !Array.isArray(before)) continue;
    const times = timesOf(given);
    const missing = timesOf(before).filter((time) => !times.includes(time));
    if (missing.length > 0)
      throw badRequest(`set.${property}`, faults.missingVersions(property, String(missing[0])));
  }
}

function timesOf(versions: readonly unknown[]): readonly unknown[] {
  return versions.map((version) => (version as { readonly at?: unknown } | null)?.at);
}

/** Deletes a row. */
export async function removeRow({ context, request }: CallOf<RequestFields>): Promise<Changed> {
  assertWritable(context);
  const row = namedRow(context, request);
  const repository = repositoryOf(context.db, row.model);
  return guarded(context, row, request.values('shown'), (key, options) =>
    repository.delete(key, options),
  );
}

/** Writes a new row. */
export async function insertRow({ context, request }: CallOf<RequestFields>): Promise<Changed> {
  assertWritable(context);
  const model = entityNamed(context.models, request.text('entity'));
  const repository = repositoryOf(context.db, model);
  const entity = repository.fromJSON(request.values('values'));
  const table = model.table.name;
  const key = model.key.encode(entity as Readonly<Record<string, unknown>>);
  try {
    await repository.insert(entity);
  } catch (error) {
    if (!isRowsmithError(error) || error.code !== 'ROW_EXISTS') throw error;
    const stored = await rowDetail(context, table, key);
    return { outcome: 'conflict', stored, changed: [] };
  }
  return written(context, table, key, 'write');
}

/** Writes with a key, or an entity that has a revision, and a condition. */
type Write = (key: object, options: object) => Promise<unknown>;

/** Writes if the row is still as it was shown; otherwise returns what is stored. */
async function guarded(
  context: StudioContext,
  row: NamedRow,
  shown: JsonValues,
  write: Write,
): Promise<Changed> {
  const { model, table, key } = row;
  const { equals, hasOthers } = conditionOf(row, shown);
  const revision = model.managed?.revision;
  const isRead = hasOthers || revision !== undefined;
  if (isRead) {
    const stored = await rowDetail(context, table, key);
    const changed = differences(stored, shown);
    if (!stored.exists || changed.length > 0) return { outcome: 'conflict', stored, changed };
  }
  try {
    if (revision === undefined) {
      const condition = equals === undefined ? { exists: true } : { exists: true, equals };
      await write(row.segments, { if: condition });
    } else await writeRevision(context, row, shown, write);
  } catch (error) {
    if (!isRowsmithError(error) || !conflicts.includes(error.code)) throw error;
    const stored = await rowDetail(context, table, key);
    const changed = differences(stored, shown);
    if (stored.exists && changed.length === 0) throw otherBytes(model.name, error);
    return { outcome: 'conflict', stored, changed };
  }
  return written(context, table, key, hasOthers && revision === undefined ? 'read' : 'write');
}

const conflicts: readonly string[] = ['CONDITION_FAILED', 'REVISION_CONFLICT', 'ROW_NOT_FOUND'];

/** The row was compared with what was shown; its revision makes the write conditional on that. */
async function writeRevision(
  { db }: StudioContext,
  { model, segments, key }: NamedRow,
  shown: JsonValues,
  write: Write,
): Promise<void> {
  const entity = await repositoryOf(db, model).get(segments);
  if (entity === undefined)
    throw new RowsmithError('ROW_NOT_FOUND', { entity: model.name, rowKey: String(key) });
  const revision = model.managed!.revision!;
  const stored = repositoryOf(db, model).toJSON(entity) as JsonValues;
  if (Object.hasOwn(shown, revision) && !isSame(stored[revision] ?? null, shown[revision]))
    throw new RowsmithError('REVISION_CONFLICT', { entity: model.name });
  await write(entity, {});
}

/** The properties with other values than were shown; of a map, entries that were shown. */
function differences({ values = {}, exists }: RowDetail, shown: JsonValues): readonly string[] {
  if (!exists) return Object.keys(shown);
  return Object.entries(shown)
    .filter(([property, json]) => !isAsShown(values[property] ?? null, json))
    .map(([property]) => property);
}

function isAsShown(stored: JsonValue, shown: JsonValue): boolean {
  if (!isObject(shown) || !isObject(stored)) return isSame(stored, shown);
  if (isSame(stored, shown)) return true;
  return Object.entries(shown).every(([name, each]) =>
    isSame(Object.hasOwn(stored, name) ? stored[name] : null, each),
  );
}

function isObject(value: JsonValue): value is Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Equal as JSON, whatever the order of properties. */
function isSame(a: JsonValue, b: JsonValue): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return (
      a.length === b.length && a.every((each, i) => isSame(each as JsonValue, b[i] as JsonValue))
    );
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}

function written(
  { keySpaces }: StudioContext,
  table: string,
  key: Uint8Array,
  guard: 'write' | 'read',
): Changed {
  keySpaces.forget();
  return { outcome: 'written', row: { table, key: Buffer.from(key).toString('base64') }, guard };
}

/** The condition compares bytes, and another program has written the same value as other bytes. */
function otherBytes(entity: string, cause: RowsmithError): RowsmithError {
  return new RowsmithError('FAILED_PRECONDITION', { entity, ...faults.otherBytes }, { cause });
}

const faults = {
  missingVersions: (property: string, time: string) => ({
    problem: `the version of ${time} is left out of ${property}, but a change only adds versions`,
    fix: 'keep it, or delete all versions with null',
  }),
  noChanges: { problem: 'there are no changes', fix: 'give a new value of a column' },
  otherBytes: {
    problem: 'the stored bytes of a value differ from the bytes that this program writes for it',
    fix: 'change other columns, or save the row once with the program that owns it',
  },
} satisfies FaultTexts;
