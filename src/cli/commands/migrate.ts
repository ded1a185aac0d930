/** `rowsmith migrate`: rows of an old declaration to the new one. */
import { resolve } from 'node:path';
import { RowsmithError } from '../../errors.js';
import {
  migrate,
  type Migration,
  type MigrationProgress,
  type MigrationResult,
} from '../../transfer/index.js';
import { bundleModules } from '../project/bundle-modules.js';
import { loadModule } from '../project/load-module.js';
import { loadProject } from '../project/load-project.js';
import type { Progress } from '../terminal/progress.js';
import { countOf, openDatabase, resumable } from './row-command.js';
import type { Terminal } from '../terminal/terminal.js';
import { exit, parseOptions, UsageError, type Command } from '../command.js';

const help = `Usage: rowsmith migrate FILE [options]

Moves the rows of an entity from an old declaration to the new one: another key format, shard count, literal, family, qualifier. FILE exports by default
defineMigration({ from: OldClass, to: NewClass }). Copies every cell with its timestamp, compares old and new, and keeps the old rows unless told otherwise.
Killed and started again it goes on where it was.

  --dry-run          Count the rows and show some keys before and after; write nothing
  --rate N           Most rows a second
  --no-verify        Do not compare after copying
  --delete-old       Delete the old rows, after the comparison found no difference
  --replace-counters Put old sums in place of those that new rows have already; else such a row stops the migration
  --state FILE       Where it keeps how far it is; default: FILE.state.json beside the migration
  --url URL          The database; default: that of the config`;

/** The verb. */
export const migrateCommand: Command = {
  help,
  async run(args, { terminal, ...context }) {
    const text = { type: 'string' } as const;
    const flag = { type: 'boolean' } as const;
    const { values, positionals } = parseOptions(
      args,
      {
        'dry-run': flag,
        rate: text,
        'no-verify': flag,
        'delete-old': flag,
        'replace-counters': flag,
        state: text,
        url: text,
      },
      true,
    );
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0)
      throw new UsageError('name one file that exports a migration');
    if (values['no-verify'] === true && values['delete-old'] === true)
      throw new UsageError('--delete-old needs the comparison: leave --no-verify out');
    const rowsPerSecond = countOf('rate', values.rate);
    const path = resolve(context.folder, file);
    const project = await loadProject(context);
    const migration = await loadMigration(path, project.folder);
    await using db = await openDatabase(
      { ...project, entities: [migration.to] },
      values.url,
      context.folder,
      { stored: true },
    );
    const dryRun = values['dry-run'] === true;
    const state =
      values.state === undefined ? `${path}.state.json` : resolve(context.folder, values.state);
    const phases = new Phases(terminal, dryRun);
    try {
      const result = await resumable(
        {
          terminal,
          state: dryRun ? undefined : state,
          advice: 'How far it is, is kept: the same command goes on there.',
        },
        (signal) =>
          migrate(db.engine, migration, {
            dryRun,
            rowsPerSecond,
            state,
            verify: values['no-verify'] !== true,
            deleteOld: values['delete-old'] ?? false,
            replaceCounters: values['replace-counters'] ?? false,
            signal,
            onProgress: (progress) => phases.update(progress),
          }),
      );
      phases.done();
      tell(terminal, result, dryRun);
      return exit.ok;
    } catch (error) {
      phases.clear();
      throw error;
    }
  },
};

/** A bar for each phase, one after the other. */
class Phases {
  #bar: Progress | undefined;
  #last: MigrationProgress | undefined;

  readonly #terminal: Terminal;
  readonly #dryRun: boolean;

  constructor(terminal: Terminal, dryRun: boolean) {
    this.#terminal = terminal;
    this.#dryRun = dryRun;
  }

  update(progress: MigrationProgress): void {
    const { phase, rows, earlier, share } = progress;
    if (phase !== this.#last?.phase) {
      this.done();
      this.#bar = this.#terminal.progress(this.#dryRun ? 'count' : phase);
    }
    this.#last = progress;
    this.#bar?.update(rows, { earlier, share, estimated: phase === 'copy' });
  }

  done(): void {
    if (this.#last !== undefined) this.#bar?.done(this.#last.rows, this.#last.earlier);
  }

  clear(): void {
    this.#bar?.clear();
  }
}

async function loadMigration(file: string, folder: string): Promise<Migration> {
  const [exports] = /\.[cm]?tsx?$/.test(file)
    ? (await bundleModules([file], folder, () => undefined)).modules
    : [await loadModule(file)];
  const migration = (exports as { readonly default?: Partial<Migration> }).default;
  if (typeof migration?.from === 'function' && typeof migration.to === 'function')
    return migration as Migration;
  throw new RowsmithError('INVALID_CONFIG', {
    file,
    problem: 'it does not export a migration',
    fix: 'export default defineMigration({ from: OldClass, to: NewClass })',
  });
}

function tell(terminal: Terminal, result: MigrationResult, dryRun: boolean): void {
  terminal.data({ dryRun, ...result });
  for (const { from, to } of result.samples) terminal.say(`  ${from} -> ${to ?? 'left out'}`);
  const { rows, copied, leftOut, verified, deleted, undeclaredCells } = result;
  terminal.say(
    dryRun
      ? `${rows} rows would be moved; nothing was written.`
      : `${copied} of ${rows} rows copied, ${leftOut} left out, ${verified} compared, ${deleted} old rows deleted.`,
  );
  if (undeclaredCells > 0)
    terminal.say(
      `${undeclaredCells} cells of the old rows are declared by no column that is copied, and stay where they are.`,
    );
}
