/** The data dictionary, human-readable Markdown: tables, keys, columns and access patterns. */
import { printable } from '../../../base/index.js';
import {
  describeEntity,
  type FieldDescription,
  type EntityModel,
  segmentRulesText,
} from '../../../entities/model/index.js';
import type { TableOfEntities } from '../tables/tables.js';
import { gcSentence } from '../tables/gc-forms.js';
import { patternRow } from './pattern-row.js';
import { codeSpan, grid } from './markdown.js';
import { sampleValues } from './sample-values.js';

type EntityDescription = ReturnType<typeof describeEntity>;

/** The whole document. */
export function dataDictionary(tables: readonly TableOfEntities[]): string {
  const sections = tables.flatMap((table) => [
    tableSection(table),
    ...table.models.map(entitySection),
  ]);
  return `${joined([
    '# Data dictionary',
    'Written by `rowsmith generate` from the entities.',
    tables.map(contentsLine).join('\n'),
    ...sections,
  ])}\n`;
}

function joined(blocks: readonly string[]): string {
  return blocks.join('\n\n');
}

function contentsLine({ schema, models }: TableOfEntities): string {
  const links = models.map(({ name }) => `[${name}](#${anchorOf(name)})`);
  return `- ${schema.name}: ${links.join(', ')}`;
}

/** The anchor of a heading on GitHub. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function tableSection(table: TableOfEntities): string {
  const { name, splitKeys = [] } = table.schema;
  const blocks = [`## Table ${name}`];
  if (splitKeys.length > 0) blocks.push(splitSentence(splitKeys));
  blocks.push(grid(['Family', 'Holds', 'Old cells', 'Columns'], familyRows(table)));
  return joined(blocks);
}

function splitSentence(splitKeys: readonly Uint8Array[]): string {
  const ends = [splitKeys[0], splitKeys[splitKeys.length - 1]];
  const shown = ends.map((key) => codeSpan(printable(key)));
  return `Split from the start at ${splitKeys.length} keys, ${shown.join(' to ')}.`;
}

function familyRows({ schema, models }: TableOfEntities): string[][] {
  return [...schema.families].map(([family, declared]) => {
    const kind = declared.aggregate === undefined ? 'cells' : `adds up by ${declared.aggregate}`;
    return [codeSpan(family), kind, gcSentence(declared), columnNames(family, models).join(', ')];
  });
}

/** Properties of the family; with their entity if the table has several. */
function columnNames(family: string, models: readonly EntityModel[]): readonly string[] {
  return models.flatMap((model) => {
    const columns = model.columns.filter((column) => column.family === family);
    const prefix = models.length > 1 ? `${model.name}.` : '';
    return columns.map((column) => `${prefix}${column.property}`);
  });
}

function entitySection(model: EntityModel): string {
  const description = describeEntity(model.entityClass);
  const blocks = [
    `### ${model.name}`,
    entityFacts(model, description).join('\n'),
    sampleKeys(model),
    grid(['Segment', 'Kind', 'In the key'], keyRows(model)),
  ];
  if (model.columns.length > 0)
    blocks.push(grid(['Column', 'Stored in', 'Type', 'Bytes'], columnRows(model, description)));
  for (const { name, fields } of description.messages)
    blocks.push(`Message ${codeSpan(name)}:`, grid(['No.', 'Field', 'Type'], fields.map(fieldRow)));
  blocks.push(...derivedBlocks(description));
  if (model.patterns.length > 0)
    blocks.push(
      'Access patterns:',
      grid(
        ['Name', 'Given', 'Reads', 'For'],
        model.patterns.map((pattern) => patternRow(model, pattern)),
      ),
    );
  return joined(blocks);
}

/** The indexes and rollups: nothing else in the document describes their tables. */
function derivedBlocks({ indexes = [], rollups = [] }: EntityDescription): readonly string[] {
  const blocks: string[] = [];
  if (indexes.length > 0)
    blocks.push(
      'Indexes:',
      grid(
        ['Name', 'Entries in', 'Begin with', 'Segments', 'Covered'],
        indexes.map(({ name, id, unique, table, segments, covered }) => [
          codeSpan(name),
          codeSpan(table),
          codeSpan(id),
          (unique ? 'unique: ' : '') + segments.join(', '),
          covered.join(', '),
        ]),
      ),
    );
  if (rollups.length > 0)
    blocks.push(
      'Rollups:',
      grid(
        ['Name', 'Rows in', 'By', 'Values'],
        rollups.map(({ name, table, by, seconds, values }) => [
          codeSpan(name),
          codeSpan(table),
          `${by.join(', ')}, in steps of ${seconds} s`,
          values.join(', '),
        ]),
      ),
    );
  return blocks;
}

