/**
 * A GoogleSQL view for each entity: its segments and columns by name, as values. No instance ever
 * runs them here; the guide to generating says what is checked.
 */
import type { EntityModel } from '../../model/index.js';
import { keyColumns, type KeyColumn } from '../tables/key-columns.js';
import { delimiterOf, rowKeySchema } from '../tables/row-key-schema.js';
import { schemaBundleId, sqlColumns, type SqlColumn } from './sql-column.js';
import { sqlBytes, sqlName, sqlText, uniqueNames } from './sql-literal.js';
import { sqlOrderedSegment } from './sql-ordered-segment.js';
import { sqlTextSegment } from './sql-text-segment.js';

/**
 * The query of a logical view over the rows of the entity. `sharing` are all entities of its table,
 * itself included.
 */
export function sqlView(model: EntityModel, sharing: readonly EntityModel[]): string {
  const ordered = model.key.spec.format === 'ordered';
  const registered = rowKeySchema(sharing).struct !== undefined;
  const alias = uniqueNames();
  const segments = ordered ? orderedSegments(model, registered) : textSegments(model);
  const columns: readonly SqlColumn[] = [
    { alias: '_key', expression: '_key' },
    ...segments,
    ...model.columns.flatMap((column) => sqlColumns(model, column)),
  ];
  const select = columns.map(({ alias: wanted, expression, note }, i) => {
    const name = alias(wanted);
    const said = expression === name ? expression : `${expression} AS ${sqlName(name)}`;
    return `  ${said}${i === columns.length - 1 ? '' : ','}${note === undefined ? '' : `  -- ${note}`}`;
  });
  const where = ordered ? orderedCondition(model, registered) : textCondition(model);
  const lines = [
    ...headOf(model, registered),
    'SELECT',
    ...select,
    `FROM ${sqlName(model.table.name)}`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join('\n  AND ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function headOf(model: EntityModel, registered: boolean): string[] {
  const view = model.name.replace(/[^\w.-]/g, '_');
  const packed = model.columns.some((column) => column.message !== undefined);
  return [
    `-- Rows of ${model.name} with their values, for GoogleSQL of Bigtable:`,
    `--   gcloud bigtable logical-views create ${view} --instance=INSTANCE --query="$(cat ${view}.sql)"`,
    ...(packed
      ? [
          `-- Reads messages by the schema bundle '${schemaBundleId}' of table ${model.table.name}; a field that was not written reads as its default.`,
        ]
      : []),
    ...(model.key.spec.format !== 'ordered'
      ? []
      : [
          registered
            ? `-- Reads the key by the row_key_schema of table ${model.table.name}, which must be set.`
            : '-- The key is binary and its table has no row_key_schema, so its segments cannot be read here.',
        ]),
  ];
}

function textSegments(model: EntityModel): readonly SqlColumn[] {
  const { format } = model.key.spec;
  if (format === 'ordered') return [];
  const parts = `SPLIT(SAFE_CAST(_key AS STRING), ${sqlText(delimiterOf(format))})`;
  return keyColumns(model).flatMap(({ property, type, place }) => {
    if (type === undefined) return [];
    const { decode, note } = sqlTextSegment(type, '', format === 'text');
    return [
      {
        alias: property!,
        expression: decode(`${parts}[SAFE_OFFSET(${place})]`),
        ...(note === undefined ? {} : { note }),
      },
    ];
  });
}

/**
 * Only keys that the entity could have written: rows of others are passed over, and nothing is
 * decoded that is not what it seems.
 */
function textCondition(model: EntityModel): readonly string[] {
  return [
    ...literalRange(model),
    `REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'${keyPattern(model)}')`,
  ];
}

/** The pattern of the entity's keys in RE2, anchored. The text formats only. */
export function keyPattern(model: EntityModel): string {
  const { format, shards } = model.key.spec;
  if (format === 'ordered') return '';
  const delimiter = patternOf(delimiterOf(format));
  const any = `[^${delimiter}]*`;
  const part = ({ type, literal }: KeyColumn): string => {
    if (type !== undefined) return sqlTextSegment(type, any, format === 'text').pattern;
    return literal === undefined
      ? `[0-9]{${String(shards!.count - 1).length}}`
      : Array.from(framedLiteral(literal, format === 'text'), patternOf).join('');
  };
  // (?s): text may hold line breaks where nothing is escaped.
  return `(?s)^${keyColumns(model).map(part).join(delimiter)}$`;
}

/** A key that begins with literals lies in one range, which the query can use. */
function literalRange(model: EntityModel): readonly string[] {
  const { format } = model.key.spec;
  const columns = keyColumns(model);
  const count = columns.findIndex(({ literal }) => literal === undefined);
  if (format === 'ordered' || count <= 0) return [];
  const delimiter = delimiterOf(format);
  const start = columns
    .slice(0, count)
    .map(({ literal }) => `${framedLiteral(literal!, format === 'text')}${delimiter}`)
    .join('');
  const end = `${start.slice(0, -1)}${String.fromCharCode(delimiter.charCodeAt(0) + 1)}`;
  return [`_key >= ${sqlBytes(Buffer.from(start))}`, `_key < ${sqlBytes(Buffer.from(end))}`];
}

/** A literal as it stands in a text key: bytes up to `$` escaped. */
function framedLiteral(literal: string, escapes: boolean): string {
  return escapes
    ? literal.replace(
        /[\u0000-$]/g,
        (mark) => `$${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
      )
    : literal;
}

/** A character as itself in RE2. */
function patternOf(character: string): string {
  return /^[\w# -]$/.test(character) && character !== '-'
    ? character
    : character.charCodeAt(0) > 0x7f
      ? character
      : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

function orderedSegments(model: EntityModel, registered: boolean): readonly SqlColumn[] {
  if (!registered) return [];
  return keyColumns(model).flatMap(({ name, property, type }) => {
    if (type === undefined) return [];
    const { decode, note } = sqlOrderedSegment(type);
    return [
      {
        alias: property!,
        expression: decode(sqlName(name)),
        ...(note === undefined ? {} : { note }),
      },
    ];
  });
}

function orderedCondition(model: EntityModel, registered: boolean): readonly string[] {
  if (!registered) return [];
  return keyColumns(model).flatMap(({ name, literal }) =>
    literal === undefined ? [] : [`${sqlName(name)} = ${sqlText(literal)}`],
  );
}
