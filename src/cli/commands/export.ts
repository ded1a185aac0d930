/** `rowsmith export`: the rows of an entity as JSON Lines or CSV. */
import { resolve } from 'node:path';
import { exportRows, exportStateFile } from '../../transfer/index.js';
import { loadProject } from '../project/load-project.js';
import { formatOf, modelNamed, openDatabase, resumable } from './row-command.js';
import { exit, parseOptions, UsageError, type Command } from '../command.js';

const help = `Usage: rowsmith export ENTITY [FILE] [options]

Writes every row of the entity: a line each, keys and columns by name. Without a FILE, or with -, to standard output. A file takes its place when all is
written; until then it is noted beside it how far the export is. What is exported is imported as it was, timestamps and older versions too.
docs/guide/import-export.md says how values are spelled.

  --format FORMAT    jsonl or csv; default: what the name of the file says (.jsonl, .ndjson, .csv)
  --gzip             Compress; so does a name that ends with .gz
  --plain            Values only, without timestamps and older versions: for other programs
  --resume           Go on where an export into this file was stopped, with the same options
  --url URL          The database; default: that of the config`;

/** The verb. */
export const exportCommand: Command = {
  help,
  async run(args, { terminal, ...context }) {
    const text = { type: 'string' } as const;
    const flag = { type: 'boolean' } as const;
    const { values, positionals } = parseOptions(
      args,
      { format: text, gzip: flag, plain: flag, resume: flag, url: text },
      true,
    );
    const [name, file = '-', ...more] = positionals;
    if (more.length > 0)
      throw new UsageError(`export writes one file, and got '${more[0]}' as well`);
    if (file === '-' && values.resume === true)
      throw new UsageError(
        '--resume needs a file: nobody knows how much of standard output arrived',
      );
    if (file === '-' && terminal.json)
      throw new UsageError('--json and rows on standard output exclude each other: name a file');
    const { format, gzip } = formatOf(
      file,
      values.format ?? (file === '-' ? 'jsonl' : undefined),
      values.gzip,
    );
    const project = await loadProject(context);
    const model = modelNamed(project, name);
    await using db = await openDatabase(project, values.url, context.folder, { stored: true });
    const progress = terminal.progress(model.name);
    const target = file === '-' ? process.stdout : resolve(context.folder, file);
    const state = typeof target === 'string' ? exportStateFile(target) : undefined;
    try {
      const result = await resumable(
        {
          terminal,
          state,
          advice: 'What is written so far is kept: with --resume the export goes on there.',
        },
        (signal) =>
          exportRows(db.engine, model, target, {
            format,
            gzip,
            plain: values.plain ?? false,
            resume: values.resume ?? false,
            signal,
            onProgress: ({ rows, earlier, share }) =>
              progress.update(rows, { share, earlier, estimated: true }),
          }),
      );
      progress.done(result.rows, result.resumedAfter);
      if (result.undeclaredCells > 0)
        terminal.note(
          `${result.undeclaredCells} cells that ${model.name} does not declare are not in it.`,
        );
      terminal.data({ entity: model.name, file, format, gzip, ...result });
      return exit.ok;
    } catch (error) {
      progress.clear();
      throw error;
    }
  },
};
