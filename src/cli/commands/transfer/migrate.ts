/** `rowsmith migrate`: moves rows from an old declaration to a new one. */
import { existsSync } from 'node:fs';
import { countText, RowsmithError, type FaultTexts } from '../../../base/index.js';
import {
  migrate,
  type Migration,
  type MigrationProgress,
  type MigrationResult,
} from '../../../tools/transfer/index.js';
import { count, defineCommand, flag, text, urlOption, UsageError } from '../../command.js';
import { inputFile, outputFile } from '../../files.js';
import { bundleModules } from '../../project/bundle-modules.js';
import { isTypeScript, loadModule, type Exports } from '../../project/load-module.js';
import { loadProject } from '../../project/load-project.js';
import { grouped, type Progress } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';
import { databaseUrl, openDatabase } from '../database.js';
import { stoppable } from '../long-run.js';

const options = {
  'dry-run': flag(
    'Count the rows, show some old and new keys, and report collisions; write nothing',
  ),
  rate: count('N', 'At most N rows a second'),
  'no-verify': flag('Do not compare after copying'),
  'delete-old': flag('Delete the old rows if the comparison finds no difference'),
  'replace-counters': flag(
    'Replace counters of new rows by counters of old rows. Default: such a row stops the ' +
      'migration',
  ),
  state: text('FILE', 'File of the position. Default: FILE.state.json', 'file'),
  url: urlOption,
};

/** The command. */
export const command = defineCommand({
  usage: 'FILE [options]',
  about: `Moves the rows of an entity to a new declaration, with another key format, shard count,
literal, family or qualifier. FILE exports defineMigration({ from: OldClass, to: NewClass }) as
default. Copies every cell with its timestamp, and compares old and new rows. A stopped migration
continues when the command is run again.`,
  arguments: [{ name: 'FILE', kind: 'file' }],
  options,
  examples: [
    ['migrate orders-by-number.js --dry-run', 'counts the rows, and shows old and new keys'],
    ['migrate orders-by-number.js --rate 1000', 'copies and compares; the old rows stay'],
  ],
  exits: {
    failed: '--dry-run: rows would be moved over each other',
    stopped: 'the position is kept, and the same command continues',
  },
  json: `{ dryRun: boolean, rows: number, copied: number, leftOut: number, verified: number,
    deleted: number, undeclaredCells: number, collidingRows: number,
    collisions: { from: string[], to: string }[], samples: { from: string, to?: string }[] }`,
  async run({ values, positionals: [file] }, context) {
    if (file === undefined) throw new UsageError(faults.noMigration);
    const { dryRun, rate: rowsPerSecond, deleteOld, replaceCounters } = values;
    const verify = !values.noVerify;
    if (!verify && deleteOld) throw new UsageError(faults.deleteWithoutComparison);
    const { terminal, folder } = context;
    const path = inputFile(folder, file);
    const state = outputFile(folder, values.state ?? `${file}.state.json`);
    const project = await loadProject(context);
    const migration = await loadMigration(path, project.folder);
    const url = databaseUrl(project, values.url, folder);
    await using db = await openDatabase({ entities: [migration.to] }, url, { readOnly: dryRun });
    const options = { dryRun, rowsPerSecond, state, verify, deleteOld, replaceCounters };
    const result = await migrateWithBars(terminal, dryRun ? undefined : state, (hooks) =>
      migrate(db.engine, migration, { ...options, ...hooks }),
    );
    report(terminal, result, dryRun);
    if (result.collidingRows === 0) return undefined;
    reportCollisions(terminal, result);
    return 'failed';
  },
});

interface Hooks {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MigrationProgress) => void;
}

