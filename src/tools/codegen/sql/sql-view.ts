/**
 * A GoogleSQL view for each entity, with its segments and columns as named values. docs/guide/
 * generate.md describes how the views are tested.
 */
import { commentLine } from '../comment-line.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { keyColumns, segmentColumns, type KeyColumn } from '../tables/key-columns.js';
import { delimiterOf, rowKeySchema, type TextFormat } from '../tables/row-key-schema.js';
import { UniqueNames } from '../unique-names.js';
import { schemaBundleId, sqlColumns, type SqlColumn } from './sql-column.js';
import { hexByte, sqlBytes, sqlName, sqlText } from './sql-literal.js';
import { sqlOrderedSegment, viewOrderedSegment } from './sql-ordered-segment.js';
import { sqlTextSegment, viewTextSegment } from './sql-text-segment.js';

/**
 * The query of a logical view over the rows of the entity. `sharing` are all entities of its table,
 * the entity included.
 */
export function sqlView(model: EntityModel, sharing: readonly EntityModel[]): string {
  const key = keyView(model, sharing);
  const columns: readonly SqlColumn[] = [
    { alias: '_key', expression: '_key' },
    ...key.columns,
    ...model.columns.flatMap((column) => sqlColumns(model, column)),
  ];
  const lines = [
    ...usageComments(model),
    ...key.comments,
    'SELECT',
    ...selectLines(columns),
    `FROM ${sqlName(model.table.name)}`,
  ];
  if (key.conditions.length > 0) lines.push(`WHERE ${key.conditions.join('\n  AND ')}`);
  return `${lines.join('\n')}\n`;
}

function usageComments(model: EntityModel): readonly string[] {
  const view = model.name.replace(/[^\w.-]/g, '_');
  const comments = [
    commentLine('--', `Rows of ${model.name} with their values, for GoogleSQL of Bigtable:`),
    `--   gcloud bigtable logical-views create ${view} --instance=INSTANCE --query="$(cat ${view}.sql)"`,
  ];
  if (model.columns.some((column) => column.message !== undefined))
    comments.push(
      `-- Reads messages by the schema bundle '${schemaBundleId}' of table ${model.table.name}; ` +
        'a field that was not written reads as its default.',
    );
  return comments;
}

function selectLines(columns: readonly SqlColumn[]): readonly string[] {
  const names = new UniqueNames();
  const last = columns.length - 1;
  return columns.map(({ alias, expression, note }, i) => {
    const name = names.take(alias);
    const value = expression === name ? expression : `${expression} AS ${sqlName(name)}`;
    const line = `  ${value}${i === last ? '' : ','}`;
    if (note === undefined) return line;
    return `${line}  ${commentLine('--', note)}`;
  });
}

/** What a view reads of the row key. */
export interface KeyView {
  readonly comments: readonly string[];
  readonly columns: readonly SqlColumn[];
  /** Terms of WHERE: rows of other entities do not meet all of them. */
  readonly conditions: readonly string[];
}

/** How SQL reads the key of an entity. */
export function keyView(model: EntityModel, sharing: readonly EntityModel[]): KeyView {
  const { format } = model.key.spec;
  if (format !== 'ordered') return textKey(model, format);
  if (rowKeySchema(sharing).struct === undefined)
    return {
      comments: [
        '-- The key is binary and its table has no row_key_schema, so its segments cannot be read here.',
      ],
      columns: [],
      conditions: [],
    };
  return orderedKey(model);
}

/** What the query of a continuous materialized view reads of the row key. */
export interface ViewKey extends KeyView {
  /** Segments that such a query cannot read, because that needs an array. */
  readonly unreadable: readonly string[];
}

/** As `keyView`, without the arrays that queries of continuous materialized views may not have. */
export function viewKey(model: EntityModel, sharing: readonly EntityModel[]): ViewKey {
  const { comments, columns, conditions } = keyView(model, sharing);
  if (columns.length === 0) return { comments, columns, conditions, unreadable: [] };
  const { format } = model.key.spec;
  const read = segmentColumns(model).map(({ name, property, type, position }) => ({
    alias: property,
    expression:
      format === 'ordered'
        ? viewOrderedSegment(type)?.decode(sqlName(name))
        : viewTextSegment(type, format === 'text')?.decode(textPart(format, position)),
  }));
  return {
    comments,
    conditions,
    columns: read.filter((column): column is SqlColumn => column.expression !== undefined),
    unreadable: read.filter(({ expression }) => expression === undefined).map(({ alias }) => alias),
  };
}

