/** `rowsmith pull`: a first draft of entities from a table that exists. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { printable } from '../../../bytes/index.js';
import { RowsmithError } from '../../../errors.js';
import type { Engine } from '../../../store/index.js';
import { shortPath } from '../../terminal/error-text.js';
import { writeChanges } from '../generate/write-changes.js';
import { openStored } from '../open-stored.js';
import { loadProject } from '../../project/load-project.js';
import {
  exit,
  parseOptions,
  UsageError,
  type Command,
  type CommandContext,
} from '../../command.js';
import { type Draft, draftModule } from './draft.js';
import { guessEntity } from './entity-guess.js';
import { guessKeys } from './key-guess.js';
import { sampleTable } from './sample-table.js';

const defaultSample = 1000;

const help = `Usage: rowsmith pull --table TABLE [--url URL] [--sample ROWS] [--out FILE]

Reads a sample of a table and writes a first draft of its entities: families with their garbage collection rules, key segments with their
encodings, columns with the kinds of their values, and the messages that packed values seem to be, each with the evidence beside it. The draft
compiles and reads the rows of the sample; names are yours to give. Nothing in the database is changed.

  --table TABLE      The table.
  --url URL          The database: file:./data, bigtable://project/instance. Default: the url of the project's config.
  --sample ROWS      How many rows to look at, from all over the table; default ${defaultSample}.
  --out FILE         A new file for the draft; default standard output.`;

/** The verb. */
export const pull: Command = {
  help,
  async run(args, context) {
    const { table, url, count, out } = await readOptions(args, context);
    const engine = await openStored(url);
    const { draft, rows, unread } = await drafted(engine, table, count);
    const { terminal } = context;
    if (out !== undefined)
      writeChanges(resolve(out, '..'), [
        {
          path: out.slice(resolve(out, '..').length + 1),
          state: 'missing',
          before: undefined,
          after: Buffer.from(draft.source),
        },
      ]);
    else if (!terminal.json) terminal.write(draft.source);
    terminal.data({
      table,
      rows,
      entities: draft.entities,
      unread: unread.length,
      ...(out === undefined ? { source: draft.source } : { file: out }),
    });
    if (out !== undefined)
      terminal.say(`${draft.entities.join(', ')} in ${shortPath(out)}, from ${rows} rows`);
    if (unread.length === 0) return exit.ok;
    terminal.note(
      `rowsmith: ${unread.length} rows have keys that no key format here writes, for example ${unread[0]}`,
    );
    return exit.partial;
  },
};

interface Options {
  readonly table: string;
  readonly url: string;
  readonly count: number;
  readonly out: string | undefined;
}

async function readOptions(args: readonly string[], context: CommandContext): Promise<Options> {
  const text = { type: 'string' } as const;
  const {
    table = '',
    url,
    sample = String(defaultSample),
    out,
  } = parseOptions(args, { table: text, url: text, sample: text, out: text }).values;
  if (table === '') throw new UsageError('--table names the table');
  if (!/^[1-9]\d{0,6}$/.test(sample))
    throw new UsageError(`--sample takes a number from 1 to 9,999,999, not '${sample}'`);
  if (out === '') throw new UsageError('--out needs a file');
  const file = out === undefined ? undefined : resolve(context.folder, out);
  if (file !== undefined && existsSync(file))
    throw new RowsmithError('FILE_FAILED', {
      file,
      problem: 'it is there already',
      fix: 'name a new file; nothing was written',
    });
  const configured = url ?? (await loadProject(context)).url;
  if (configured === undefined)
    throw new UsageError('neither --url nor the config says where the rows are');
  return { table, url: configured, count: Number(sample), out: file };
}

interface Drafted {
  readonly draft: Draft;
  readonly rows: number;
  /** Keys, printable. */
  readonly unread: readonly string[];
}

async function drafted(engine: Engine, table: string, count: number): Promise<Drafted> {
  try {
    const sample = await sampleTable(engine, table, count);
    const { guesses, unread } = guessKeys(sample.rows);
    if (guesses.length === 0) {
      const problem =
        sample.rows.length === 0
          ? 'the table has no rows, and entities are guessed from rows'
          : `no key format here writes keys such as ${printable(sample.rows[0].key)}`;
      throw new RowsmithError('FAILED_PRECONDITION', {
        table,
        problem,
        fix: 'declare the entity by hand: docs/guide/keys.md; rows are read in their own terms by db.engine',
      });
    }
    const entities = guesses.map((guess) => guessEntity(guess, sample.table));
    return {
      draft: draftModule(sample, entities, unread),
      rows: sample.rows.length,
      unread: unread.map(({ key }) => printable(key)),
    };
  } finally {
    await engine.close();
  }
}
