/** `rowsmith describe`: what the entities store, and where. */
import { nearestName } from '../../base/index.js';
import { describe as describeEntity, type EntityClass } from '../../model/index.js';
import { loadProject } from '../project/load-project.js';
import { exit, parseOptions, UsageError, type Command } from '../command.js';

const help = `Usage: rowsmith describe [ENTITY...]

Prints tables, families, key segments with their encodings, columns, messages and access patterns of the project's entities, or of
those that are named.
With --json one document: a list of entities.`;

/** The verb. */
export const describe: Command = {
  help,
  async run(args, { terminal, ...context }) {
    const { positionals } = parseOptions(args, {}, true);
    const { entities } = await loadProject(context);
    const descriptions = (
      positionals.length === 0 ? entities : positionals.map((name) => entityOf(entities, name))
    ).map(describeEntity);
    terminal.data(descriptions);
    const texts = descriptions.map(String);
    // Headings are the lines that are not indented.
    terminal.say(texts.join('\n\n').replace(/^\S.*$/gm, (heading) => terminal.style.bold(heading)));
    return exit.ok;
  },
};

function entityOf(entities: readonly EntityClass[], name: string): EntityClass {
  const found = entities.find((entity) => entity.name === name);
  if (found !== undefined) return found;
  const names = entities.map((entity) => entity.name);
  const near = nearestName(name, names);
  throw new UsageError(
    `the project has no entity '${name}'; ${near === undefined ? `it has ${names.join(', ')}` : `did you mean '${near}'?`}`,
  );
}
