/** `rowsmith studio`: a page over a database, until a signal stops it. */
import { isRowsmithError, RowsmithError, type FaultTexts } from '../../../base/index.js';
import type { Studio, StudioOptions } from '../../../tools/studio/index.js';
import { count, defineCommand, flag, text, urlOption } from '../../command.js';
import { inputFile } from '../../files.js';
import { loadProject } from '../../project/load-project.js';
import { checkStored, patience, storedUrl } from '../database.js';
import { assertReachable } from '../reachable.js';
import { declaredSchema } from '../schema/declared-schema.js';
import { stopSignal } from '../stop-signal.js';
import { openBrowser } from './open-browser.js';

/** A port that links can keep; if it is taken, any free one will do. */
const usualPort = 8087;

const options = {
  write: flag(
    'Rows can be changed. A database on disk must not be open elsewhere; without the option it may be',
  ),
  port: count(
    'PORT',
    `A port of this machine; 0 takes any free one. Default: ${usualPort}, or any`,
    {
      min: 0,
      max: 65_535,
    },
  ),
  'no-open': flag('Only print the link'),
  recording: text('FILE', 'A recording of accesses, drawn while it is written', 'file'),
  url: urlOption,
};

/** The command. */
export const command = defineCommand({
  usage: '[options]',
  about: `Serves a page that shows tables, rows, plans and findings of the project's database, and
opens it in the browser. Only this machine reaches it, with the link that is printed; whoever has
the link can do what the page can. SIGTERM, Ctrl-C and closing the terminal end it.`,
  options,
  examples: [
    ['studio', 'the database of the config, to look at'],
    ['studio --write --port 9000', 'rows can be changed'],
    ['studio --no-open --recording access.heat', 'with heat maps; prints the link'],
  ],
  json: '{ url: string, port: number, link: string, write: boolean }',
  async run({ values }, context) {
    const { terminal, folder } = context;
    const project = await loadProject(context);
    const url = storedUrl(project, values.url, folder);
    checkStored(url);
    await assertReachable(url);
    const recording =
      values.recording === undefined ? undefined : inputFile(folder, values.recording);
    const { write, port } = values;
    const studio = await start(url, port, {
      entities: [
        ...project.entities,
        ...project.views.map(({ entityClass }) => entityClass as never),
      ],
      write,
      lint: project.lint,
      declared: declaredSchema(project, url),
      recording,
      workloads: project.workloads,
      bigtable: patience,
    });
    const stopped = stopSignal(['SIGTERM', 'SIGINT', 'SIGHUP']);
    terminal.printJson({ url, port: studio.port, link: studio.link, write });
    terminal.print(`Studio of ${url}${write ? ', which it can change' : ''}:`);
    terminal.print(studio.link);
    if (terminal.isForPeople && !values.noOpen) openBrowser(studio.linkForOnce());
    terminal.print(`${await stopped}: closing.`);
    await studio.close();
  },
});

/** Starts at the port that was given, or at the usual one if it is free. */
async function start(
  url: string,
  port: number | undefined,
  options: Omit<StudioOptions, 'port'>,
): Promise<Studio> {
  // Imported here: help needs none of it.
  const { startStudio } = await import('../../../tools/studio/index.js');
  try {
    return await startStudio(url, { ...options, port: port ?? usualPort });
  } catch (error) {
    if (isRowsmithError(error)) throw ownerError(error);
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    if (port === undefined) return startStudio(url, { ...options, port: 0 });
    throw new RowsmithError('FAILED_PRECONDITION', faults.takenPort(port, code), { cause: error });
  }
}

/** Beside the owner of a database, the studio can only read. */
function ownerError(error: RowsmithError): RowsmithError {
  if (error.code !== 'DATABASE_IN_USE') return error;
  const details = { ...error.details, fix: faults.besideOwner.fix };
  return new RowsmithError(error.code, details, { cause: error.cause });
}

const faults = {
  takenPort: (port: number, code: string) => ({
    problem: `port ${port} cannot be used (${code})`,
    fix: 'give another one with --port; 0 takes any free one',
  }),
  besideOwner: {
    problem: 'another program has the database open',
    fix: 'end that program, or leave out --write to read beside it',
  },
} satisfies FaultTexts;
