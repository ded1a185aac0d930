/** Names that the commands use themselves, and what `open` prints for programs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../../src/index.js';
import { command } from '../../support/command.js';
import { Names } from './names.js';

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-names-'));
  writeFileSync(
    join(folder, 'rowsmith.config.cjs'),
    `const { Names } = require(${JSON.stringify(join(__dirname, 'names.ts'))});
module.exports = { entities: [Names], url: 'file:./data' };`,
  );
  const db = await open(`file:${folder}/data`, { entities: [Names] });
  const names = db.repository(Names);
  for (const minute of [1, 2])
    await names.save(names.create({ rows: 'a', at: new Date(minute * 60_000), value: 'x' }));
  await db.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a segment that is called rows', async () => {
  const terminal = { isTTY: true, env: { NO_COLOR: '1' } };
  expect((await command(folder, ['ls', 'Names'], terminal)).out).toBe('rows  rows\na     2\n');
  expect((await command(folder, ['ls', 'Names'])).out).toBe(
    '{"segment":"rows","value":"a","rows":2,"more":false}\n',
  );
});

test('spaces between the names of --select', async () => {
  const { out } = await command(folder, ['scan', 'Names', '--select', 'rows, value', '--limit=1']);
  expect(JSON.parse(out)).toMatchObject({ rows: 'a', value: 'x' });
});

describe('commands do not warn as open() does in programs: rowsmith lint reports it', () => {
  const environment = process.env.NODE_ENV;
  let emitted: jest.SpyInstance;
  beforeEach(() => {
    // Jest gives tests a process object of their own, on which `warning` events do not arrive.
    emitted = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    delete (process as never as Record<symbol, unknown>)[Symbol.for('rowsmith.lintWarned')];
    process.env.NODE_ENV = 'development';
  });
  afterEach(() => {
    emitted.mockRestore();
    process.env.NODE_ENV = environment;
  });

  test('the entity has a finding', async () => {
    const db = await open('memory:', { entities: [Names] });
    await db.close();
    expect(emitted).toHaveBeenCalled();
  });

  test.each(['scan Names', 'ls', 'explain Names', 'explain Names --url file:./none'])(
    '%s',
    async (line) => {
      expect(await command(folder, line.split(' '))).toMatchObject({ status: 0 });
      expect(emitted).not.toHaveBeenCalled();
    },
  );
});
