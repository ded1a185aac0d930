/** `rowsmith import`: rows from JSON Lines or CSV. */
import { resolve } from 'node:path';
import { importRows, importStateFile } from '../../transfer/index.js';
import { shortPath } from '../terminal/error-text.js';
import { loadProject } from '../project/load-project.js';
import { countOf, formatOf, modelNamed, openDatabase, resumable } from './row-command.js';
import { exit, parseOptions, UsageError, type Command } from '../command.js';

const help = `Usage: rowsmith import ENTITY [FILE] [options]

Writes a row for each line. Without a FILE, or with -, from standard input. A line sets the cells it names and leaves others as they are. Bad lines go to a
side file with their numbers and reasons, and do not stop the rest: exit code 4. docs/guide/import-export.md says how values are spelled.

  --format FORMAT    jsonl or csv; default: what the name of the file says (.jsonl, .ndjson, .csv)
  --gzip             The input is compressed; so is a file whose name ends with .gz
  --rejects FILE     Where bad lines go; default: FILE.rejects.jsonl beside the input
  --max-rejects N    Stop when more than N lines are bad
  --resume           Go on where an import of this file was stopped
  --ignore-unknown   Pass over names that are no properties
  --no-validate      Do not check class-validator's rules
  --url URL          The database; default: that of the config`;

/** The verb. */
export const importCommand: Command = {
  help,
  async run(args, { terminal, ...context }) {
    const text = { type: 'string' } as const;
    const flag = { type: 'boolean' } as const;
    const { values, positionals } = parseOptions(
      args,
      {
        format: text,
        gzip: flag,
        rejects: text,
        'max-rejects': text,
        resume: flag,
        'ignore-unknown': flag,
        'no-validate': flag,
        url: text,
      },
      true,
    );
    const [name, file = '-', ...more] = positionals;
    if (more.length > 0)
      throw new UsageError(`import reads one file, and got '${more[0]}' as well`);
    if (file === '-' && values.resume === true)
      throw new UsageError('--resume needs a file: standard input cannot be read again');
    const input = file === '-' ? process.stdin : resolve(context.folder, file);
    const rejects =
      values.rejects === undefined
        ? typeof input === 'string'
          ? `${input}.rejects.jsonl`
          : undefined
        : resolve(context.folder, values.rejects);
    const maxRejected =
      values['max-rejects'] === '0' ? 0 : countOf('max-rejects', values['max-rejects']);
    const form = formatOf(file, values.format, values.gzip);
    const project = await loadProject(context);
    const model = modelNamed(project, name);
    await using db = await openDatabase(project, values.url, context.folder);
    const progress = terminal.progress(model.name);
    const state = typeof input === 'string' ? importStateFile(input) : undefined;
    let earlier = 0;
    try {
      const result = await resumable(
        {
          terminal,
          state,
          unless: 'FILE_FAILED',
          advice: 'What is written so far is kept: with --resume the import goes on there.',
        },
        (signal) =>
          importRows(db.engine, model, input, {
            ...form,
            rejects,
            maxRejected,
            resume: values.resume ?? false,
            ignoreUnknown: values['ignore-unknown'] ?? false,
            validate: values['no-validate'] !== true,
            signal,
            onProgress: ({ written, earlier: before, share }) => {
              earlier = before;
              progress.update(written, { share, earlier });
            },
          }),
      );
      progress.done(result.written, earlier);
      terminal.data({
        entity: model.name,
        file,
        ...form,
        ...result,
        ...(result.rejected > 0 ? { rejects } : {}),
      });
      if (result.rejected === 0) return exit.ok;
      terminal.note(
        `${result.rejected === 1 ? '1 line is' : `${result.rejected} lines are`} bad${rejects === undefined ? '' : `; see ${shortPath(rejects)}`}:`,
      );
      for (const { reason, lines } of result.reasons.slice(0, 10))
        terminal.note(`  ${lines} x ${reason}`);
      return exit.partial;
    } catch (error) {
      progress.clear();
      throw error;
    }
  },
};
