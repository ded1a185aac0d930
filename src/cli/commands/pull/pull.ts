/** `rowsmith pull`: generates entities from an existing table. */
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { countText, printable, RowsmithError } from '../../../base/index.js';
import { absoluteUrl } from '../../../engines/index.js';
import type { Engine } from '../../../data/store/index.js';
import {
  defineCommand,
  exit,
  text,
  UsageError,
  type CommandContext,
  type OptionValues,
} from '../../command.js';
import { loadProject } from '../../project/load-project.js';
import { shortPath } from '../../terminal/error-text.js';
import { writeChanges } from '../generate/write-changes.js';
import { openStored } from '../open-stored.js';
import { databaseUrl } from '../row-command.js';
import { entityModule, type EntityModule } from './entity-module.js';
import { guessEntity } from './entity-guess.js';
import { guessKeys } from './key-guess.js';
import { sampleTable } from './sample-table.js';

const defaultSample = 1000;

const options = {
  table: text('TABLE', 'The table', 'table'),
  url: text(
    'URL',
    'The database: file:./data, bigtable://project/instance. Default: url of the config',
  ),
  sample: text(
    'ROWS',
    `Number of rows to read, from all parts of the table. Default: ${defaultSample}`,
  ),
  out: text('FILE', 'New file for the module. Default: standard output', 'file'),
};

/** The command. */
export const pull = defineCommand({
  usage: '--table TABLE [--url URL] [--sample ROWS] [--out FILE]',
  about: `Reads a sample of a table and generates a TypeScript module of entities: families with
their garbage collection rules, key segments with their encodings, typed columns, and probable
messages of packed values, each with its evidence in a comment. The module compiles and reads the
rows of the sample; change its names as you like. The database is not changed.`,
  options,
  async run({ values }, context) {
    const { table, url, count, out } = await readOptions(values, context);
    const engine = await openStored(url);
    const { module, rows, unread } = await generateModule(engine, table, count);
    const { terminal } = context;
    const { entities, source } = module;
    const summary = { table, rows, entities, unread: unread.length };
    if (out === undefined) {
      if (!terminal.json) terminal.write(source);
      terminal.printJson({ ...summary, source });
    } else {
      const after = Buffer.from(source);
      const path = basename(out);
      writeChanges(dirname(out), [{ path, state: 'missing', before: undefined, after }]);
      terminal.printJson({ ...summary, file: out });
      terminal.print(`${entities.join(', ')} in ${shortPath(out)}, from ${countText(rows, 'row')}`);
    }
    if (unread.length === 0) return exit.ok;
    terminal.note(
      `rowsmith: ${countText(unread.length, 'row')} skipped, ` +
        `with keys in no supported format, for example ${unread[0]}`,
    );
    return exit.partial;
  },
});

interface Options {
  readonly table: string;
  readonly url: string;
  readonly count: number;
  /** Absolute. */
  readonly out: string | undefined;
}

async function readOptions(
  values: OptionValues<typeof options>,
  context: CommandContext,
): Promise<Options> {
  const { table = '', sample = String(defaultSample), out } = values;
  if (table === '') throw new UsageError('no table is named: give --table TABLE');
  if (!/^[1-9]\d{0,6}$/.test(sample))
    throw new UsageError(`--sample takes a number from 1 to 9,999,999, not '${sample}'`);
  const file = newFile(context.folder, out);
  return { table, url: await readUrl(values.url, context), count: Number(sample), out: file };
}

function newFile(folder: string, out: string | undefined): string | undefined {
  if (out === undefined) return undefined;
  if (out === '') throw new UsageError('--out needs a file');
  const file = resolve(folder, out);
  if (!existsSync(file)) return file;
  throw new RowsmithError('FILE_FAILED', {
    file,
    problem: 'it exists already',
    fix: 'name a new file; nothing was written',
  });
}

/** The config is needed only without `--url`. */
async function readUrl(url: string | undefined, context: CommandContext): Promise<string> {
  if (url !== undefined) return absoluteUrl(url, context.folder);
  const project = await loadProject(context);
  return databaseUrl(project, undefined, context.folder);
}

interface Generated {
  readonly module: EntityModule;
  /** Rows of the sample. */
  readonly rows: number;
  /** Keys that match no supported key format, printable. */
  readonly unread: readonly string[];
}

async function generateModule(engine: Engine, table: string, count: number): Promise<Generated> {
  try {
    const sample = await sampleTable(engine, table, count);
    const { guesses, unread } = guessKeys(sample.rows);
    if (guesses.length === 0)
      throw new RowsmithError('FAILED_PRECONDITION', {
        table,
        problem:
          sample.rows.length === 0
            ? 'the table has no rows from which entities could be guessed'
            : `keys such as ${printable(sample.rows[0].key)} match no supported key format`,
        fix: 'declare the entity by hand: docs/guide/keys.md; db.engine reads rows without an entity',
      });
    const entities = guesses.map((guess) => guessEntity(guess, sample.table));
    return {
      module: entityModule(sample, entities, unread),
      rows: sample.rows.length,
      unread: unread.map(({ key }) => printable(key)),
    };
  } finally {
    await engine.close();
  }
}
