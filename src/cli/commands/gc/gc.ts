/** `rowsmith gc --explain`: what the declared garbage collection rules remove, and when. */
import { bytesText, countText, type FaultTexts } from '../../../base/index.js';
import {
  type EntityModel,
  gcRuleText,
  normalGcRule,
  storedModels,
  tableSchemas,
} from '../../../entities/model/index.js';
import { openEngine, parseEngineUrl } from '../../../engines/index.js';
import type { Engine, GcRule, TableSchema } from '../../../data/store/index.js';
import { defineCommand, flag, parsed, urlOption, UsageError } from '../../command.js';
import { loadProject, type Project } from '../../project/load-project.js';
import { grouped } from '../../terminal/progress.js';
import { Table } from '../../terminal/table.js';
import type { Terminal } from '../../terminal/terminal.js';
import { unlessMissing } from '../../../tools/rows/index.js';
import { checkStored, patience, storedUrl } from '../database.js';
import { assertReachable } from '../reachable.js';
import { findEntities } from '../entity.js';
import { withBar } from '../long-run.js';
import {
  type Amount,
  type Estimate,
  estimateTable,
  horizons,
  type TableEstimate,
} from '../../../tools/gc/index.js';

const options = {
  explain: flag('What the rules remove, now and later'),
  share: parsed('SHARE', 'The share of rows to read: 0.01, or 1 for all', shareOf),
  url: urlOption,
};

const amount = "Record<'cells' | 'bytes', { value: number, low: number, high: number }>";

/** The command. */
export const command = defineCommand({
  usage: '--explain [ENTITY...] [--share SHARE] [--url URL]',
  about: `Prints what the declared garbage collection rule of each family removes: cells and bytes
that are due now, and within a day, a week and a month (30 days) without further writes. Families of
tables up to 64 MiB are counted; larger ones are sampled, with the bounds of a 95 % confidence
interval. Bigtable removes due cells within about a week; in a file: database they stay until their
row is written, or until rowsmith compact or a program with gc: 'lazy' removes them.`,
  arguments: [{ name: 'ENTITY', repeatable: true, kind: 'entity' }],
  options,
  examples: [
    ['gc --explain', 'all tables'],
    ['gc --explain Order --share 0.01', 'a hundredth of the rows of one table'],
  ],
  json: `{ url: string, tables: { table: string, rows: number, share: number, families: {
    family: string, rule: string, stored: ${amount},
    due: Record<'now' | 'day' | 'week' | 'month', ${amount}> }[] }[] }`,
  async run({ values, positionals }, { terminal, usage, ...context }) {
    if (!values.explain) throw new UsageError(faults.gcWithoutExplain);
    const project = await loadProject(context);
    const url = storedUrl(project, values.url, context.folder);
    const models = findEntities(project, positionals, usage);
    checkStored(url);
    await assertReachable(url);
    // Reads see the cells that are due, which `onRead` hides.
    const engine = await openEngine(url, { readOnly: true, gc: 'manual', bigtable: patience });
    try {
      const reports = [];
      for (const table of tablesOf(project, models)) {
        const report = await explain(engine, table, { share: values.share, terminal });
        if (report !== undefined) reports.push(report);
      }
      terminal.printJson({ url, tables: reports });
      terminal.print(removalText(url));
    } finally {
      await engine.close();
    }
  },
});

/** Who removes the cells that are due. */
function removalText(url: string): string {
  if (parseEngineUrl(url).kind === 'live')
    return 'Bigtable removes cells that are due within about a week; an emulator may keep them.';
  return `Cells that are due stay in ${url} until their row is written or rowsmith compact is run.`;
}

function shareOf(text: string, flagName: string): number {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (share > 0 && share <= 1) return share;
  throw new UsageError(faults.notAShare(flagName, text));
}

/** The tables of entities, with all that is stored in them. */
function tablesOf(
  { models: all }: Project,
  models: readonly EntityModel[],
): readonly TableSchema[] {
  const names = models.map(({ table }) => table.name);
  return tableSchemas(storedModels(all)).filter(
    ({ name }) => models === all || names.includes(name),
  );
}

/** Prints the estimate of a table, and returns it for JSON. */
async function explain(
  engine: Engine,
  { name: table, families }: TableSchema,
  { share, terminal }: { readonly share: number | undefined; readonly terminal: Terminal },
): Promise<object | undefined> {
  const rules = new Map([...families].map(([family, { gc: rule }]) => [family, rule]));
  // `gc --explain` uses the clock of this program, as Bigtable uses its own.
  const nowMicros = Date.now() * 1000;
  const found = await withBar(terminal, table, async (bar) => {
    const onRows = (rows: number) => bar.update(rows);
    const options = { table, rules, nowMicros, share, onRows };
    const estimate = await unlessMissing(() => estimateTable(engine, options));
    bar.clear();
    return estimate;
  });
  if (found === undefined) {
    terminal.note(`there is no table ${table}: nothing is stored`);
    return undefined;
  }
  print(terminal, found, rules);
  return {
    ...found,
    families: found.families.map((each) => ({ ...each, rule: ruleText(rules.get(each.family)) })),
  };
}

function print(
  terminal: Terminal,
  estimate: TableEstimate,
  rules: ReadonlyMap<string, GcRule | undefined>,
): void {
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

const faults = {
  gcWithoutExplain: {
    problem: 'gc takes --explain, which prints what the rules remove',
    fix: 'rowsmith compact removes it from a file: database, and Bigtable within about a week',
  },
  notAShare: (flagName: string, text: string) => ({
    problem: `${flagName} takes a number above 0 and up to 1, not '${text}'`,
  }),
} satisfies FaultTexts;
