/** Columns of an entity for GoogleSQL: from cells, which are BYTES, to values. */
import type { FieldShape, MessageShape } from '../../../data/cell/index.js';
import type { QualifierType } from '../../../data/key/index.js';
import type { ColumnModel, EntityModel } from '../../../entities/model/index.js';
import { sqlBytes, sqlName, sqlText, utf8Text } from './sql-literal.js';

/**
 * The schema bundle through which views read the messages of a table: `gcloud bigtable
 * schema-bundles create messages --table=T --proto-descriptors-file=F`.
 */
export const schemaBundleId = 'messages';

/** One column of a view. */
export interface SqlColumn {
  readonly alias: string;
  readonly expression: string;
  /** A sentence for the reader of the view. */
  readonly note?: string;
}

/** A value in SQL. */
type SqlValue = Omit<SqlColumn, 'alias'>;

/** What the qualifiers of a map are, as SQL; nothing for text. */
function qualifierNote({
  qualifiers: { type, encoding },
}: Extract<ColumnModel, { readonly kind: 'columnMap' }>): string {
  if (type.kind === 'string') return '';
  const key = qualifierExpression(type);
  const note = `; qualifiers are of kind ${type.kind}, ${encoding}`;
  if (key === undefined) return note;
  return `${note}: ${key}`;
}

/** The value of a qualifier named `key`, where GoogleSQL can compute it from its digits. */
function qualifierExpression({ kind, order, unit = 'ms', by }: QualifierType): string | undefined {
  const digits = 'CAST(CAST(key AS STRING) AS INT64)';
  if (kind === 'enum' && by !== 'ordinal') return 'CAST(key AS STRING)';
  if (order === 'desc') return undefined;
  if (kind === 'uint') return digits;
  if (kind !== 'timestamp') return undefined;
  return {
    s: `TIMESTAMP_SECONDS(${digits})`,
    ms: `TIMESTAMP_MILLIS(${digits})`,
    us: `TIMESTAMP_MICROS(${digits})`,
    ns: undefined,
  }[unit];
}

/** A column of single cells, unlike a map. */
type QualifiedColumn = Exclude<ColumnModel, { readonly kind: 'columnMap' }>;

/** Levels of messages inside messages that become columns by field. */
const maxMessageDepth = 3;

/** The columns of a view for one column of the entity: itself, and the fields of a message. */
export function sqlColumns(model: EntityModel, column: ColumnModel): readonly SqlColumn[] {
  const alias = column.property;
  if (column.kind === 'columnMap')
    return [
      {
        alias,
        expression: sqlName(column.family),
        note: `a map from qualifier to ${column.codec.kind}, in bytes${qualifierNote(column)}`,
      },
    ];
  const cell = cellOf(column);
  const note = versionNote(column);
  if (column.message !== undefined) {
    const expression = `CAST(${cell} AS ${schemaBundleId}.${column.message.name})`;
    return [{ alias, expression, note }, ...fieldColumns(alias, expression, column.message, [])];
  }
  const value = valueOf(model, column, cell);
  return [{ alias, expression: value.expression, note: joinedNotes(note, value.note) }];
}

function versionNote(column: QualifiedColumn): string | undefined {
  if (column.kind === 'versions')
    return 'the newest version; for all of them read the table (with_history => TRUE)';
  if (isSingleCell(column) && column.version !== undefined)
    return 'older versions read as they were stored';
  return undefined;
}

/** Whether the column is one that can have a version and earlier qualifiers. */
function isSingleCell(
  column: QualifiedColumn,
): column is Extract<ColumnModel, { readonly kind: 'column' | 'packed' }> {
  return column.kind === 'column' || column.kind === 'packed';
}

function joinedNotes(...notes: readonly (string | undefined)[]): string | undefined {
  const present = notes.filter((note) => note !== undefined);
  if (present.length === 0) return undefined;
  return present.join('; ');
}

/** The cell of a column; if that is absent, the cell of the newest earlier name. */
function cellOf(column: QualifiedColumn): string {
  const family = sqlName(column.family);
  const cells = qualifiersOf(column).map((qualifier) => `${family}[${qualifierText(qualifier)}]`);
  if (cells.length === 1) return cells[0];
  return `COALESCE(${cells.join(', ')})`;
}

/** The qualifier, then the earlier ones that are still read. */
function qualifiersOf(column: QualifiedColumn): readonly Uint8Array[] {
  if (isSingleCell(column) && column.alsoReads !== undefined)
    return [column.qualifier, ...column.alsoReads];
  return [column.qualifier];
}

function qualifierText(qualifier: Uint8Array): string {
  const text = utf8Text(qualifier);
  if (text === undefined || /[\u0000-\u001f\u007f]/.test(text)) return sqlBytes(qualifier);
  return sqlText(text);
}

function valueOf(model: EntityModel, column: QualifiedColumn, cell: string): SqlValue {
  if (model.table.families.get(column.family)?.aggregate !== undefined)
    return { expression: cell, note: 'INT64, which SQL knows of an aggregate' };
  return scalar(column.codec.kind, cell);
}

/** TO_INT64, TO_FLOAT64 and TO_FLOAT32 read big-endian bytes, which our scalars are. */
function scalar(kind: string, cell: string): SqlValue {
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
 * The fields of a message; fields of messages inside it are `outer_inner`. A message that contains
 * itself is expanded once.
 */
function fieldColumns(
  alias: string,
  message: string,
  shape: MessageShape,
  outer: readonly MessageShape[],
): SqlColumn[] {
  const enclosing = [...outer, shape];
  return shape.fields.flatMap((field) => {
    const name = `${alias}_${field.name}`;
    const expression = `${message}.${field.name}`;
    if (field.label === 'map')
      return [{ alias: name, expression, note: 'an array of key and value' }];
    if (field.label === 'repeated') return [{ alias: name, expression, note: 'an array' }];
    if (field.type.kind === 'message') {
      const inner = field.type.shape();
      if (enclosing.length < maxMessageDepth && !enclosing.includes(inner))
        return fieldColumns(name, expression, inner, enclosing);
    }
    return [{ alias: name, expression: fieldValue(expression, field) }];
  });
}

function fieldValue(field: string, { type }: FieldShape): string {
  if (type.kind !== 'scalar' || type.scalar !== 'timestamp') return field;
  return `TIMESTAMP_MICROS(${field}.seconds * 1000000 + DIV(${field}.nanos, 1000))`;
}
