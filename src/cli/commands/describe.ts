/** `rowsmith describe`: prints what the entities store, and where. */
import { describeEntity } from '../../entities/model/index.js';
import { defineCommand } from '../command.js';
import { loadProject } from '../project/load-project.js';
import { findEntities } from './entity.js';

/** The command. */
export const command = defineCommand({
  usage: '[ENTITY...]',
  about: `Prints tables, families, key segments with their encodings, columns, messages and access
patterns of the named entities, or of all.`,
  arguments: [{ name: 'ENTITY', repeatable: true, kind: 'entity' }],
  examples: [
    ['describe', 'all entities of the project'],
    ['describe Order', 'one of them'],
  ],
  json: 'EntityDescription[]',
  async run({ positionals }, { terminal, usage, ...context }) {
    const project = await loadProject(context);
    const models = findEntities(project, positionals, usage);
    const descriptions = models.map(({ entityClass }) => describeEntity(entityClass));
    terminal.printJson(descriptions);
    const text = descriptions.map(String).join('\n\n');
    // Headings are the lines that are not indented.
    terminal.print(text.replace(/^\S.*$/gm, (heading) => terminal.style.bold(heading)));
  },
});