function entityFacts(
  model: EntityModel,
  { key, cellTimestamp, expiresAt, marker, warnings }: EntityDescription,
): readonly string[] {
  const maxLength = key.maxBytes === undefined ? 'without a limit' : `to ${key.maxBytes} bytes`;
  let keyFacts = `Keys in format ${key.format}, ${model.key.minLength} ${maxLength}.`;
  if (key.shards !== undefined) keyFacts += ` In ${key.shards.replace(' by ', ' shards by ')}.`;
  const facts = [keyFacts];
  if (cellTimestamp !== undefined) facts.push(`Cells carry the time of \`${cellTimestamp}\`.`);
  if (expiresAt !== undefined) facts.push(`Rows expire at \`${expiresAt}\`.`);
  if (marker !== undefined) facts.push(`An empty cell in family \`${marker}\` marks the row.`);
  facts.push(...warnings.map((warning) => `Note: ${warning}.`));
  return facts;
}

/** Two keys; one when the key has a single possible value. */
function sampleKeys(model: EntityModel): string {
  const keys = ([0, 1] as const).map((which) =>
    printable(model.key.encode(sampleValues(model, which))),
  );
  return ['```text', ...new Set(keys), '```'].join('\n');
}

/** A row for each part of the key, in key order. */
function keyRows(model: EntityModel): string[][] {
  const encodings = model.key.describe().map((part) => part.replace(/^(?:literal|[^:]*:) /, ''));
  const { parts, shards } = model.key.spec;
  const rows: string[][] = [];
  if (shards !== undefined && encodings.length > parts.length)
    rows.push(['(shard)', `of ${shards.count}`, encodings[0]]);
  for (const part of parts) {
    const encoding = encodings[rows.length] ?? '';
    if (part.kind === 'literal') rows.push(['(literal)', codeSpan(part.text), 'constant']);
    else rows.push([codeSpan(part.name), segmentKind(model, part.name), encoding]);
  }
  return rows;
}

function segmentKind({ segments }: EntityModel, name: string): string {
  const segment = segments.find(({ property }) => property === name)!;
  const { kind, order, nullable } = segment.type;
  const words: string[] = [kind];
  if (order === 'desc') words.push('descending');
  if (nullable === true) words.push('nullable');
  const rules = segmentRulesText(segment);
  if (rules !== undefined) words.push(rules);
  return words.join(', ');
}

/** Bytes of a cell by kind of codec; other kinds have values of any length. */
const fixedBytes: ReadonlyMap<string, number> = new Map([
  ['bool', 1],
  ['float', 4],
  ['int32', 8],
  ['uint32', 8],
  ['int64', 8],
  ['double', 8],
  ['timestamp', 8],
  ['date', 10],
]);

const kindPrefixes = {
  column: '',
  packed: '',
  columnMap: 'map of ',
  versions: 'versions of ',
  counter: 'counter, ',
} as const;

const roleTexts = {
  revision: 'the revision of the row',
  createdAt: 'when the row was created',
  updatedAt: 'when the row was last written',
} as const;

function columnRows(model: EntityModel, { columns }: EntityDescription): string[][] {
  return columns.map(({ property, kind, family, qualifier, type, keys, role, rules }, i) => [
    codeSpan(property),
    codeSpan(`${family}:${qualifier ?? '*'}`),
    kindPrefixes[kind] +
      [type, keys && `keys ${keys}`, role && roleTexts[role], rules]
        .filter((text) => text !== undefined)
        .join(', '),
    String(fixedBytes.get(model.columns[i].codec.kind) ?? 'any'),
  ]);
}

function fieldRow({ number, name, type, oneof }: FieldDescription): string[] {
  const shownType = oneof === undefined ? type : `${type}, oneof ${oneof}`;
  return [String(number), codeSpan(name), shownType];
}
