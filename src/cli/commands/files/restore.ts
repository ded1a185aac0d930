/** `rowsmith restore`: copies a backup to where a database was. */
import { bytesText } from '../../../base/index.js';
import { directoryUrl } from '../../../engines/index.js';
import { defineCommand } from '../../command.js';
import { copyDatabase, directoryOf } from './copy-database.js';

/** The command. */
export const command = defineCommand({
  usage: 'BACKUP DIRECTORY',
  about: `Copies a backup to a directory that is empty or does not exist, and verifies the copy. A
damaged database is moved away first: nothing is overwritten.`,
  arguments: [
    { name: 'BACKUP', kind: 'directory' },
    { name: 'DIRECTORY', kind: 'directory' },
  ],
  examples: [
    ['restore ./copy ./data', 'a database from its backup'],
    ['restore ./copy ./restored --json', 'for scripts'],
  ],
  json: '{ backup: string, directory: string, tables: number, bytes: number }',
  async run({ positionals }, { terminal, folder }) {
    const [backup, directory] = [0, 1].map((index) => directoryOf(folder, positionals[index]));
    const { tables, bytes } = await copyDatabase(directoryUrl(backup), directory, terminal);
    terminal.printJson({ backup, directory, tables, bytes });
    terminal.print(`${bytesText(bytes)} restored and verified: ${directory}`);
  },
});
