/**
 * The data dictionary: tables, families, keys, columns, messages and access patterns, in Markdown
 * for people.
 */
import { printable } from '../../bytes/index.js';
import {
  describe,
  type FieldDescription,
  type EntityModel,
  type PatternModel,
} from '../../model/index.js';
import { gcWords } from '../tables/gc-forms.js';
import { sampleValues } from './sample-values.js';
import type { TableOfEntities } from '../tables/tables.js';

/** The whole document. */
export function dataDictionary(tables: readonly TableOfEntities[]): string {
  const contents = tables.map(
    ({ schema, models }) =>
      `- ${schema.name}: ${models.map((model) => `[${model.name}](#${anchorOf(model.name)})`).join(', ')}`,
  );
  const sections = tables.flatMap((table) => [
    tableSection(table),
    ...table.models.map(entitySection),
  ]);
  return `${['# Data dictionary', 'Written by `rowsmith generate` from the entities.', contents.join('\n'), ...sections].join('\n\n')}\n`;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function tableSection({ schema, models }: TableOfEntities): string {
  const rows = [...schema.families].map(([family, declared]) => {
    const columns = models.flatMap((model) =>
      model.columns
        .filter((column) => column.family === family)
        .map((column) => `${models.length > 1 ? `${model.name}.` : ''}${column.property}`),
    );
    const kind = declared.aggregate === undefined ? 'cells' : `adds up by ${declared.aggregate}`;
    return [code(family), kind, gcWords(declared), columns.join(', ')];
  });
  const { splitKeys = [] } = schema;
  const ends = [splitKeys[0], splitKeys[splitKeys.length - 1]].flatMap((key) =>
    key === undefined ? [] : [code(printable(key))],
  );
  const splits =
    splitKeys.length === 0
      ? []
      : [`Split from the start at ${splitKeys.length} keys, ${ends.join(' to ')}.`];
  return [
    `## Table ${schema.name}`,
    ...splits,
    grid(['Family', 'Holds', 'Old cells', 'Columns'], rows),
  ].join('\n\n');
}

function entitySection(model: EntityModel): string {
  const { key, cellTimestamp, marker, messages, warnings } = describe(model.entityClass);
  const longest = key.longest === undefined ? 'without a limit' : `to ${key.longest} bytes`;
  const facts = [
    `Keys in format ${key.format}, ${model.key.minLength} ${longest}.${key.shards === undefined ? '' : ` In ${key.shards.replace(' by ', ' shards by ')}.`}`,
    ...(cellTimestamp === undefined ? [] : [`Cells carry the moment of \`${cellTimestamp}\`.`]),
    ...(marker === undefined ? [] : [`An empty cell in family \`${marker}\` marks the row.`]),
    ...warnings.map((warning) => `Note: ${warning}.`),
  ];
  return [
    `### ${model.name}`,
    facts.join('\n'),
    [
      '```text',
      ...new Set(
        ([0, 1] as const).map((which) => printable(model.key.encode(sampleValues(model, which)))),
      ),
      '```',
    ].join('\n'),
    grid(['Segment', 'Kind', 'In the key'], segmentRows(model)),
    ...(model.columns.length === 0
      ? []
      : [grid(['Column', 'Stored in', 'Type', 'Bytes'], columnRows(model))]),
    ...messages.map(
      ({ name, fields }) =>
        `Message ${code(name)}:\n\n${grid(['No.', 'Field', 'Type'], fields.map(fieldRow))}`,
    ),
    ...(model.patterns.length === 0
      ? []
      : [
          `Access patterns:\n\n${grid(
            ['Name', 'Given', 'Reads', 'For'],
            model.patterns.map((pattern) => patternRow(model, pattern)),
          )}`,
        ]),
  ].join('\n\n');
}

function fieldRow({ number, name, type, oneof }: FieldDescription): string[] {
  return [String(number), code(name), oneof === undefined ? type : `${type}, oneof ${oneof}`];
}

/** What describe() says of each part, the shard included. */
function segmentRows(model: EntityModel): string[][] {
  const described = model.key.describe().map((said) => said.replace(/^(?:literal|[^:]*:) /, ''));
  const { parts, shards } = model.key.spec;
  const offset = described.length - parts.length;
  const shard = shards === undefined ? [] : [['(shard)', `of ${shards.count}`, described[0] ?? '']];
  return [
    ...(offset > 0 ? shard : []),
    ...parts.map((part, i) => {
      const said = described[i + offset] ?? '';
      if (part.kind === 'literal') return ['(literal)', code(part.text), 'constant'];
      const { kind, order, nullable } = part.type;
      return [
        code(part.name),
        [
          kind,
          ...(order === 'desc' ? ['descending'] : []),
          ...(nullable === true ? ['nullable'] : []),
        ].join(', '),
        said,
      ];
    }),
  ];
}

const fixedBytes: Readonly<Record<string, number>> = {
  bool: 1,
  float: 4,
  int32: 8,
  uint32: 8,
  int64: 8,
  double: 8,
  timestamp: 8,
  date: 10,
};

function columnRows(model: EntityModel): string[][] {
  const described = describe(model.entityClass).columns;
  return described.map(({ property, kind, family, qualifier, type }, i) => {
    const words =
      kind === 'column' || kind === 'packed'
        ? type
        : `${{ columnMap: 'map of', versions: 'versions of', counter: 'counter,' }[kind]} ${type}`;
    return [
      code(property),
      code(`${family}:${qualifier ?? '*'}`),
      words,
      String(fixedBytes[model.columns[i].codec.kind] ?? 'any'),
    ];
  });
}

/** The pattern with its range for sample values, made by the real codec. */
function patternRow(model: EntityModel, pattern: PatternModel): string[] {
  const { prefix, bound, scanAll, limit, reverse, select, purpose } = pattern;
  const given = [
    ...prefix.map(code),
    ...(bound === undefined ? [] : [`${bound.kind} ${code(bound.segment)}`]),
  ];
  const reads = [
    scanAll ? 'every row' : rangeText(model, pattern),
    ...(reverse ? ['backwards'] : []),
    ...(limit === undefined ? [] : [`at most ${limit} row${limit === 1 ? '' : 's'}`]),
    ...(select === undefined ? [] : [`only ${select.map(code).join(', ')}`]),
  ];
  return [
    code(pattern.name),
    given.length === 0 ? 'nothing' : given.join(', '),
    reads.join('; '),
    purpose ?? '',
  ];
}

function rangeText(model: EntityModel, { prefix, bound }: PatternModel): string {
  const [low, high] = [sampleValues(model, 0), sampleValues(model, 1)];
  const fixed = Object.fromEntries(prefix.map((name) => [name, low[name]]));
  const { perShard } = model.key.ranges({
    fixed,
    ...(bound === undefined
      ? {}
      : { bound: boundOf(bound, low[bound.segment], high[bound.segment]) }),
  });
  const [first = []] = perShard;
  const ranges = first
    .map(({ start, end }) =>
      code(`[${printable(start)} .. ${end === undefined ? 'last key' : printable(end)})`),
    )
    .join(' and ');
  return `${ranges}${perShard.length === 1 ? '' : ` in each of ${perShard.length} shards`}`;
}

function boundOf(
  { kind, segment }: NonNullable<PatternModel['bound']>,
  low: unknown,
  high: unknown,
): NonNullable<Parameters<EntityModel['key']['ranges']>[0]['bound']> {
  if (kind === 'startsWith') return { kind, segment, text: low as string };
  if (kind === 'subdomains') return { kind, segment, domain: low as string };
  return {
    kind: 'between',
    segment,
    ...(kind === 'until' ? {} : { from: { value: low, inclusive: true } }),
    ...(kind === 'since' ? {} : { to: { value: high, inclusive: false } }),
  };
}

/** A table of Markdown. */
function grid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
