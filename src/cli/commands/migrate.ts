/** `rowsmith migrate`: moves rows from an old declaration to a new one. */
import { countText, RowsmithError } from '../../base/index.js';
import {
  migrate,
  type MigrateOptions,
  type Migration,
  type MigrationProgress,
  type MigrationResult,
} from '../../tools/transfer/index.js';
import { defineCommand, exit, flag, text, UsageError, type CommandInput } from '../command.js';
import { inputFile, outputFile } from '../files.js';
import { bundleModules } from '../project/bundle-modules.js';
import { isTypeScript, loadModule, type Exports } from '../project/load-module.js';
import { loadProject } from '../project/load-project.js';
import type { Progress } from '../terminal/progress.js';
import type { Terminal } from '../terminal/terminal.js';
import { openDatabase, readCount, resumable } from './row-command.js';

const options = {
  'dry-run': flag(
    'Count the rows, show some old and new keys, and report rows that would be ' +
      'moved over each other (exit code 1); write nothing',
  ),
  rate: text('N', 'At most N rows a second'),
  'no-verify': flag('Do not compare after copying'),
  'delete-old': flag('Delete the old rows after the comparison found no difference'),
  'replace-counters': flag(
    'Replace counters that new rows already have by the counters of the old rows. ' +
      'Default: such a row stops the migration',
  ),
  state: text(
    'FILE',
    'File that keeps the position. Default: FILE.state.json beside the migration',
    'file',
  ),
  url: text('URL', 'The database. Default: url of the config'),
};

/** The command. */
export const migrateCommand = defineCommand({
  usage: 'FILE [options]',
  about: `Moves the rows of an entity from an old declaration to a new one, with another key format,
shard count, literal, family or qualifier. The default export of FILE is defineMigration({ from:
OldClass, to: NewClass }). Copies every cell with its timestamp, compares old and new rows, and
keeps the old rows unless --delete-old is given. A stopped migration continues when the command is
run again.`,
  arguments: [{ name: 'FILE', kind: 'file' }],
  options,
  async run(input, { terminal, folder, config }) {
    const { file, values } = readOptions(input);
    const rowsPerSecond = readCount('rate', values.rate);
    const path = inputFile(folder, file);
    const state = outputFile(folder, values.state ?? `${file}.state.json`);
    const project = await loadProject({ folder, config });
    const migration = await loadMigration(path, project.folder);
    await using db = await openDatabase(
      { ...project, entities: [migration.to] },
      values.url,
      folder,
      { stored: true, readOnly: values['dry-run'] === true },
    );
    const options: MigrateOptions = {
      dryRun: values['dry-run'],
      rowsPerSecond,
      state,
      verify: values['no-verify'] !== true,
      deleteOld: values['delete-old'],
      replaceCounters: values['replace-counters'],
    };
    const dryRun = options.dryRun === true;
    const bars = new PhaseBars(terminal, dryRun);
    const advice = 'The position is kept: the same command continues the migration.';
    try {
      const result = await resumable(
        { terminal, state: dryRun ? undefined : state, advice },
        (signal) =>
          migrate(db.engine, migration, {
            ...options,
            signal,
            onProgress: (progress) => bars.update(progress),
          }),
      );
      bars.done();
      report(terminal, result, dryRun);
      if (result.collidingRows === 0) return exit.ok;
      reportCollisions(terminal, result);
      return exit.failed;
    } catch (error) {
      bars.clear();
      throw error;
    }
  },
});

function readOptions({ values, positionals }: CommandInput<typeof options>) {
  const [file] = positionals;
  if (file === undefined) throw new UsageError('name one file that exports a migration');
  if (values['no-verify'] === true && values['delete-old'] === true)
    throw new UsageError('--delete-old needs the comparison: leave out --no-verify');
  return { file, values };
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
    problem: 'its default export is not a migration',
    fix: 'export default defineMigration({ from: OldClass, to: NewClass })',
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
  if (dryRun) terminal.print(`${rows} rows would be moved; nothing was written.`);
  else
    terminal.print(
      `${copied} of ${rows} rows copied, ${leftOut} left out, ${verified} compared, ` +
        `${deleted} old rows deleted.`,
    );
  if (undeclaredCells > 0)
    terminal.print(
      `${countText(undeclaredCells, 'cell')} of the old rows not declared by a copied column ` +
        'stay where they are.',
    );
}
