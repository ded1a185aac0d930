/** The text of a description: aligned, without colours, the same on every machine. */
import type { EntityDescription } from './describe.js';
import type { PatternModel } from '../model.js';

type Described = Omit<EntityDescription, 'toString'>;

/** The whole text, ending without a line break. */
export function descriptionText(said: Described): string {
  const { key } = said;
  const facts = [
    ['table', said.table],
    ['key format', key.format],
    ...(key.shards === undefined ? [] : [['shards', key.shards]]),
  ];
  facts.push(['longest key', key.longest === undefined ? 'no limit' : `${key.longest} bytes`]);
  if (said.cellTimestamp !== undefined) facts.push(['cell timestamp', said.cellTimestamp]);
  if (said.marker !== undefined) facts.push(['marker', `family ${said.marker}`]);
  const sections = [
    section(said.entity, facts),
    section(
      'key',
      key.parts.map((part) => [part]),
    ),
    section(
      'families',
      said.families.map(({ name, gc, aggregate }) => [
        name,
        gc === 'never' ? 'keeps everything' : gc,
        aggregate ?? '',
      ]),
    ),
    section(
      'columns',
      said.columns.map(({ property, family, qualifier = '*', type, kind }) => [
        property,
        `${family}:${qualifier}`,
        type,
        kind === 'column' || kind === 'packed' ? '' : kind,
      ]),
    ),
    ...said.messages.map(({ name, generated, fields }) =>
      section(
        `message ${name}${generated === true ? ' (generated codec)' : ''}`,
        fields.map(({ number, name, type, oneof }) => [
          String(number),
          name,
          type,
          oneof === undefined ? '' : `oneof ${oneof}`,
        ]),
      ),
    ),
    section('access patterns', said.patterns.map(patternRow)),
    section(
      'warnings',
      said.warnings.map((warning) => [warning]),
    ),
  ];
  return sections.filter((text) => text !== '').join('\n\n');
}

/** Name, what a call gives, what it fixes, what it is for. */
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
  const given = [
    ...prefix,
    ...(bound === undefined ? [] : [`${bound.kind} ${bound.segment}`]),
  ].join(', ');
  const fixed = [
    ...(reverse ? ['reverse'] : []),
    ...(limit === undefined ? [] : [`limit ${limit}`]),
    ...(select === undefined ? [] : [`select ${select.join(', ')}`]),
  ].join('; ');
  return [name, scanAll ? 'every row' : given, fixed, purpose];
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const widths = (rows[0] ?? []).map((_, i) =>
    Math.max(...rows.map((row) => (row[i] ?? '').length)),
  );
  return [
    title,
    ...rows.map((row) =>
      `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd(),
    ),
  ].join('\n');
}
