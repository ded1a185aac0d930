/** `rowsmith ls`: the entities, and the values of their segments. */
import type { FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { segmentTextForms } from '../../../data/text/index.js';
import { type CommandContext, defineCommand, flag, UsageError } from '../../command.js';
import { loadProject, type Project } from '../../project/load-project.js';
import { grouped } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';
import { isMissing, openForRows } from '../database.js';
import { type NextSegment, nextSegmentQuery } from './input/next-segment.js';
import {
  loadRead,
  pickOptions,
  readCall,
  type ReadCall,
  segmentArguments,
} from './input/read-call.js';
import { estimateRows } from '../../../tools/rows/index.js';
import { type PrintedRow, RowPrinter } from './output/row-printer.js';
import {
  endWithLeftOut,
  type LeftOut,
  LeftOutRows,
  leftOutShape,
  noteLeftOut,
} from './undecodable/left-out.js';

/** Rows of one value that are counted without --exact. */
const countedRows = 1_000;
/** Values for which rows are counted at the same time. */
const valuesInFlight = 16;

/** The command. */
export const command = defineCommand({
  usage: '[ENTITY [SEGMENT=VALUE...]] [options]',
  about: `Without an entity: the entities with their tables, keys and rows; ~ marks an estimate from
sampled keys. With an entity: the values of the segment after those given, each with its number of
rows, up to 1,000. The rows between are skipped, not read.`,
  arguments: segmentArguments,
  options: {
    exact: flag('Count all rows of each value; reads their keys'),
    ...pickOptions('limit', 'reverse', 'wide', 'url'),
  },
  examples: [
    ['ls', 'the entities'],
    ['ls Order', 'the shops'],
    ['ls Order shop=oslo --limit 10', 'the first orders of a shop'],
  ],
  json: {
    '': `{ entity: string, table: string, key: string[], rows: number | null, estimated: boolean,
      indexes: string[], patterns: string[], undecodable?: ${leftOutShape} }`,
    ENTITY: '{ segment: string, value: unknown, rows: number, more: boolean }',
  },
  exits: { partial: 'rows were left out, with keys that no entity decodes' },
  rows: true,
  async run(input, context) {
    const { terminal } = context;
    const { exact, limit, reverse } = input.values;
    if (input.positionals.length === 0) {
      const ofValues = Object.entries({ limit, reverse, exact }).find(([, value]) => value);
      if (ofValues !== undefined) throw new UsageError(faults.valuesWithoutEntity(ofValues[0]));
      return printEntities(await loadProject(context), readCall(input), context);
    }
    const { call, project, model } = await loadRead(input, context);
    await using db = await openForRows(project, call.url, context);
    await printValues(terminal, nextSegmentQuery(db, model, call), { model, call, exact });
    const leftOut = new LeftOutRows(project);
    await endWithLeftOut(terminal, leftOut, db.engine, { model, terms: call.terms });
    return leftOut.isPartial ? 'partial' : undefined;
  },
});

async function printEntities(
  project: Project,
  call: ReadCall,
  context: CommandContext,
): Promise<'partial' | undefined> {
  const { terminal } = context;
  const printer = new RowPrinter(
    terminal,
    ['entity', 'table', 'key', 'rows', 'indexes', 'patterns'],
    call,
  );
  const why = call.url === undefined ? uncounted(project) : undefined;
  if (why !== undefined) {
    terminal.note(why);
    printer.print(project.models.map((model) => entityRow(terminal, model)));
    printer.end();
    return undefined;
  }
  await using db = await openForRows(project, call.url, context);
  const rows = [];
  const leftOut = new LeftOutRows(project);
  const found = new Map<string, LeftOut | undefined>();
  for (const model of project.models) {
    const estimate = await estimateRows(db.engine, model);
    const { name: table } = model.table;
    if (!found.has(table)) found.set(table, await leftOut.find(db.engine, { model }));
    const row = entityRow(terminal, model, estimate);
    rows.push({ ...row, undecodable: found.get(table) });
  }
  printer.print(rows);
  printer.end();
  for (const [table, each] of found)
    noteLeftOut(
      terminal,
      each,
      project.models.find((model) => model.table.name === table)!,
    );
  return leftOut.isPartial ? 'partial' : undefined;
}

/** Why rows are not counted: there is no database, or not yet, as in a new project. */
function uncounted({ url }: Project): string | undefined {
  if (url === undefined) return 'no database is named, so rows are not counted: give --url URL';
  if (!isMissing(url)) return undefined;
  return (
    `there is no database at ${url} yet: rowsmith put, import or seed creates it with its first row, ` +
    'and so does your program'
  );
}

function entityRow(
  terminal: Terminal,
  model: EntityModel,
  estimate?: { readonly rows: number; readonly estimated: boolean },
): Record<string, unknown> {
  const { name: entity, table, key } = model;
  const indexes = model.indexes.map(({ name }) => name);
  const patterns = model.patterns.map(({ name }) => name);
  if (!terminal.isForPeople)
    return {
      entity,
      table: table.name,
      key: key.names,
      rows: estimate?.rows ?? null,
      estimated: estimate?.estimated ?? false,
      indexes,
      patterns,
    };
  const mark = estimate?.estimated === true ? '~' : '';
  return {
    entity,
    table: table.name,
    key: key.names.join(' '),
    rows: estimate === undefined ? '-' : `${mark}${grouped(estimate.rows)}`,
    indexes: indexes.join(' '),
    patterns: patterns.join(' '),
  };
}

interface Listing {
  readonly model: EntityModel;
  readonly call: ReadCall;
  readonly exact: boolean;
}

async function printValues(
  terminal: Terminal,
  { segment, query, rowsOf }: NextSegment,
  { model, call, exact }: Listing,
): Promise<void> {
  const { type } = model.segments.find(({ property }) => property === segment)!;
  // A segment may be called `rows`.
  const columns = [
    { name: segment, of: ({ value }: PrintedRow) => value },
    { name: 'rows', of: countText },
  ];
  const printer = new RowPrinter(terminal, columns, call);
  const valueOf = (value: unknown): unknown =>
    value === null ? null : segmentTextForms[type.kind].format(value);
  const limited = call.limit === undefined ? query : query.limit(call.limit);
  for await (const page of limited.pages()) {
    for (let i = 0; i < page.length; i += valuesInFlight) {
      const part = page.slice(i, i + valuesInFlight) as Record<string, unknown>[];
      const counts = await Promise.all(part.map((values) => countOf(rowsOf, values, exact)));
      printer.print(
        part.map((values, j) => ({ segment, value: valueOf(values[segment]), ...counts[j] })),
      );
    }
  }
  printer.end(`no ${model.name} was found`);
}

interface Count {
  readonly rows: number;
  readonly more: boolean;
}

async function countOf(
  rowsOf: NextSegment['rowsOf'],
  values: Record<string, unknown>,
  exact: boolean,
): Promise<Count> {
  if (rowsOf === undefined) return { rows: 1, more: false };
  const rows = rowsOf(values);
  if (exact) return { rows: await rows.count(), more: false };
  const counted = await rows.limit(countedRows + 1).count();
  return { rows: Math.min(counted, countedRows), more: counted > countedRows };
}

function countText({ rows, more }: PrintedRow): string {
  return `${grouped(rows as number)}${more === true ? '+' : ''}`;
}

const faults = {
  valuesWithoutEntity: (ofValue: string) => ({
    problem: `--${ofValue} is for the values of a segment`,
    fix: 'name an entity',
  }),
} satisfies FaultTexts;
