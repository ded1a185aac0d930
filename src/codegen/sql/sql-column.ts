/** Columns of an entity for GoogleSQL: from cells, which are BYTES, to values. */
import type { FieldShape, MessageShape } from '../../cell/index.js';
import type { ColumnModel, EntityModel } from '../../model/index.js';
import { sqlBytes, sqlName, sqlText } from './sql-literal.js';

/**
 * The schema bundle of a table that views look for: `gcloud bigtable schema-bundles create messages
 * --table=T --proto-descriptors-file=F`.
 */
export const schemaBundleId = 'messages';

/** One column of a view. */
export interface SqlColumn {
  readonly alias: string;
  readonly expression: string;
  /** What a reader should know, in a sentence. */
  readonly note?: string;
}

/** How deep a view reaches into messages inside messages. */
const deepest = 3;

/** The columns of a view for one column of the entity: itself, and the fields of a message. */
export function sqlColumns(model: EntityModel, column: ColumnModel): readonly SqlColumn[] {
  const { property, family } = column;
  if (column.kind === 'columnMap')
    return [
      {
        alias: property,
        expression: sqlName(family),
        note: `a map from qualifier to ${column.codec.kind}, in bytes`,
      },
    ];
  const cell = cellOf(column);
  const note =
    column.kind === 'versions'
      ? 'the newest version; for all of them read the table (with_history => TRUE)'
      : 'version' in column
        ? 'older versions read as they were stored'
        : undefined;
  if (column.message !== undefined) {
    const message = `CAST(${cell} AS ${schemaBundleId}.${column.message.name})`;
    return [
      { alias: property, expression: message, ...(note === undefined ? {} : { note }) },
      ...fieldColumns(property, message, column.message, []),
    ];
  }
  const aggregate = model.table.families.get(family)?.aggregate !== undefined;
  const { expression, note: typeNote } = aggregate
    ? { expression: cell, note: 'INT64, which SQL knows of an aggregate' }
    : scalar(column.codec.kind, cell);
  const said = [note, typeNote].filter((each) => each !== undefined).join('; ');
  return [{ alias: property, expression, ...(said === '' ? {} : { note: said }) }];
}

/** The cell; where it is absent, that of the newest earlier name. */
function cellOf(column: Exclude<ColumnModel, { readonly kind: 'columnMap' }>): string {
  const names = [column.qualifier, ...('alsoReads' in column ? (column.alsoReads ?? []) : [])];
  const cells = names.map((qualifier) => `${sqlName(column.family)}[${qualifierText(qualifier)}]`);
  return cells.length === 1 ? cells[0] : `COALESCE(${cells.join(', ')})`;
}

function qualifierText(qualifier: Uint8Array): string {
  const text = Buffer.from(qualifier).toString();
  return Buffer.from(text).equals(qualifier) && !/[\u0000-\u001f\u007f]/.test(text)
    ? sqlText(text)
    : sqlBytes(qualifier);
}

/** TO_INT64, TO_FLOAT64 and TO_FLOAT32 read big-endian bytes, as our scalars are written. */
function scalar(
  kind: string,
  cell: string,
): { readonly expression: string; readonly note?: string } {
  switch (kind) {
    case 'bytes':
      return { expression: cell };
    case 'string':
      return { expression: `SAFE_CAST(${cell} AS STRING)` };
    case 'json':
      return {
        expression: `SAFE_CAST(${cell} AS STRING)`,
        note: 'JSON text, for JSON_VALUE and its like',
      };
    case 'date':
      return { expression: `SAFE_CAST(SAFE_CAST(${cell} AS STRING) AS DATE)` };
    case 'bool':
      return { expression: `${cell} = b'\\x01'` };
    case 'int32':
    case 'uint32':
    case 'int64':
      return { expression: `TO_INT64(${cell})` };
    case 'double':
      return { expression: `TO_FLOAT64(${cell})` };
    case 'float':
      return { expression: `TO_FLOAT32(${cell})` };
    case 'timestamp':
      return { expression: `TIMESTAMP_MICROS(TO_INT64(${cell}))` };
    default:
      return { expression: cell, note: `bytes of a codec of its own, ${kind}` };
  }
}

/**
 * The fields of a message, those of messages inside it as `outer_inner`; a message that contains
 * itself is followed once.
 */
function fieldColumns(
  alias: string,
  message: string,
  shape: MessageShape,
  outer: readonly MessageShape[],
): SqlColumn[] {
  return shape.fields.flatMap((field) => {
    const name = `${alias}_${field.name}`;
    const value = `${message}.${field.name}`;
    if (field.label !== 'singular')
      return [
        {
          alias: name,
          expression: value,
          note: field.label === 'map' ? 'an array of key and value' : 'an array',
        },
      ];
    if (field.type.kind === 'message') {
      const inner = field.type.shape();
      const within = [...outer, shape];
      return within.length >= deepest || within.includes(inner)
        ? [{ alias: name, expression: value }]
        : fieldColumns(name, value, inner, within);
    }
    return [fieldColumn(name, value, field)];
  });
}

function fieldColumn(alias: string, value: string, { type }: FieldShape): SqlColumn {
  if (type.kind !== 'scalar' || type.scalar !== 'timestamp') return { alias, expression: value };
  return {
    alias,
    expression: `TIMESTAMP_MICROS(${value}.seconds * 1000000 + DIV(${value}.nanos, 1000))`,
  };
}