/** The text of a part of the key. */
function textPart(format: TextFormat, position: number): string {
  const delimiter = patternOf(delimiterOf(format));
  const before = position === 0 ? '' : `(?:[^${delimiter}]*${delimiter}){${position}}`;
  return `REGEXP_EXTRACT(SAFE_CAST(_key AS STRING), r'(?s)^${before}([^${delimiter}]*)')`;
}

function textKey(model: EntityModel, format: TextFormat): KeyView {
  const parts = `SPLIT(SAFE_CAST(_key AS STRING), ${sqlText(delimiterOf(format))})`;
  const columns = segmentColumns(model).map(({ property, type, position }) => {
    const { decode, note } = sqlTextSegment(type, '', format === 'text');
    return { alias: property, expression: decode(`${parts}[SAFE_OFFSET(${position})]`), note };
  });
  // Only keys that the entity could have written, so that no other key is decoded.
  const matches = `REGEXP_CONTAINS(SAFE_CAST(_key AS STRING), r'${textKeyPattern(model, format)}')`;
  return { comments: [], columns, conditions: [...literalRange(model, format), matches] };
}

function orderedKey(model: EntityModel): KeyView {
  const columns = segmentColumns(model).map(({ name, property, type }) => {
    const { decode, note } = sqlOrderedSegment(type);
    return { alias: property, expression: decode(sqlName(name)), note };
  });
  const literals = keyColumns(model).filter((column) => column.kind === 'literal');
  return {
    comments: [
      `-- Reads the key by the row_key_schema of table ${model.table.name}, which must be set.`,
    ],
    columns,
    conditions: literals.map(({ name, text }) => `${sqlName(name)} = ${sqlText(text)}`),
  };
}

/**
 * The pattern of the entity's keys in RE2, anchored. Empty for ordered keys, which are not text.
 */
export function keyPattern(model: EntityModel): string {
  const { format } = model.key.spec;
  if (format === 'ordered') return '';
  return textKeyPattern(model, format);
}

function textKeyPattern(model: EntityModel, format: TextFormat): string {
  const delimiter = patternOf(delimiterOf(format));
  const parts = keyColumns(model).map((column) => partPattern(column, format));
  // (?s): text may contain line breaks in formats that do not escape them.
  return `(?s)^${parts.join(delimiter)}$`;
}

function partPattern(column: KeyColumn, format: TextFormat): string {
  switch (column.kind) {
    case 'segment': {
      const any = `[^${patternOf(delimiterOf(format))}]*`;
      return sqlTextSegment(column.type, any, format === 'text').pattern;
    }
    case 'literal':
      return Array.from(escapedLiteral(column.text, format), patternOf).join('');
    case 'shard':
      return `[0-9]{${String(column.count - 1).length}}`;
  }
}

/** Keys that begin with literals are in one range, so the query can be a range scan. */
function literalRange(model: EntityModel, format: TextFormat): readonly string[] {
  const delimiter = delimiterOf(format);
  let start = '';
  for (const column of keyColumns(model)) {
    if (column.kind !== 'literal') break;
    start += escapedLiteral(column.text, format) + delimiter;
  }
  if (start === '') return [];
  const end = `${start.slice(0, -1)}${String.fromCharCode(delimiter.charCodeAt(0) + 1)}`;
  return [`_key >= ${sqlBytes(Buffer.from(start))}`, `_key < ${sqlBytes(Buffer.from(end))}`];
}

/** A literal as the key contains it. The text format escapes bytes up to `$`. */
function escapedLiteral(literal: string, format: TextFormat): string {
  if (format !== 'text') return literal;
  return literal.replace(
    /[\u0000-$]/g,
    (character) => `$${hexByte(character.charCodeAt(0)).toUpperCase()}`,
  );
}

/** A pattern of RE2 that matches the character itself. */
function patternOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code > 0x7f || /^[\w# ]$/.test(character)) return character;
  return `\\x${hexByte(code)}`;
}
