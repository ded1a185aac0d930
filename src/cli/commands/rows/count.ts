/** `rowsmith count`: the number of rows that a read finds. */
import { defineCommand } from '../../command.js';
import { openForRows } from '../database.js';
import { loadRead, pickOptions, rangeNames, readArguments } from './input/read-call.js';
import { rangeQuery } from './input/read-query.js';
import { LeftOutRows, leftOutShape, noteLeftOut, placeOf } from './undecodable/left-out.js';

/** The command. */
export const command = defineCommand({
  usage: 'ENTITY [PATTERN] [SEGMENT=VALUE...] [options]',
  about: `Prints the number of rows that \`rowsmith scan\` finds with the same arguments, by reading
their keys.`,
  arguments: readArguments,
  options: pickOptions(...rangeNames, 'limit', 'index', 'as-of', 'url'),
  examples: [
    ['count Order', 'all orders'],
    ['count Order shop=oslo --where status=open', 'the open orders of a shop'],
  ],
  exits: { partial: 'rows were not counted, with keys that no entity decodes' },
  json: `{ entity: string, count: number, undecodable?: ${leftOutShape} }`,
  async run(input, context) {
    const { call, project, model } = await loadRead(input, context);
    const { terminal } = context;
    const leftOut = new LeftOutRows(project);
    const { onForeignRow } = leftOut;
    await using db = await openForRows(project, call.url, context, { onForeignRow });
    const rows = await rangeQuery(db, model, call).count();
    const undecodable = await leftOut.find(db.engine, placeOf(model, call));
    terminal.printJson({ entity: model.name, count: rows, undecodable });
    terminal.print(String(rows));
    noteLeftOut(terminal, undecodable, model);
    return leftOut.isPartial ? 'partial' : undefined;
  },
});
