/**
 * What GoogleSQL may know of the row keys of a table: its row_key_schema
 * (google/bigtable/admin/v2/table.proto, types.proto). Only SQL reads it; rows are the same with
 * and without.
 */
import { segmentField, type KeyFormat, type SegmentType } from '../../key/index.js';
import type { EntityModel } from '../../model/index.js';
import { keyColumns } from './key-columns.js';

/**
 * Type of one part of a key, as the JSON of google.bigtable.admin.v2.Type. Other types have no
 * encoding that is legal in a key.
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

/**
 * The row_key_schema of one table: the one that all its entities agree on, or why there is none;
 * with what a reader should know of it.
 */
export interface TableKeySchema {
  readonly struct?: KeyStruct;
  /** Sentences: why there is none, or what SQL sees in which column. */
  readonly notes: readonly string[];
}

/**
 * The row_key_schema of the entities of one table; there is one for each table, and a key that does
 * not fit it makes queries fail.
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
        ...structs.map(
          ({ model, struct }) =>
            `  ${model.name}: ${struct.fields.map(({ fieldName, type }) => `${fieldName} ${sqlTypeOf(type)}`).join(', ')}`,
        ),
        'Queries fail where a key does not fit the schema, so none is generated. The views read `_key` instead.',
      ],
    };
  }
  return { struct: first.struct, notes: notesOf(first.model) };
}

/** The struct of one entity's keys. */
export function keyStruct(model: EntityModel): KeyStruct {
  const { format } = model.key.spec;
  return {
    fields: keyColumns(model).map((column) => ({
      fieldName: column.name,
      type: column.type === undefined ? stringType : fieldType(column.type, format),
    })),
    encoding:
      format === 'ordered'
        ? { orderedCodeBytes: {} }
        : { delimitedBytes: { delimiter: Buffer.from(delimiterOf(format)).toString('base64') } },
  };
}

/** The character between the parts of a key that is text. */
export function delimiterOf(format: Exclude<KeyFormat, 'ordered'>): string {
  return format === 'text' ? '#' : format.delimiter;
}

/** GoogleSQL's name of a type. */
export function sqlTypeOf(type: KeyFieldType): 'STRING' | 'BYTES' | 'INT64' | 'TIMESTAMP' {
  return 'stringType' in type
    ? 'STRING'
    : 'bytesType' in type
      ? 'BYTES'
      : 'int64Type' in type
        ? 'INT64'
        : 'TIMESTAMP';
}

const stringType: KeyFieldType = { stringType: { encoding: { utf8Bytes: {} } } };
const bytesType: KeyFieldType = { bytesType: { encoding: { raw: {} } } };
const int64Type: KeyFieldType = { int64Type: { encoding: { orderedCodeBytes: {} } } };
const timestampType: KeyFieldType = {
  timestampType: { encoding: { unixMicrosInt64: { orderedCodeBytes: {} } } },
};

/**
 * The type whose encoding gives exactly the bytes of the segment; BYTES where Bigtable has none.
 */
function fieldType(type: SegmentType, format: KeyFormat): KeyFieldType {
  if (format !== 'ordered') return stringType;
  const { sqlType } = segmentField(type, format);
  if (sqlType === 'STRING') return stringType;
  // Null has no place in an encoded number; turned round it is a moment nobody knows, so the number
  // itself is shown.
  if (sqlType === 'BYTES' || type.nullable === true) return bytesType;
  return sqlType === 'TIMESTAMP' && type.order !== 'desc' ? timestampType : int64Type;
}

function notesOf(model: EntityModel): readonly string[] {
  const { format } = model.key.spec;
  const renamed = keyColumns(model).filter(
    (column) => column.property !== undefined && column.name !== column.property,
  );
  const notes = renamed.map(
    ({ name, property }) =>
      `${property} is called ${name}: a family or another column has its name.`,
  );
  if (format === 'text')
    notes.push(
      'Text is as it stands in the key: bytes up to $ are $ and two hex digits, numbers are padded. The views decode it.',
    );
  for (const { name, type } of keyColumns(model)) {
    if (format !== 'ordered' || type === undefined) continue;
    const shown = sqlTypeOf(fieldType(type, format));
    if (type.nullable === true && shown !== 'STRING')
      notes.push(
        `${name} may be null, for which the encodings of numbers have no bytes: it is BYTES.`,
      );
    else if (type.order === 'desc')
      notes.push(
        `${name} is descending, which row_key_schema does not know: ${shown === 'BYTES' ? 'the bytes are inverted' : 'it is -1 - n'}.`,
      );
    else if (type.kind === 'float')
      notes.push(
        `${name} is a float, which row_key_schema does not know: it is the int64 that sorts like it.`,
      );
    else if (type.kind === 'decimal')
      notes.push(
        `${name} is a decimal with ${type.scale} digits after the point: it is the number without the point.`,
      );
    else if (shown === 'BYTES' && type.kind !== 'bytes')
      notes.push(`${name} is a ${type.kind}, which row_key_schema does not know: it is its bytes.`);
  }
  return notes;
}
