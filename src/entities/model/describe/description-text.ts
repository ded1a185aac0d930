/** Formats a description as aligned text without colours. */
import type { PatternModel } from '../model.js';
import type {
  EntityDescription,
  ColumnDescription,
  IndexDescription,
  RollupDescription,
  CopyDescription,
} from './description.js';

type Described = Omit<EntityDescription, 'toString'>;

/** The whole text, without a trailing line break. */
export function descriptionText(description: Described): string {
  const sections = [
    section(description.entity, facts(description)),
    section(
      'key',
      description.key.parts.map((part) => [part]),
    ),
    section(
      'families',
      description.families.map(({ name, gc, aggregate }) => [
        name,
        gc === 'never' ? 'keeps everything' : gc,
        aggregate ?? '',
      ]),
    ),
    section('columns', description.columns.map(columnRow)),
    ...description.messages.map(messageSection),
    section('indexes', (description.indexes ?? []).map(indexRow)),
    section('rollups', (description.rollups ?? []).map(rollupRow)),
    section('access patterns', description.patterns.map(patternRow)),
    section('copies', description.copies.map(copyRow)),
    section(
      'warnings',
      description.warnings.map((warning) => [warning]),
    ),
  ];
  return sections.filter((text) => text !== '').join('\n\n');
}

function facts({ table, key, cellTimestamp, expiresAt, marker }: Described): string[][] {
  const rows = [
    ['table', table],
    ['key format', key.format],
  ];
  if (key.shards !== undefined) rows.push(['shards', key.shards]);
  rows.push(['longest key', key.maxBytes === undefined ? 'no limit' : `${key.maxBytes} bytes`]);
  if (cellTimestamp !== undefined) rows.push(['cell timestamp', cellTimestamp]);
  if (expiresAt !== undefined) rows.push(['expires at', expiresAt]);
  if (marker !== undefined) rows.push(['marker', `family ${marker}`]);
  return rows;
}

function columnRow({
  property,
  family,
  qualifier = '*',
  type,
  kind,
  keys,
  role,
  rules,
}: ColumnDescription): readonly string[] {
  const row = [property, `${family}:${qualifier}`, type];
  if (kind !== 'column' && kind !== 'packed') row.push(kind);
  if (keys !== undefined) row.push(`keys ${keys}`);
  if (role !== undefined) row.push(role);
  if (rules !== undefined) row.push(rules);
  return row;
}

function indexRow({ name, unique, table, segments, covered }: IndexDescription): readonly string[] {
  const row = [name, unique ? 'unique' : '', `in ${table}`, segments.join(', ')];
  if (covered.length > 0) row.push(`including ${covered.join(', ')}`);
  return row;
}

function rollupRow({ name, table, by, seconds, values }: RollupDescription): string[] {
  return [name, `in ${table}`, `by ${by.join(', ')} (${seconds} s)`, values.join(', ')];
}

function messageSection({
  name: message,
  generated,
  fields,
}: EntityDescription['messages'][number]): string {
  const title = generated === true ? `message ${message} (generated codec)` : `message ${message}`;
  return section(
    title,
    fields.map(({ number, name, type, oneof }) => {
      const row = [String(number), name, type];
      if (oneof !== undefined) row.push(`oneof ${oneof}`);
      return row;
    }),
  );
}

/** Name, values of a call, fixed options, purpose. */
function patternRow({
  name,
  prefix,
  bound,
  scanAll,
  reverse,
  limit,
  select,
  purpose = '',
}: PatternModel): readonly string[] {
  const values = [...prefix];
  if (bound !== undefined) values.push(`${bound.kind} ${bound.segment}`);
  const options: string[] = [];
  if (reverse) options.push('reverse');
  if (limit !== undefined) options.push(`limit ${limit}`);
  if (select !== undefined) options.push(`select ${select.join(', ')}`);
  return [name, scanAll ? 'every row' : values.join(', '), options.join('; '), purpose];
}

/** Property, original, key of its row. */
function copyRow({ property, of, by }: CopyDescription): readonly string[] {
  const key = Object.entries(by).map(([segment, own]) => `${segment} = ${own}`);
  return [property, of, key.join(', ')];
}

/** A title and aligned rows; empty without rows. Rows may leave out trailing cells. */
function section(title: string, rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const columnCount = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columnCount }, (_, i) =>
    Math.max(...rows.map((row) => (row[i] ?? '').length)),
  );
  const lines = rows.map((row) => {
    const cells = row.map((cell, i) => cell.padEnd(widths[i]));
    return `  ${cells.join('  ')}`.trimEnd();
  });
  return [title, ...lines].join('\n');
}
