/** `rowsmith verify`: reads all files of a database on disk. */
import { bytesText, countText } from '../../../base/index.js';
import { defineCommand, urlOption } from '../../command.js';
import { urlOf } from '../database.js';
import { verifyDatabase } from './copy-database.js';

/** The command. */
export const command = defineCommand({
  usage: '[--url URL]',
  about: `Reads all files of a file: database, and fails with the name of one that is damaged. Reads
of a program verify what they read in any case. Another program may have the database open.`,
  options: { url: urlOption },
  examples: [
    ['verify', 'the database of the config'],
    ['verify --url file:./copy', 'a backup'],
  ],
  exits: { failed: 'a file is damaged' },
  json: '{ url: string, tables: number, bytes: number }',
  async run({ values }, context) {
    const { terminal } = context;
    const url = await urlOf(values.url, context);
    const { tables, bytes } = await verifyDatabase(url, terminal);
    terminal.printJson({ url, tables, bytes });
    terminal.print(`${countText(tables, 'file')}, ${bytesText(bytes)}: intact`);
  },
});
