/** The fields of the published requests. */
import protobuf from 'protobufjs';
import { published } from '../../engines/protocol/published.js';

/** A field by its path, `cluster.serveNodes`, and a value that it can have. */
export interface PublishedField {
  readonly path: string;
  readonly value: unknown;
}

/** Messages with separate claims or tests, and messages of a single value. */
const wholeMessages = new Set([
  'google.bigtable.v2.RowSet',
  'google.bigtable.v2.RowFilter',
  'google.bigtable.v2.Mutation',
  'google.bigtable.v2.Value',
  'google.bigtable.v2.Type',
  'google.bigtable.admin.v2.GcRule',
  'google.bigtable.admin.v2.Type',
  'google.bigtable.admin.v2.Type.Struct',
]);

/** The published methods of a service. */
export function methodsOf(service: string): readonly protobuf.Method[] {
  return published.lookupService(service).methodsArray;
}

/** All fields of a message that are not messages with fields of their own, at any depth. */
export function fieldsOf(type: protobuf.Type, prefix = ''): PublishedField[] {
  return type.fieldsArray.flatMap((field) => {
    const path = prefix + field.name;
    const { resolvedType } = field.resolve();
    if (!(resolvedType instanceof protobuf.Type) || isWhole(resolvedType))
      return [{ path, value: labelled(field, valueOf(field)) }];
    return fieldsOf(resolvedType, `${path}.`).map(({ path: inner, value }) => ({
      path: inner,
      value: labelled(field, { [inner.slice(path.length + 1).split('.')[0]]: value }),
    }));
  });
}

function isWhole({ fullName, fieldsArray }: protobuf.Type): boolean {
  const name = fullName.slice(1);
  return fieldsArray.length === 0 || name.startsWith('google.protobuf.') || wholeMessages.has(name);
}

function valueOf({ resolvedType, type }: protobuf.Field): unknown {
  if (resolvedType instanceof protobuf.Enum) return 1;
  if (resolvedType instanceof protobuf.Type) return {};
  if (type === 'string') return 'x';
  if (type === 'bytes') return Buffer.from('x');
  return type === 'bool' ? true : 1;
}

function labelled(field: protobuf.Field, value: unknown): unknown {
  if (field instanceof protobuf.MapField) return { x: value };
  return field.repeated ? [value] : value;
}
