/** `rowsmith keys verify`: finds stored keys that no entity decodes. */
import { countText } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { Engine } from '../../../data/store/index.js';
import type { CommandContext } from '../../command.js';
import { loadProject } from '../../project/load-project.js';
import { grouped } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';
import { unlessMissing } from '../../../tools/rows/index.js';
import { openForRows } from '../database.js';
import { findEntities } from '../entity.js';
import { withBar } from '../long-run.js';
import { type KeyReport, modelsIn, tallyKeys, type TalliedKeys } from './undecodable/key-tally.js';

/** Runs the command; `names` are entities, or none for all. */
export async function verifyKeys(
  names: readonly string[],
  { sample, url }: { readonly sample: number | undefined; readonly url: string | undefined },
  context: CommandContext,
): Promise<'different' | undefined> {
  const project = await loadProject(context);
  const named = findEntities(project, names, 'rowsmith keys verify [ENTITY...]');
  const { terminal } = context;
  await using db = await openForRows(project, url, context);
  const reports: KeyReport[] = [];
  for (const table of tablesOf(named)) {
    const models = modelsIn(project.models, table);
    const report = await unlessMissing(() =>
      verifyTable(db.engine, { table, models, sample }, terminal),
    );
    if (report === undefined) {
      terminal.note(`there is no table ${table}: nothing to verify`);
      continue;
    }
    reports.push(report);
    if (terminal.isForPeople) printReport(terminal, report);
    else terminal.writeJsonLine(report);
  }
  return reports.every(({ undecodable }) => undecodable === 0) ? undefined : 'different';
}

function tablesOf(models: readonly EntityModel[]): readonly string[] {
  return [...new Set(models.map(({ table }) => table.name))];
}

/** Reads the keys of a table, all or a sample, with a bar. */
export async function verifyTable(
  engine: Engine,
  keys: TalliedKeys,
  terminal: Terminal,
): Promise<KeyReport> {
  return withBar(terminal, keys.table, async (bar) => {
    const report = await tallyKeys(engine, keys, (rows) => bar.update(rows));
    bar.done(report.rows);
    return report;
  });
}

/** Prints a report for people. */
export function printReport(terminal: Terminal, report: KeyReport): void {
  const { table, rows, entities, undecodable, reasons, sampled } = report;
  const { style } = terminal;
  const found = Object.entries(entities).filter(([, count]) => count > 0);
  const decoded = found.map(([name, count]) => `${grouped(count)} ${name}`).join(', ');
  const mark =
    undecodable === 0 ? style.good('ok') : style.bad(`${grouped(undecodable)} undecodable`);
  const scope = sampled ? ' sampled' : '';
  terminal.print(
    `${style.bold(table)}: ${countText(rows, 'row')}${scope}: ${decoded || 'none'}: ${mark}`,
  );
  for (const each of reasons) {
    terminal.print(`  ${grouped(each.rows)}  ${each.entity}: ${each.reason}`);
    for (const key of each.keys) terminal.print(`      ${key}`);
  }
}
