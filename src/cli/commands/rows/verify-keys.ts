/** `rowsmith keys verify`: finds stored keys that no entity decodes. */
import { copyBytes, countText, everyKey, type KeyRange, printable } from '../../../base/index.js';
import { type EntityModel, storedModels } from '../../../entities/model/index.js';
import type { Engine, Filter } from '../../../data/store/index.js';
import type { CommandContext } from '../../command.js';
import { loadProject, type Project } from '../../project/load-project.js';
import { grouped, type Progress } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';
import { openForRows, unlessMissing } from '../database.js';
import { findEntities } from '../entity.js';
import { withBar } from '../long-run.js';
import { splitKeySpace } from '../../../tools/pull/index.js';

/** Keys that are shown for each reason. */
const shownKeys = 3;
const filter: Filter = {
  kind: 'chain',
  filters: [{ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }],
};

interface Reason {
  readonly entity: string;
  readonly reason: string;
  rows: number;
  readonly keys: string[];
}

interface TableReport {
  readonly table: string;
  readonly rows: number;
  /** Rows by the entity that decodes their key. */
  readonly entities: Readonly<Record<string, number>>;
  readonly undecodable: number;
  readonly reasons: readonly Reason[];
  readonly sampled: boolean;
}

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
  const reports: TableReport[] = [];
  for (const table of tablesOf(named)) {
    const models = modelsIn(project, table);
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

/** Everything that writes rows into a table. */
function modelsIn({ models }: Project, table: string): readonly EntityModel[] {
  return storedModels(models).filter((model) => model.table.name === table);
}

interface Verified {
  readonly table: string;
  readonly models: readonly EntityModel[];
  readonly sample: number | undefined;
}

/** Reads the keys of a table, all or a sample, and counts the keys that decode. */
export async function verifyTable(
  engine: Engine,
  { table, models, sample }: Verified,
  terminal: Terminal,
): Promise<TableReport> {
  const tally = new Tally(models);
  await withBar(terminal, table, async (bar) => {
    let ranges: readonly KeyRange[] = [everyKey];
    if (sample !== undefined)
      ranges = splitKeySpace((await engine.sampleRowKeys(table)).map(({ key }) => key));
    for (const [i, range] of ranges.entries()) {
      const left = sample === undefined ? undefined : sample - tally.rows;
      const limit = left === undefined ? undefined : Math.ceil(left / (ranges.length - i));
      if (limit === undefined || limit > 0)
        await readKeys(engine, { table, range, limit }, { tally, bar });
    }
    bar.done(tally.rows);
  });
  return { table, sampled: sample !== undefined, ...tally.results() };
}

async function readKeys(
  engine: Engine,
  {
    table,
    range,
    limit,
  }: { readonly table: string; readonly range: KeyRange; readonly limit: number | undefined },
  { tally, bar }: { readonly tally: Tally; readonly bar: Progress },
): Promise<void> {
  const stream = engine.readRows({ table, ranges: [range], reversed: false, limit, filter });
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow()) tally.add(page.keyBytes, page.keyStart, page.keyEnd);
      bar.update(tally.rows);
    }
  } finally {
    await stream.close();
  }
}

/** Counts keys by the entity that decodes them, or by the reason that none does. */
class Tally {
  rows = 0;
  readonly #models: readonly EntityModel[];
  readonly #decoders;
  readonly #counts: number[];
  readonly #reasons = new Map<string, Reason>();

  constructor(models: readonly EntityModel[]) {
    this.#models = models;
    this.#decoders = models.map(({ key }) => key.decoder());
    this.#counts = models.map(() => 0);
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    this.rows++;
    const found = this.#decoders.findIndex((decode) => decode(bytes, start, end, {}));
    if (found !== -1) this.#counts[found]++;
    else this.#addReason(copyBytes(bytes, start, end));
  }

  results(): Omit<TableReport, 'table' | 'sampled'> {
    const reasons = [...this.#reasons.values()].sort((a, b) => b.rows - a.rows);
    return {
      rows: this.rows,
      entities: Object.fromEntries(this.#models.map(({ name }, i) => [name, this.#counts[i]])),
      undecodable: reasons.reduce((sum, { rows }) => sum + rows, 0),
      reasons,
    };
  }

  /** The reason of the entity that decodes most of the key. */
  #addReason(key: Uint8Array): void {
    const candidates = this.#models.map(({ name, key: codec }) => {
      const reason = codec.foreignReason(key)!;
      return { entity: name, reason, part: partOf(reason) };
    });
    const nearest = candidates.reduce((a, b) => (b.part > a.part ? b : a));
    const id = `${nearest.entity} ${nearest.reason}`;
    const { entity, reason } = nearest;
    const known = this.#reasons.get(id) ?? { entity, reason, rows: 0, keys: [] };
    known.rows++;
    if (known.keys.length < shownKeys) known.keys.push(printable(key));
    this.#reasons.set(id, known);
  }
}

/** How far a key was decoded: `Part 2 of the key ...`, or beyond the last part. */
function partOf(reason: string): number {
  const part = /^Part (\d+)/.exec(reason)?.[1];
  if (part !== undefined) return Number(part);
  return reason.includes('after its last part') ? Infinity : 0;
}

/** Prints a report for people. */
export function printReport(terminal: Terminal, report: TableReport): void {
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
