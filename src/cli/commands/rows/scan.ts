/** `rowsmith scan`: the rows of a prefix, a range, an index or an access pattern. */
import { countText } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { Database } from '../../../entities/repository/index.js';
import { defineCommand, exit } from '../../command.js';
import { loadProject } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { pickOptions, readArguments, type ReadCall, readCall } from './input/read-call.js';
import { checkSelected, type Query, rangeQuery, selected } from './input/read-query.js';
import { storedPrinter } from './output/print-stored.js';
import { rawRows } from './output/raw-rows.js';
import { RowPrinter, selectedJson, tableNames } from './output/row-printer.js';
import { findEntity, openSession } from './session.js';

const usage = 'rowsmith scan ENTITY [SEGMENT=VALUE...]';
const options = pickOptions(
  'from',
  'to',
  'starts',
  'under',
  'where',
  'select',
  'limit',
  'reverse',
  'index',
  'as-of',
  'versions',
  'history',
  'raw',
  'wide',
  'url',
);

/** The command. */
export const scan = defineCommand({
  usage: 'ENTITY [PATTERN] [SEGMENT=VALUE...] [options]',
  about: `Prints the rows with these first segments, in key order: a table on a terminal,
and otherwise a line of JSON for each row. Several values of one segment are alternatives. PATTERN
is an access pattern of the entity, which takes its values in the same way. Without values all rows
are read; \`rowsmith explain\` shows what a read costs. Rows with cells that cannot be decoded are
left out and reported, with exit code 4.`,
  arguments: readArguments,
  options,
  async run(input, context) {
    const call = readCall(input);
    const project = await loadProject(context);
    const model = findEntity(project, call.entity, usage);
    checkSelected(model, call.select);
    const { db, damaged } = await openSession(project, context, {
      url: call.url,
      skipsDamaged: true,
    });
    await using _ = db;
    const { terminal } = context;
    const query = rangeQuery(db, model, call);
    if (call.raw || call.history) await printStored(terminal, db, { model, call, query });
    else await printRows(terminal, { model, call, query });
    if (damaged.length === 0) return exit.ok;
    const [{ details }] = damaged;
    terminal.note(
      `${countText(damaged.length, 'row')} left out, with cells that cannot be decoded; the first is ` +
        `${String(details.key)}, ${String(details.property)}: ${String(details.problem)}. ` +
        'rowsmith scan --raw shows their bytes.',
    );
    return exit.partial;
  },
});

interface Scan {
  readonly model: EntityModel;
  readonly call: ReadCall;
  readonly query: Query;
}

async function printRows(terminal: Terminal, { model, call, query }: Scan): Promise<void> {
  const printer = new RowPrinter(terminal, tableNames(model, shownNames(model, call)), call);
  try {
    for await (const page of selected(query, model, call).pages())
      printer.print(page.map((row) => selectedJson(model, call.select, row)));
  } catch (error) {
    printer.end();
    throw error;
  }
  printer.end(`no ${model.name} was found`);
}

async function printStored(
  terminal: Terminal,
  { engine }: Database,
  { model, call, query }: Scan,
): Promise<void> {
  const printer = storedPrinter(terminal, model, call);
  for await (const page of query.keysOnly().pages())
    printer.print(await rawRows(engine, model, page, call));
  printer.end(`no ${model.name} was found`);
}

/** The properties of --select, or of the access pattern; none for all. */
function shownNames(model: EntityModel, { select, pattern: name }: ReadCall): readonly string[] {
  if (select.length > 0) return select;
  return model.patterns.find((pattern) => pattern.name === name)?.select ?? [];
}
