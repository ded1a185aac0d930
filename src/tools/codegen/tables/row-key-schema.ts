/**
 * The row_key_schema of a table: what GoogleSQL knows of its row keys
 * (google/bigtable/admin/v2/table.proto, types.proto). Only SQL uses it; stored rows do not depend
 * on it.
 */
import { segmentField, type KeyFormat, type SegmentType } from '../../../data/key/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { keyColumns, segmentColumns, type KeyColumn, type SegmentColumn } from './key-columns.js';

/**
 * Type of one part of a key, as the JSON of google.bigtable.admin.v2.Type. Other types have no
 * encoding that is allowed in a key.
 */
export type KeyFieldType =
  | { readonly stringType: { readonly encoding: { readonly utf8Bytes: Empty } } }
  | { readonly bytesType: { readonly encoding: { readonly raw: Empty } } }
  | { readonly int64Type: { readonly encoding: { readonly orderedCodeBytes: Empty } } }
  | {
      readonly timestampType: {
        readonly encoding: { readonly unixMicrosInt64: { readonly orderedCodeBytes: Empty } };
      };
    };
type Empty = Readonly<Record<string, never>>;

/** A row_key_schema, as the JSON of google.bigtable.admin.v2.Type.Struct. */
export interface KeyStruct {
  readonly fields: readonly { readonly fieldName: string; readonly type: KeyFieldType }[];
  /** The delimiter is in base64, as bytes are in JSON. */
  readonly encoding:
    | { readonly delimitedBytes: { readonly delimiter: string } }
    | { readonly orderedCodeBytes: Empty };
}

/** The row_key_schema of one table, with notes for the reader. */
export interface TableKeySchema {
  /** The struct that all entities of the table agree on; undefined when they do not agree. */
  readonly struct?: KeyStruct;
  /** Sentences: why there is no struct, or what SQL sees in which column. */
  readonly notes: readonly string[];
}

/**
 * The row_key_schema of the entities of one table. A table has only one, and queries fail at keys
 * that do not fit it.
 */
export function rowKeySchema(models: readonly EntityModel[]): TableKeySchema {
  const structs = models.map((model) => ({ model, struct: keyStruct(model) }));
  const [first] = structs;
  if (first === undefined) return { notes: [] };
  const other = structs.find(
    ({ struct }) => JSON.stringify(struct) !== JSON.stringify(first.struct),
  );
  if (other !== undefined) {
    return {
      notes: [
        `The keys of ${first.model.name} and ${other.model.name} differ, and a table has one row_key_schema:`,
        ...structs.map(({ model, struct }) => `  ${model.name}: ${fieldsText(struct)}`),
        'Queries fail where a key does not fit the schema, so none is generated. The views read `_key` instead.',
      ],
    };
  }
  return { struct: first.struct, notes: notesOf(first.model) };
}

function fieldsText({ fields }: KeyStruct): string {
  return fields.map(({ fieldName, type }) => `${fieldName} ${sqlTypeOf(type)}`).join(', ');
}

/** The struct of one entity's keys. */
export function keyStruct(model: EntityModel): KeyStruct {
  const { format } = model.key.spec;
  return {
    fields: keyColumns(model).map((column) => ({
      fieldName: column.name,
      type: fieldTypes[columnType(column, format)],
    })),
    encoding: encodingOf(format),
  };
}

function encodingOf(format: KeyFormat): KeyStruct['encoding'] {
  if (format === 'ordered') return { orderedCodeBytes: {} };
  return { delimitedBytes: { delimiter: Buffer.from(delimiterOf(format)).toString('base64') } };
}

/** A format with text as keys. */
export type TextFormat = Exclude<KeyFormat, 'ordered'>;

/** The character between the parts of a text key. */
export function delimiterOf(format: TextFormat): string {
  if (format === 'text') return '#';
  return format.delimiter;
}

/** The types of GoogleSQL that a part of a key can have. */
type KeySqlType = 'STRING' | 'BYTES' | 'INT64' | 'TIMESTAMP';

const fieldTypes: Readonly<Record<KeySqlType, KeyFieldType>> = {
  STRING: { stringType: { encoding: { utf8Bytes: {} } } },
  BYTES: { bytesType: { encoding: { raw: {} } } },
  INT64: { int64Type: { encoding: { orderedCodeBytes: {} } } },
  TIMESTAMP: { timestampType: { encoding: { unixMicrosInt64: { orderedCodeBytes: {} } } } },
};

/** GoogleSQL's name of a type. */
export function sqlTypeOf(type: KeyFieldType): KeySqlType {
  if ('stringType' in type) return 'STRING';
  if ('bytesType' in type) return 'BYTES';
  if ('int64Type' in type) return 'INT64';
  return 'TIMESTAMP';
}

function columnType(column: KeyColumn, format: KeyFormat): KeySqlType {
  if (format !== 'ordered' || column.kind !== 'segment') return 'STRING';
  return orderedType(column.type);
}

/**
 * The type with an encoding that gives exactly the bytes of a segment in an ordered key; BYTES when
 * Bigtable has none.
 */
function orderedType(type: SegmentType): KeySqlType {
  const { sqlType } = segmentField(type, 'ordered');
  if (sqlType === 'STRING') return 'STRING';
  // The encodings of numbers have no bytes for null.
  if (sqlType === 'BYTES' || type.nullable === true) return 'BYTES';
  // The complement of a timestamp would read as a meaningless time, so SQL sees the number.
  if (sqlType === 'TIMESTAMP' && type.order !== 'desc') return 'TIMESTAMP';
  return 'INT64';
}

function notesOf(model: EntityModel): readonly string[] {
  const { format } = model.key.spec;
  const segments = segmentColumns(model);
  const notes = segments
    .filter(({ name, property }) => name !== property)
    .map(
      ({ name, property }) =>
        `${property} is called ${name}: a family or another column has its name.`,
    );
  if (format === 'text')
    notes.push(
      'Text is as it is in the key: bytes up to $ are $ and two hex digits, numbers are padded. ' +
        'The views decode it.',
    );
  if (format === 'ordered')
    notes.push(...segments.map(orderedNote).filter((note) => note !== undefined));
  return notes;
}

/** How SQL sees a segment of an ordered key, if that is not simply its value. */
function orderedNote({ name, type }: SegmentColumn): string | undefined {
  const sqlType = orderedType(type);
  if (type.nullable === true && sqlType !== 'STRING')
    return `${name} may be null, for which the encodings of numbers have no bytes: it is BYTES.`;
  if (type.order === 'desc') {
    const shown = sqlType === 'BYTES' ? 'the bytes are inverted' : 'it is -1 - n';
    return `${name} is descending, which row_key_schema does not know: ${shown}.`;
  }
  if (type.kind === 'float')
    return `${name} is a float, which row_key_schema does not know: it is the int64 that sorts like it.`;
  if (type.kind === 'decimal')
    return `${name} is a decimal with ${type.scale} digits after the point: it is the number without the point.`;
  if (sqlType === 'BYTES' && type.kind !== 'bytes')
    return `${name} is a ${type.kind}, which row_key_schema does not know: it is its bytes.`;
  return undefined;
}
