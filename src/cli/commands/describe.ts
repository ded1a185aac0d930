/** `rowsmith describe`: prints what the entities store, and where. */
import { suggestionText } from '../../base/index.js';
import { describeEntity, type EntityClass, entityName } from '../../entities/model/index.js';
import { defineCommand, exit, UsageError } from '../command.js';
import { loadProject } from '../project/load-project.js';

/** The command. */
export const describe = defineCommand({
  usage: '[ENTITY...]',
  about: `Prints tables, families, key segments with their encodings, columns, messages and access
patterns of the named entities, or of all entities of the project. With --json: one document, a list
of entities.`,
  arguments: [{ name: 'ENTITY', repeatable: true, kind: 'entity' }],
  async run({ positionals }, { terminal, ...context }) {
    const { entities } = await loadProject(context);
    const descriptions = chosenEntities(entities, positionals).map(describeEntity);
    terminal.printJson(descriptions);
    const text = descriptions.map(String).join('\n\n');
    // Headings are the lines that are not indented.
    terminal.print(text.replace(/^\S.*$/gm, (heading) => terminal.style.bold(heading)));
    return exit.ok;
  },
});

function chosenEntities(
  entities: readonly EntityClass[],
  names: readonly string[],
): readonly EntityClass[] {
  if (names.length === 0) return entities;
  return names.map((name) => findEntity(entities, name));
}

function findEntity(entities: readonly EntityClass[], name: string): EntityClass {
  const found = entities.find((entity) => entityName(entity) === name);
  if (found !== undefined) return found;
  const names = entities.map((entity) => entityName(entity));
  throw new UsageError(
    `the project has no entity '${name}'; ${suggestionText(name, names, 'the entities are')}`,
  );
}
