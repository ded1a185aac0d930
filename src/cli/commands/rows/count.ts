/** `rowsmith count`: the number of rows that a read finds. */
import { defineCommand, exit } from '../../command.js';
import { loadProject } from '../../project/load-project.js';
import { pickOptions, readArguments, readCall } from './input/read-call.js';
import { rangeQuery } from './input/read-query.js';
import { findEntity, openSession } from './session.js';

const usage = 'rowsmith count ENTITY [SEGMENT=VALUE...]';
const options = pickOptions(
  'from',
  'to',
  'starts',
  'under',
  'where',
  'limit',
  'index',
  'as-of',
  'url',
);

/** The command. */
export const count = defineCommand({
  usage: 'ENTITY [PATTERN] [SEGMENT=VALUE...] [options]',
  about: `Prints the number of rows that \`rowsmith scan\` finds with the same arguments. Reads the keys
of all of them. With --json: {"entity": ..., "count": ...}.`,
  arguments: readArguments,
  options,
  async run(input, context) {
    const call = readCall(input);
    const project = await loadProject(context);
    const model = findEntity(project, call.entity, usage);
    const { db } = await openSession(project, context, { url: call.url });
    await using _ = db;
    const rows = await rangeQuery(db, model, call).count();
    context.terminal.printJson({ entity: model.name, count: rows });
    context.terminal.print(String(rows));
    return exit.ok;
  },
});
