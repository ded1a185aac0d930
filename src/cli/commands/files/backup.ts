/** `rowsmith backup`: copies a database on disk. */
import { bytesText } from '../../../base/index.js';
import { defineCommand, urlOption } from '../../command.js';
import { urlOf } from '../database.js';
import { copyDatabase, directoryOf } from './copy-database.js';

/** The command. */
export const command = defineCommand({
  usage: 'DIRECTORY [--url URL]',
  about: `Copies a file: database to a directory that is empty or does not exist, as it is at one
moment, and verifies the copy, which can be opened like any database. Another program may have the
database open and write to it meanwhile.`,
  arguments: [{ name: 'DIRECTORY', kind: 'directory' }],
  options: { url: urlOption },
  examples: [
    ['backup ./copy', 'the database of the config'],
    ['backup ./copy --url file:./data', 'another database'],
  ],
  json: '{ url: string, directory: string, tables: number, bytes: number }',
  async run({ values, positionals }, context) {
    const { terminal } = context;
    const directory = directoryOf(context.folder, positionals[0]);
    const url = await urlOf(values.url, context);
    const { tables, bytes } = await copyDatabase(url, directory, terminal);
    terminal.printJson({ url, directory, tables, bytes });
    terminal.print(`${bytesText(bytes)} copied and verified: ${directory}`);
  },
});