/** `state` is the file that keeps the position; a dry run has none. */
async function migrateWithBars(
  terminal: Terminal,
  state: string | undefined,
  run: (hooks: Hooks) => Promise<MigrationResult>,
): Promise<MigrationResult> {
  const bars = new PhaseBars(terminal, state === undefined);
  const advice = () =>
    state !== undefined && existsSync(state)
      ? 'The position is kept: the same command continues the migration.'
      : undefined;
  return stoppable(terminal, advice, async (signal) => {
    try {
      const result = await run({ signal, onProgress: (progress) => bars.update(progress) });
      bars.done();
      return result;
    } catch (error) {
      bars.clear();
      throw error;
    }
  });
}

/** A progress bar for each phase, one after the other. */
class PhaseBars {
  #bar: Progress | undefined;
  #last: MigrationProgress | undefined;

  readonly #terminal: Terminal;
  readonly #dryRun: boolean;

  constructor(terminal: Terminal, dryRun: boolean) {
    this.#terminal = terminal;
    this.#dryRun = dryRun;
  }

  update(progress: MigrationProgress): void {
    const { phase } = progress;
    if (phase !== this.#last?.phase) {
      this.done();
      this.#bar = this.#terminal.progress(this.#dryRun && phase === 'copy' ? 'count' : phase);
    }
    this.#last = progress;
    this.#bar?.update(progress.rows, {
      fraction: progress.fraction,
      fromEarlierRuns: progress.fromEarlierRuns,
      estimated: phase === 'copy' || phase === 'check',
    });
  }

  done(): void {
    if (this.#last !== undefined) this.#bar?.done(this.#last.rows, this.#last.fromEarlierRuns);
  }

  clear(): void {
    this.#bar?.clear();
  }
}

async function loadMigration(file: string, folder: string): Promise<Migration> {
  const exports = await loadExports(file, folder);
  const migration = exports.default as Partial<Migration> | undefined;
  if (typeof migration?.from === 'function' && typeof migration.to === 'function')
    return migration as Migration;
  throw new RowsmithError('INVALID_CONFIG', {
    file,
    ...faults.notAMigration,
  });
}

async function loadExports(file: string, folder: string): Promise<Exports> {
  if (!isTypeScript(file)) return loadModule(file);
  const { modules } = await bundleModules([file], folder, () => undefined);
  return modules[0];
}

/** The error of a dry run: the migration itself would stop before it writes anything. */
function reportCollisions(
  terminal: Terminal,
  { collidingRows, collisions }: MigrationResult,
): void {
  terminal.note(`${collidingRows} old rows would be moved over each other:`);
  for (const { from, to } of collisions) terminal.note(`  ${from.join(', ')} -> ${to}`);
  terminal.note(
    'Make the mapping of keys injective, for example with the old id as the last segment of the new\n' +
      'key, or merge these rows by hand before the migration.',
  );
}

function report(terminal: Terminal, result: MigrationResult, dryRun: boolean): void {
  terminal.printJson({ dryRun, ...result });
  for (const { from, to } of result.samples) terminal.print(`  ${from} -> ${to ?? 'left out'}`);
  const { rows, copied, leftOut, verified, deleted, undeclaredCells } = result;
  if (dryRun) terminal.print(`${countText(rows, 'row')} would be moved; nothing was written.`);
  else
    terminal.print(
      `${grouped(copied)} of ${countText(rows, 'row')} copied, ${grouped(leftOut)} left out, ` +
        `${grouped(verified)} compared, ${countText(deleted, 'old row')} deleted.`,
    );
  if (undeclaredCells > 0)
    terminal.print(
      `${countText(undeclaredCells, 'cell')} of the old rows not declared by a copied column ` +
        'stay where they are.',
    );
}

const faults = {
  noMigration: { problem: 'name one file that exports a migration' },
  deleteWithoutComparison: {
    problem: '--delete-old needs the comparison',
    fix: 'leave out --no-verify',
  },
  notAMigration: {
    problem: 'its default export is not a migration',
    fix: 'export default defineMigration({ from: OldClass, to: NewClass })',
  },
} satisfies FaultTexts;
