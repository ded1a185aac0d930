/** `rowsmith get`: one row by its key. */
import type { FaultTexts, Values } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { Database } from '../../../entities/repository/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import type { Project } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { openForRows } from '../database.js';
import { keyBytes } from './input/key-bytes.js';
import { wholeKey } from './input/key-conditions.js';
import {
  checkSelected,
  loadRead,
  pickOptions,
  type ReadCall,
  rejectPattern,
  segmentArguments,
} from './input/read-call.js';
import { repositoryOf } from '../../../tools/rows/index.js';
import { findIndex, keyPlace, rejectIndexed } from './input/read-query.js';
import { keyText, reportMissing } from './output/missing-row.js';
import { storedPrinter } from './output/print-stored.js';
import { rawRows, storedRows } from './output/raw-rows.js';
import { printProperties, rowShapes, selectedJson } from './output/row-printer.js';
import { type LeftOut, LeftOutRows, noteLeftOut, placeOf } from './undecodable/left-out.js';

/** The command. */
export const command = defineCommand({
  usage: 'ENTITY (SEGMENT=VALUE... | JSON) [options]',
  about: `Prints one row: a line for each property on a terminal, otherwise one line of JSON, the
form that \`put\` takes. Values are written as in JSON, without quotes; SEGMENT:=JSON takes any
JSON, such as null. The key can also be an object, as \`scan\` prints it.`,
  arguments: segmentArguments,
  options: pickOptions(
    ...(['key', 'select', 'index', 'as-of', 'versions', 'history', 'raw', 'wide', 'url'] as const),
  ),
  examples: [
    ['get Order shop=oslo n=1', 'by its segments'],
    ['get Order --key oslo#0001 --select status', 'by its key as stored'],
    ['get Order shop=oslo n=1 --history', 'all versions'],
    ['get Order --key oslo#0001 --raw', 'its cells, also of a key that no entity decodes'],
    ['get Order --index byStatus status=open shop=oslo n=3', 'through an index'],
  ],
  exits: { failed: 'there is no such row' },
  json: rowShapes,
  rows: true,
  async run(input, context) {
    const { call, project, model } = await loadRead(input, context);
    rejectPattern(model, call);
    rejectIndexed(call);
    if (call.raw && call.key !== undefined) return getStored(project, model, call, context);
    const key = wholeKey(keyPlace(model, call), call);
    await using db = await openForRows(project, call.url, context);
    const found = await find(db, model, call, key);
    const { terminal } = context;
    if (found !== undefined && (await print(terminal, db, { model, call }, found)))
      return undefined;
    const leftOut = await new LeftOutRows(project).find(db.engine, placeOf(model, call));
    missing(terminal, { model, call }, key, leftOut);
    noteLeftOut(terminal, leftOut, model);
    return 'failed';
  },
});

interface Read {
  readonly model: EntityModel;
  readonly call: ReadCall;
}

/** The row, or its key if cells are wanted. */
async function find(
  db: Database,
  model: EntityModel,
  call: ReadCall,
  key: Values,
): Promise<object | undefined> {
  const repository = repositoryOf(db, model);
  if (call.index !== undefined) return repository.index(call.index).get(key);
  if (call.raw || call.history) return key;
  const select = checkSelected(model, call.select);
  const { versions, asOf } = call;
  return repository.get(key, { versions, asOf, select: select.length > 0 ? select : undefined });
}

/** Prints the row; false if it has no cells. */
async function print(
  terminal: Terminal,
  db: Database,
  { model, call }: Read,
  row: object,
): Promise<boolean> {
  if (call.raw || call.history) {
    const printer = storedPrinter(terminal, model, call);
    const rows = await rawRows(db.engine, model, [row], call);
    printer.print(rows);
    if (rows.length > 0) printer.end('no version of these properties is stored');
    return rows.length > 0;
  }
  const json = selectedJson(model, call.select, row);
  if (terminal.isForPeople) printProperties(terminal, json, call);
  else terminal.writeJsonLine(json);
  return true;
}

/** The stored cells of a key, whether an entity decodes it or not. */
async function getStored(
  project: Project,
  model: EntityModel,
  call: ReadCall,
  context: CommandContext,
): Promise<'failed' | undefined> {
  const { terminal } = context;
  if (call.index !== undefined) throw new UsageError(faults.rawKeyOfIndex);
  const key = keyBytes(call.key!, 'text');
  await using db = await openForRows(project, call.url, context);
  const rows = await storedRows(db.engine, model.table.name, [key], call);
  if (rows.length > 0) {
    storedPrinter(terminal, model, call).print(rows);
    return undefined;
  }
  terminal.printError(`table ${model.table.name} has no row with the key ${call.key}`, {
    code: 'ROW_NOT_FOUND',
  });
  return 'failed';
}

function missing(
  terminal: Terminal,
  { model, call: { index } }: Read,
  key: Values,
  undecodable: LeftOut | undefined,
): void {
  const more = { undecodable };
  if (index !== undefined) {
    const advice = `rowsmith scan ${model.name} --index ${index} lists rows`;
    reportMissing(terminal, model, findIndex(model, index).entry, key, advice, more);
    return;
  }
  const [first] = model.key.names;
  const near = model.key.names.length > 1 ? ` ${keyText(model, { [first]: key[first] })}` : '';
  reportMissing(terminal, model, model, key, `rowsmith scan ${model.name}${near} lists rows`, more);
}

const faults = {
  rawKeyOfIndex: {
    problem: '--raw with --key reads the row of a key, and --index an entry',
    fix: 'leave one of them out',
  },
} satisfies FaultTexts;
