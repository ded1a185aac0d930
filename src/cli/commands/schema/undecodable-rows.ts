/** Rows of stored tables that no entity decodes: a difference that no step of a plan removes. */
import type { Engine } from '../../../data/store/index.js';
import type { Project } from '../../project/load-project.js';
import { grouped } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';
import { unlessMissing } from '../../../tools/rows/index.js';
import { afterOneSecond, withBar } from '../long-run.js';
import { modelsIn, tallyKeys } from '../rows/undecodable/key-tally.js';
import { type LeftOut, leftOutOf, leftOutText } from '../rows/undecodable/left-out.js';

/** Keys that are read of each table, from all its parts. */
const keysOfTable = 10_000;

/** Its declaration for the JSON of commands. */
export const undecodableShape = `{ table: string, rows: number, more: boolean, key: string,
  reason: string, entity: string, read: number }`;

/** Rows of one table. */
export interface UndecodableRows extends LeftOut {
  /** An entity of the table. */
  readonly entity: string;
  /** Keys of the table that were read. */
  readonly read: number;
}

/** Reads at most 10,000 keys of each table, with a bar after a second. */
export async function undecodableRows(
  engine: Engine,
  { models: all }: Pick<Project, 'models'>,
  terminal: Terminal,
): Promise<readonly UndecodableRows[]> {
  const found: UndecodableRows[] = [];
  for (const table of new Set(all.map((model) => model.table.name))) {
    const models = modelsIn(all, table);
    const keys = { table, models, sample: keysOfTable };
    const report = await withBar(
      terminal,
      table,
      async (bar) => {
        const read = await unlessMissing(() => tallyKeys(engine, keys, (rows) => bar.update(rows)));
        bar.clear();
        return read;
      },
      undefined,
      afterOneSecond,
    );
    const leftOut = leftOutOf(report);
    if (report === undefined || leftOut === undefined) continue;
    const { name: entity } = all.find((model) => model.table.name === table)!;
    found.push({ ...leftOut, entity, read: report.rows });
  }
  return found;
}

/** Prints them below the steps of a plan. */
export function printUndecodableRows(terminal: Terminal, found: readonly UndecodableRows[]): void {
  if (found.length === 0) return;
  terminal.print(terminal.style.bold('Rows that reads leave out, of the keys that were read'));
  for (const each of found)
    terminal.print(`  ${leftOutText(each, each.entity)} (${grouped(each.read)} keys read)`);
}
