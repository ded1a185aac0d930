/** `rowsmith seed`: writes the rows that a project begins with. */
import { abortable, countText, type FaultTexts } from '../../../base/index.js';
import { Database, openParts } from '../../../entities/repository/index.js';
import { count, defineCommand, flag, urlOption, UsageError, withDefault } from '../../command.js';
import { configError } from '../../project/config-fault.js';
import { loadProject, type Project } from '../../project/load-project.js';
import { loadSeed, type Seed } from '../../project/load-seed.js';
import { shortPath } from '../../terminal/error-text.js';
import type { Progress } from '../../terminal/progress.js';
import { Table } from '../../terminal/table.js';
import type { Terminal } from '../../terminal/terminal.js';
import { isLiveBigtable, noteMissing, patience, storedUrl } from '../database.js';
import { assertReachable } from '../reachable.js';
import { longRun } from '../long-run.js';
import { CountedRows, type EntityRows } from './counted-rows.js';

/** The command. */
export const command = defineCommand({
  usage: '[FILE] [options]',
  about: `Runs the seed of the project, FILE or \`seed\` of the config: a module with a function as
default export, which gets the open database and { seed, signal }. Prints the rows written of each
entity. Rows of factories (rowsmith/testing) are the same in every run. Databases that the seed
opens itself are not counted, and are written also with --dry-run.`,
  arguments: [{ name: 'FILE', kind: 'file' }],
  options: {
    'dry-run': flag('Run it on an empty database in memory; write nothing'),
    yes: flag('Write to live Bigtable'),
    seed: withDefault(count('N', 'The seed of the random numbers', { min: 0 }), 1),
    url: urlOption,
  },
  examples: [
    ['seed', 'the seed of the config'],
    ['seed seed.js --dry-run', 'how many rows it would write'],
  ],
  exits: { stopped: 'the rows so far are written, and the same command continues' },
  json: `{ file: string, url: string, seed: number, dryRun: boolean, millis: number,
    entities: { entity: string, written: number, deleted: number }[] }`,
  async run({ values, positionals: [name] }, context) {
    const { terminal, folder } = context;
    const project = await loadProject(context);
    const seed = await loadSeed(project, folder, name);
    const { dryRun } = values;
    const url = dryRun ? 'memory:' : targetUrl(project, values, folder);
    if (!dryRun) noteMissing(terminal, url, context.name);
    const started = performance.now();
    const entities = await longRun(
      terminal,
      {
        name: 'seed',
        advice: dryRun ? undefined : 'The same command writes the rows that are left.',
      },
      (bar, signal) => runSeed(project, seed, { url, seed: values.seed, signal }, bar),
    );
    const millis = Math.round(performance.now() - started);
    terminal.printJson({ file: seed.file, url, seed: values.seed, dryRun, millis, entities });
    printRows(terminal, entities);
    const rows = countText(
      entities.reduce((sum, { written }) => sum + written, 0),
      'row',
    );
    terminal.print(`${rows} of ${shortPath(seed.file)} in ${(millis / 1000).toFixed(1)} s.`);
    if (dryRun) terminal.note('nothing was written: --dry-run');
  },
});

/** Throws UsageError for live Bigtable without `--yes`, and for memory:. */
function targetUrl(
  project: Project,
  { url: given, yes }: { readonly url: string | undefined; readonly yes: boolean },
  folder: string,
): string {
  const url = storedUrl(project, given, folder);
  if (isLiveBigtable(url) && !yes) throw new UsageError(faults.liveBigtable(url));
  return url;
}

interface Run {
  readonly url: string;
  readonly seed: number;
  readonly signal: AbortSignal;
}

async function runSeed(
  { entities }: Project,
  { file, run }: Seed,
  { url, seed, signal }: Run,
  bar: Progress,
): Promise<readonly EntityRows[]> {
  const counted = new CountedRows((rows) => bar.update(rows));
  await assertReachable(url);
  const parts = await openParts(url, { entities, lint: false, bigtable: patience });
  await using db = new Database(counted.counting(parts));
  // A function that does not heed the signal is left when the database is closed.
  await abortable(endOf(Promise.resolve(run(db, { seed, signal })), file), signal);
  bar.clear();
  return counted.byEntity();
}

/** Rejects if the process has nothing left to do: it would exit without an error. */
async function endOf(running: Promise<unknown>, file: string): Promise<void> {
  let onIdle = (): void => undefined;
  const idle = new Promise<never>((_, reject) => {
    onIdle = () => reject(configError(file, faults.neverEnds));
  });
  process.once('beforeExit', onIdle);
  try {
    await Promise.race([running, idle]);
  } finally {
    process.off('beforeExit', onIdle);
  }
}

function printRows(terminal: Terminal, entities: readonly EntityRows[]): void {
  if (entities.length === 0) return;
  const names = ['entity', 'rows', ...(entities.some(isDeleting) ? ['deleted'] : [])];
  const table = new Table(names, {
    width: terminal.width,
    heading: (text) => terminal.style.dim(text),
  });
  const rows = entities.map(({ entity, written, deleted }) =>
    [entity, String(written), String(deleted)].slice(0, names.length),
  );
  for (const line of table.lines(rows)) terminal.print(line);
}

function isDeleting({ deleted }: EntityRows): boolean {
  return deleted > 0;
}

const faults = {
  liveBigtable: (url: string) => ({
    problem: `${url} is live Bigtable, and may have rows that the seed replaces`,
    fix: 'give --yes',
  }),
  neverEnds: {
    problem: 'the seed waits for a promise that nothing settles',
    fix: 'await writes and timers only, and settle each promise that it creates',
  },
} satisfies FaultTexts;
