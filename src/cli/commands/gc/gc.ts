/** `rowsmith gc --explain`: what the declared garbage collection rules remove, and when. */
import { bytesText, countText } from '../../../base/index.js';
import {
  gcRuleText,
  normalGcRule,
  tableSchemas,
  storedModels,
} from '../../../entities/model/index.js';
import { openEngine, parseEngineUrl } from '../../../engines/index.js';
import type { Engine, GcRule, TableSchema } from '../../../data/store/index.js';
import { defineCommand, exit, flag, text, UsageError } from '../../command.js';
import { loadProject, type Project } from '../../project/load-project.js';
import { grouped } from '../../terminal/progress.js';
import { Table } from '../../terminal/table.js';
import type { Terminal } from '../../terminal/terminal.js';
import { checkStored, patience } from '../open-stored.js';
import { databaseUrl } from '../row-command.js';
import { unlessMissing } from '../rows/output/row-estimate.js';
import { findEntity } from '../rows/session.js';

import {
  type Amount,
  type Estimate,
  estimateTable,
  horizons,
  type TableEstimate,
} from './gc-estimate.js';

const options = {
  explain: flag('What the rules remove, now and later'),
  share: text('SHARE', 'The share of rows to read of every table: 0.01, or 1 for all'),
  url: text(
    'URL',
    'The database: file:./data, bigtable://project/instance. Default: url of the config',
  ),
};

/** The command. */
export const gc = defineCommand({
  usage: '--explain [ENTITY...] [--share SHARE] [--url URL]',
  about: `Prints for each family what its declared garbage collection rule removes: cells and bytes
that are due now, and those that are due within a day, a week and a month (30 days) if nothing is
written. Nothing is changed. Families of tables up to 64 MiB are counted; of larger tables a random
sample of rows is read, and numbers have the bounds of a 95 % confidence interval. Storage has cells
that are due until they are removed: Bigtable does that within about a week; in a file: database they
stay until their row is written, or rowsmith compact or a program with gc: 'lazy' removes them.`,
  arguments: [{ name: 'ENTITY', repeatable: true, kind: 'entity' }],
  options,
  async run({ values, positionals }, { terminal, ...context }) {
    if (values.explain !== true)
      throw new UsageError(
        'gc takes --explain, which prints what the rules remove; rowsmith compact removes it from a ' +
          'file: database, and Bigtable within about a week',
      );
    const share = readShare(values.share);
    const project = await loadProject(context);
    const url = databaseUrl(project, values.url, context.folder);
    if (url === 'memory:')
      throw new UsageError(
        'memory: is empty in every process; name file:./directory or bigtable://project/instance',
      );
    const tables = tablesOf(project, positionals);
    checkStored(url);
    // Reads see the cells that are due, which `onRead` hides.
    const engine = await openEngine(url, { readOnly: true, gc: 'manual', bigtable: patience });
    try {
      for (const table of tables) await explain(engine, table, { share, terminal });
      terminal.print(removalText(url));
    } finally {
      await engine.close();
    }
    return exit.ok;
  },
});

/** Who removes the cells that are due. */
function removalText(url: string): string {
  if (parseEngineUrl(url).kind === 'live')
    return 'Bigtable removes cells that are due within about a week; an emulator may keep them.';
  return `Cells that are due stay in ${url} until their row is written or rowsmith compact is run.`;
}

function readShare(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (share > 0 && share <= 1) return share;
  throw new UsageError(`--share takes a number above 0 and up to 1, not '${text}'`);
}

/** The tables of the named entities, or all. */
function tablesOf(project: Project, names: readonly string[]): readonly TableSchema[] {
  const all = tableSchemas(storedModels(project.models));
  if (names.length === 0) return all;
  const named = names.map((name) => findEntity(project, name, 'rowsmith gc --explain [ENTITY...]'));
  return all.filter(({ name }) => named.some((model) => model.table.name === name));
}

async function explain(
  engine: Engine,
  { name: table, families }: TableSchema,
  { share, terminal }: { readonly share: number | undefined; readonly terminal: Terminal },
): Promise<void> {
  const rules = new Map([...families].map(([family, { gc: rule }]) => [family, rule]));
  const bar = terminal.progress(table);
  // `gc --explain` uses the clock of this program, as Bigtable uses its own.
  const nowMicros = Date.now() * 1000;
  try {
    const estimate = await unlessMissing(() =>
      estimateTable(engine, { table, rules, nowMicros, share, onRows: (rows) => bar.update(rows) }),
    );
    bar.clear();
    if (estimate === undefined) terminal.note(`there is no table ${table}: nothing is stored`);
    else print(terminal, estimate, rules);
  } catch (error) {
    bar.clear();
    throw error;
  }
}

function print(
  terminal: Terminal,
  estimate: TableEstimate,
  rules: ReadonlyMap<string, GcRule | undefined>,
): void {
  if (terminal.json) {
    const families = estimate.families.map((family) => ({
      ...family,
      rule: ruleText(rules.get(family.family)),
    }));
    terminal.writeJsonLine({ ...estimate, families });
    return;
  }
  const { table, rows, share, families } = estimate;
  if (rows === 0 && share < 1)
    terminal.note(`${table}: no row was read, so little is known: give a larger --share`);
  const read =
    share >= 1 ? countText(rows, 'row') : `a sample of ${countText(rows, 'row')}, 95 % confidence`;
  terminal.print(`${terminal.style.bold(table)}: ${read}`);
  const names = ['family', 'rule', 'stored', 'due now', 'in a day', 'in a week', 'in a month'];
  const layout = new Table(names, { width: Infinity, heading: (text) => terminal.style.dim(text) });
  const lines = families.map(({ family, stored, due }) => [
    family,
    ruleText(rules.get(family)),
    amountText(stored),
    ...horizons.map((horizon) => amountText(due[horizon])),
  ]);
  for (const line of layout.lines(lines)) terminal.print(`  ${line}`);
}

function ruleText(rule: GcRule | undefined): string {
  const normal = normalGcRule(rule);
  return normal === undefined ? 'never' : gcRuleText(normal);
}

function amountText({ cells, bytes }: Amount): string {
  if (cells.high === 0) return '-';
  const noun = cells.low === 1 && cells.high === 1 ? 'cell' : 'cells';
  return `${estimateText(cells, grouped)} ${noun}, ${estimateText(bytes, bytesText)}`;
}

function estimateText({ value, low, high }: Estimate, format: (value: number) => string): string {
  if (low === high) return format(value);
  return `${format(value)} (${format(low)} to ${format(high)})`;
}
