/** `rowsmith count`: the number of rows that a read finds. */
import { defineCommand } from '../../command.js';
import { openForRows } from '../database.js';
import { loadRead, pickOptions, rangeNames, readArguments } from './input/read-call.js';
import { rangeQuery } from './input/read-query.js';

/** The command. */
export const command = defineCommand({
  usage: 'ENTITY [PATTERN] [SEGMENT=VALUE...] [options]',
  about: `Prints the number of rows that \`rowsmith scan\` finds with the same arguments. Reads the keys
of all of them.`,
  arguments: readArguments,
  options: pickOptions(...rangeNames, 'limit', 'index', 'as-of', 'url'),
  examples: [['count Order shop=oslo --where status=open', 'the open orders of a shop']],
  json: '{ entity: string, count: number }',
  async run(input, context) {
    const { call, project, model } = await loadRead(input, context);
    await using db = await openForRows(project, call.url, context);
    const rows = await rangeQuery(db, model, call).count();
    context.terminal.printJson({ entity: model.name, count: rows });
    context.terminal.print(String(rows));
  },
});
