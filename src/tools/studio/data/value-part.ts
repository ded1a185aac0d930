/** The call `part`: a part of a value that was cut in its row. */
import { isBytes, isMap, type FaultTexts } from '../../../base/index.js';
import type { FieldType, MessageShape } from '../../../data/cell/index.js';
import { columnJsonForm, entryKeyText } from '../../../data/text/index.js';
import type { ColumnModel } from '../../../entities/model/index.js';
import { repositoryOf } from '../../rows/index.js';
import type { CallOf } from '../context.js';
import { modelsOfTable } from '../state/entity-names.js';
import type { JsonValue } from '../protocol/json.js';
import type { PartView } from '../protocol/row.js';
import { badRequest, type RequestFields } from '../request-fields.js';
import { StudioError } from '../studio-error.js';
import { entityOfKey, segmentsOfKey } from './key-view.js';
import { cellShower, detailLimits, ShownRow } from './shown-values.js';

/** The most that one call sends, and what it sends by default. */
const limits = {
  text: { most: 1 << 20, usual: 65_536 },
  bytes: { most: 1 << 20, usual: 65_536 },
  list: { most: 10_000, usual: 1_000 },
  map: { most: 10_000, usual: 1_000 },
} as const;

/** Reads a part of a value. */
export async function readPart({
  context,
  request,
  signal,
}: CallOf<RequestFields>): Promise<PartView> {
  const key = request.bytes('key');
  const model = entityOfKey(modelsOfTable(context.models, request.text('table')), key);
  const [property, ...path] = request.list('path');
  const column = model?.columns.find((each) => each.property === property);
  if (model === undefined || column === undefined)
    throw badRequest(request.pathOf('path'), faults.noColumn);
  const options = { select: [column.property], signal };
  const row = await repositoryOf(context.db, model).get(segmentsOfKey(model, key), options);
  const value = (row as Readonly<Record<string, unknown>> | undefined)?.[column.property];
  if (value === undefined || value === null) throw new StudioError('NOT_FOUND', faults.noValue);
  return partOf(valueAt(column, value, path), request);
}

/** A value, and how the elements of a map or list are shown. */
interface FoundValue {
  readonly value: unknown;
  readonly show: (element: unknown) => JsonValue;
  readonly name: (key: unknown) => string;
}

function valueAt(column: ColumnModel, value: unknown, path: readonly JsonValue[]): FoundValue {
  const cell = cellShower(column);
  const show = (each: unknown): JsonValue =>
    cell(each, new ShownRow(detailLimits), [column.property]);
  const asIs = { show: (each: unknown) => each as JsonValue, name: String };
  if (column.kind === 'columnMap') {
    const name = entryKeyText(column.qualifiers);
    const map = value as ReadonlyMap<unknown, unknown>;
    if (path.length === 0) return { value: map, show, name };
    const entry = [...map].find(([key]) => name(key) === path[0]);
    return { value: walked(column, entry?.[1], path.slice(1)), ...asIs };
  }
  if (column.kind === 'versions') {
    const versions = value as readonly { readonly at: Date; readonly value: unknown }[];
    const showVersion = (each: unknown): JsonValue => {
      const version = each as (typeof versions)[number];
      return { at: version.at.toISOString(), value: show(version.value) };
    };
    if (path.length === 0) return { value: versions, show: showVersion, name: String };
    // Then `value`.
    const version = versions[Number(path[0])];
    return { value: walked(column, version?.value, path.slice(2)), ...asIs };
  }
  return { value: walked(column, value, path), ...asIs };
}

/** Text and bytes as they are, anything else as JSON. */
function plainCell(column: ColumnModel, value: unknown): unknown {
  if (typeof value === 'string' || isBytes(value) || value === undefined) return value;
  const single = { ...column, kind: 'column' } as ColumnModel;
  return columnJsonForm(single).format(value);
}

/** The part of a cell to which a path leads. */
function walked(column: ColumnModel, cell: unknown, path: readonly JsonValue[]): unknown {
  const found = path.map(String).reduce<unknown>(
    (inner, step) => {
      if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step))
        throw new StudioError('NOT_FOUND', faults.noValue);
      return (inner as Readonly<Record<string, unknown>>)[step];
    },
    plainCell(column, cell),
  );
  if (typeof found !== 'string' || !isBytesField(column.message, path)) return found;
  return Buffer.from(found, 'base64');
}

/** Whether a path leads to bytes, which are text in JSON. Numbers are places in lists and maps. */
function isBytesField(message: MessageShape | undefined, path: readonly JsonValue[]): boolean {
  let shape = message;
  let type: FieldType | undefined;
  for (const step of path) {
    if (typeof step === 'number') continue;
    type = shape?.fields.find(({ name }) => name === step)?.type;
    shape = type?.kind === 'message' ? type.shape() : undefined;
  }
  return type?.kind === 'scalar' && type.scalar === 'bytes';
}

function partOf({ value, show, name }: FoundValue, request: RequestFields): PartView {
  const offset = request.count('offset', { min: 0, max: 1e9, fallback: 0 });
  const length = (kind: PartView['kind']): number =>
    request.count('length', { max: limits[kind].most, fallback: limits[kind].usual });
  if (typeof value === 'string') {
    const part = value.slice(offset, offset + length('text'));
    return { kind: 'text', size: value.length, offset, shown: part.length, value: part };
  }
  if (isBytes(value)) {
    const part = value.subarray(offset, offset + length('bytes'));
    const text = Buffer.from(part).toString('base64');
    return { kind: 'bytes', size: value.length, offset, shown: part.length, value: text };
  }
  if (Array.isArray(value)) {
    const part = value.slice(offset, offset + length('list')).map(show);
    return { kind: 'list', size: value.length, offset, shown: part.length, value: part };
  }
  if (typeof value !== 'object' || value === null)
    throw badRequest(request.pathOf('path'), faults.noParts);
  const entries = isMap(value) ? [...value] : Object.entries(value);
  const part = entries.slice(offset, offset + length('map'));
  // Without a prototype: an entry may be `__proto__`.
  const output = Object.create(null) as Record<string, JsonValue>;
  for (const [key, each] of part) output[name(key)] = show(each);
  return { kind: 'map', size: entries.length, offset, shown: part.length, value: output };
}

const faults = {
  noColumn: { problem: 'no column of the entity has this name', fix: "give the path of a 'cut'" },
  noValue: {
    problem: 'the row has no such value any more',
    fix: 'read the row again: it was written meanwhile',
  },
  noParts: { problem: 'the value has no parts', fix: "give the path of a 'cut'" },
} satisfies FaultTexts;
