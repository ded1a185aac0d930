/** `rowsmith pull`: generates entities from an existing table. */
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Engine } from '../../../data/store/index.js';
import { countText, RowsmithError, type FaultTexts } from '../../../base/index.js';
import { count, defineCommand, text, urlOption, UsageError, withDefault } from '../../command.js';
import { shortPath } from '../../terminal/error-text.js';
import { openStored, urlOf } from '../database.js';
import { writeChanges } from '../../../tools/output/index.js';
import { type GeneratedModule, pullEntities } from '../../../tools/pull/index.js';

const options = {
  table: text('TABLE', 'The table', 'table'),
  url: urlOption,
  sample: withDefault(
    count('ROWS', 'Rows to read, from all parts of the table', { max: 9_999_999 }),
    1_000,
  ),
  out: text('FILE', 'New file for the module. Default: standard output', 'file'),
};

/** The command. */
export const command = defineCommand({
  usage: '--table TABLE [--url URL] [--sample ROWS] [--out FILE]',
  about: `Reads a sample of a table and generates a TypeScript module of entities: families with
their rules, key segments, typed columns, and probable messages, each with its evidence in a
comment. The module compiles and reads the sample; change its names as you like.`,
  options,
  examples: [
    ['pull --table orders --out src/orders.ts', 'of the database of the config'],
    ['pull --table orders --url bigtable://project/instance', 'of a live instance'],
  ],
  exits: { partial: 'rows were skipped, with keys in no supported format' },
  json: {
    '': '{ table: string, rows: number, entities: string[], unread: number, source: string }',
    '--out': '{ table: string, rows: number, entities: string[], unread: number, file: string }',
  },
  async run({ values }, context) {
    const { table = '' } = values;
    if (table === '') throw new UsageError(faults.noTable);
    const out = newFile(context.folder, values.out);
    const engine = await openStored(await urlOf(values.url, context));
    const { module, rows, unread } = await pullAndClose(engine, table, values.sample);
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
    if (unread.length === 0) return undefined;
    terminal.note(
      `rowsmith: ${countText(unread.length, 'row')} skipped, ` +
        `with keys in no supported format, for example ${unread[0]}`,
    );
    return 'partial';
  },
});

async function pullAndClose(
  engine: Engine,
  table: string,
  sample: number,
): Promise<GeneratedModule> {
  try {
    return await pullEntities(engine, table, sample);
  } finally {
    await engine.close();
  }
}

function newFile(folder: string, out: string | undefined): string | undefined {
  if (out === undefined) return undefined;
  const file = resolve(folder, out);
  if (!existsSync(file)) return file;
  throw new RowsmithError('FILE_FAILED', {
    file,
    ...faults.existingFile,
  });
}

const faults = {
  noTable: { problem: 'no table is named', fix: 'give --table TABLE' },
  existingFile: { problem: 'it exists already', fix: 'name a new file; nothing was written' },
} satisfies FaultTexts;
