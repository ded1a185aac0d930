/** `rowsmith scan --undecodable`: the stored cells of rows that no entity decodes. */
import { copyBytes, everyKey, type FaultTexts } from '../../../../base/index.js';
import type { EntityModel } from '../../../../entities/model/index.js';
import type { Engine } from '../../../../data/store/index.js';
import { UsageError } from '../../../command.js';
import type { Progress } from '../../../terminal/progress.js';
import type { Terminal } from '../../../terminal/terminal.js';
import { afterOneSecond, withBar } from '../../long-run.js';
import { type ReadCall, rejectOptions } from '../input/read-call.js';
import { storedPrinter } from '../output/print-stored.js';
import { storedRows } from '../output/raw-rows.js';
import { KeyDecoders, modelsIn, readKeys } from './key-tally.js';

/** Rows that are read at the same time. */
const batchRows = 100;

/** Prints the rows of the table that no entity of the project decodes, in key order. */
export async function printUndecodable(
  terminal: Terminal,
  engine: Engine,
  { model, call }: { readonly model: EntityModel; readonly call: ReadCall },
  all: readonly EntityModel[],
): Promise<void> {
  rejectValues(call);
  const table = model.table.name;
  const models = modelsIn(all, table);
  const printer = storedPrinter(terminal, model, { ...call, raw: true });
  const keys: Uint8Array[] = [];
  const { limit = Infinity } = call;
  const decoders = new KeyDecoders(models);
  const read = async (bar: Progress): Promise<void> => {
    let rows = 0;
    await readKeys(engine, { table, models, range: everyKey, limit: undefined }, (page) => {
      while (keys.length < limit && page.nextRow()) {
        rows++;
        if (decoders.find(page) === -1)
          keys.push(copyBytes(page.keyBytes, page.keyStart, page.keyEnd));
      }
      bar.update(rows);
      return keys.length < limit;
    });
    bar.clear();
  };
  await withBar(terminal, table, read, undefined, afterOneSecond);
  for (let i = 0; i < keys.length; i += batchRows)
    printer.print(await storedRows(engine, table, keys.slice(i, i + batchRows), call));
  printer.end(`every key of table ${table} is decoded by an entity`);
}

function rejectValues(call: ReadCall): void {
  rejectOptions(
    call,
    ['index', 'where', 'select', 'history', 'reverse', 'key'],
    'cannot be combined with --undecodable, which reads the whole table',
  );
  if (call.terms.length > 0 || (call.json ?? call.pattern) !== undefined)
    throw new UsageError(faults.valuesOfUndecodable);
}

const faults = {
  valuesOfUndecodable: {
    problem: '--undecodable reads the whole table',
    fix: 'leave the values out, and give --limit for some rows',
  },
} satisfies FaultTexts;
