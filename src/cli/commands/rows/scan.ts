/** `rowsmith scan`: the rows of a prefix, a range, an index or an access pattern. */
import { countText, type RowsmithError } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { Database } from '../../../entities/repository/index.js';
import { defineCommand, flag } from '../../command.js';
import type { Terminal } from '../../terminal/terminal.js';
import { openForRows } from '../database.js';
import {
  loadRead,
  pickOptions,
  rangeNames,
  readArguments,
  type ReadCall,
} from './input/read-call.js';
import type { UntypedQuery as Query } from '../../../tools/rows/index.js';
import { rangeQuery, selected } from './input/read-query.js';
import { storedPrinter } from './output/print-stored.js';
import { rawRows } from './output/raw-rows.js';
import { RowPrinter, rowShapes, selectedJson, tableNames } from './output/row-printer.js';
import { endWithLeftOut, LeftOutRows, placeOf } from './undecodable/left-out.js';
import { printUndecodable } from './undecodable/print-undecodable.js';

const shown = ['index', 'as-of', 'versions', 'history', 'raw', 'wide', 'url'] as const;

/** The command. */
export const command = defineCommand({
  usage: 'ENTITY [PATTERN] [SEGMENT=VALUE...] [options]',
  about: `Prints the rows with these first segments, in key order: a table on a terminal, otherwise
a line of JSON for each row. Several values of one segment are alternatives. PATTERN is an access
pattern of the entity, with its values. Without values all rows are read; \`rowsmith explain\` shows
what a read costs. Rows that cannot be decoded are left out and reported; --undecodable shows those
with unknown keys.`,
  arguments: readArguments,
  options: {
    ...pickOptions(...rangeNames, 'select', 'limit', 'reverse', ...shown),
    undecodable: flag('Only the stored cells of rows of the table that no entity decodes'),
  },
  examples: [
    ['scan Order shop=oslo --from n=2 --limit 10', 'a range of a prefix'],
    ['scan Order --where status=open --select status,total', 'all rows that meet a condition'],
    ['scan Order --index byStatus status=open', 'through an index'],
    ['scan Order ofShop shop=oslo', 'an access pattern'],
    ['scan Order shop=oslo --raw', 'cells as they are stored'],
    ['scan Order shop=oslo --history', 'all versions'],
    ['scan Order --undecodable --limit 10', 'rows that no entity decodes'],
  ],
  exits: { partial: 'rows were left out, with cells or keys that cannot be decoded' },
  json: rowShapes,
  rows: true,
  async run(input, context) {
    const { call, project, model } = await loadRead(input, context);
    const damaged: RowsmithError[] = [];
    const onDamagedCell = (error: RowsmithError): void => void damaged.push(error);
    const leftOut = new LeftOutRows(project);
    await using db = await openForRows(project, call.url, context, {
      onDamagedCell,
      onIncompleteRow: onDamagedCell,
      onForeignRow: leftOut.onForeignRow,
    });
    const { terminal } = context;
    if (input.values.undecodable) {
      await printUndecodable(terminal, db.engine, { model, call }, project.models);
      return undefined;
    }
    const query = rangeQuery(db, model, call);
    if (call.raw || call.history) await printStored(terminal, db, { model, call, query });
    else await printRows(terminal, { model, call, query });
    await endWithLeftOut(terminal, leftOut, db.engine, placeOf(model, call));
    noteDamaged(terminal, damaged);
    return damaged.length > 0 || leftOut.isPartial ? 'partial' : undefined;
  },
});

function noteDamaged(terminal: Terminal, damaged: readonly RowsmithError[]): void {
  if (damaged.length === 0) return;
  const [{ details }] = damaged;
  terminal.note(
    `${countText(damaged.length, 'row')} left out, with cells that cannot be decoded; the first is ` +
      `${String(details.key)}, ${String(details.property)}: ${String(details.problem)}. ` +
      'rowsmith scan --raw shows their bytes.',
  );
}

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
