/**
 * Partial updates with google.protobuf.FieldMask: every field that the mask names is taken from the
 * request; one that the request does not set is cleared.
 */
import type { FaultTexts } from '../../../base/index.js';
import type { FieldShape, MessageShape } from '../../../data/cell/index.js';
import { protoName } from '../messages/request-size.js';
import { requestError } from '../request-error.js';

/**
 * The paths that an update may name: those listed, and the fields within them. The names of masks
 * are the names of the protos, `serve_nodes`.
 */
export type MutableFields = readonly string[];

type Properties = Record<string, unknown>;

/**
 * A copy of `current` with the fields of `update` that the mask names. Setting a field of a oneof
 * clears the other fields.
 */
export function applyMask<T extends object>(
  shape: MessageShape,
  current: T,
  update: T,
  paths: readonly string[] | undefined,
  mutable: MutableFields,
): T {
  if (paths === undefined || paths.length === 0)
    throw requestError('update_mask', faults.missingMask);
  const changed = { ...current } as Properties;
  for (const path of paths) {
    const isMutable = mutable.some((field) => path === field || path.startsWith(`${field}.`));
    const fields = isMutable ? fieldsOf(shape, path) : undefined;
    if (fields === undefined) throw requestError('update_mask', faults.immutablePath(path));
    replace(shape, changed, update as Properties, fields);
  }
  return changed as T;
}

/** The fields along a path; undefined if there is no such path. */
function fieldsOf(shape: MessageShape, path: string): readonly FieldShape[] | undefined {
  const fields: FieldShape[] = [];
  let parent: MessageShape | undefined = shape;
  for (const part of path.split('.')) {
    const field: FieldShape | undefined = parent?.fields.find(
      ({ name }) => protoName(name) === part,
    );
    if (field === undefined) return undefined;
    fields.push(field);
    const { type, label }: FieldShape = field;
    // Elements of lists and maps have no paths (field_mask.proto).
    parent = type.kind === 'message' && label === 'singular' ? type.shape() : undefined;
  }
  return fields;
}

function replace(
  shape: MessageShape,
  target: Properties,
  source: Properties | undefined,
  [field, ...rest]: readonly FieldShape[],
): void {
  const { name, oneof, type } = field;
  const value = source?.[name];
  if (rest.length > 0) {
    // Neither side has the parent: setting it would clear the rest of the oneof.
    if (value === undefined && target[name] === undefined) return;
    const parent = { ...(target[name] as Properties | undefined) };
    if (type.kind === 'message') replace(type.shape(), parent, value as Properties, rest);
    target[name] = parent;
  } else if (value === undefined) delete target[name];
  else target[name] = value;
  if (oneof === undefined || target[name] === undefined) return;
  for (const other of shape.fields)
    if (other.oneof === oneof && other.name !== name) delete target[other.name];
}

const faults = {
  missingMask: { problem: 'The update mask must be specified' },
  immutablePath: (path: string) => ({ problem: `'${path}' cannot be updated on this server.` }),
} satisfies FaultTexts;
