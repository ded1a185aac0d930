/** Names that the commands use themselves, and what `open` prints for programs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../../src/index.js';
import { command } from '../../support/command.js';
import { Names, Tally } from './names.js';

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-names-'));
  writeFileSync(
    join(folder, 'rowsmith.config.cjs'),
    `const { Names, Tally } = require(${JSON.stringify(join(__dirname, 'names.ts'))});
module.exports = { entities: [Names, Tally], url: 'file:./data' };`,
  );
  const db = await open(`file:${folder}/data`, { entities: [Names, Tally] });
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

describe('entries of column maps', () => {
  const patch = async (...words: string[]) => {
    const { status, out, err } = await command(folder, ['patch', 'Tally', 'id=a', ...words]);
    return status === 0 ? (JSON.parse(out) as { readonly changes: unknown }).changes : err;
  };
  const stored = async () =>
    JSON.parse((await command(folder, ['get', 'Tally', 'id=a'])).out) as unknown;

  test('keys that are numbers are set and deleted', async () => {
    await patch('byHour:={"3":1.5,"4":2}', '--create', '--yes');
    expect(await patch('byHour:={"3":null,"5":3}', '--yes')).toEqual([
      { property: 'byHour', before: { 3: 1.5, 4: 2 }, after: { 4: 2, 5: 3 } },
    ]);
    expect(await stored()).toEqual({ id: 'a', byHour: { 4: 2, 5: 3 } });
    expect(await patch('byHour:={"03":null}', '--yes')).toContain('03');
  });

  test('amounts are added to entries', async () => {
    expect(await patch('clicks+={"a":2,"b":"3"}', '--yes')).toEqual([
      { property: 'clicks', after: { a: '+2', b: '+3' } },
    ]);
    await patch('clicks+={"a":-1}', '--yes');
    expect(await patch('views+={"x":4}', '--yes')).toEqual([
      { property: 'views', after: { x: '+4' } },
    ]);
    await patch('views+={"x":1}', '--yes');
    await patch('views+={"x":1,"y":1}', 'byHour:={"4":1}', '--yes');
    expect(await stored()).toMatchObject({
      clicks: { a: '1', b: '3' },
      views: { x: '6', y: '1' },
      byHour: { 4: 1 },
    });
  });

  test.each([
    ['clicks+=1', 'each entry has an amount'],
    ['clicks+={}', 'there is no entry'],
    ['clicks+={"a":1.5}', 'an amount is a whole number'],
    ['clicks+={"a"', 'it is not JSON'],
    ['byHour+={"3":1}', 'only counters take +='],
    ['clicks+={"x":1} byHour:={"4":1}', 'cannot be written in one request with other columns'],
  ])('%s', async (words, text) => {
    const before = await stored();
    expect(await patch(...words.split(' '), '--yes')).toContain(text);
    expect(await stored()).toEqual(before);
  });

  test('put says how to add', async () => {
    const args = ['put', 'Tally', 'id=a', 'byHour:={"4":2}', 'views:={"x":"9"}', '--yes'];
    expect((await command(folder, args)).err).toContain(`views+='{"entry": AMOUNT}'`);
  });
});

describe('commands do not warn as open() does in programs: rowsmith lint reports it', () => {
  const environment = process.env.NODE_ENV;
  let emitted: jest.SpyInstance;
  beforeEach(() => {
    // Jest gives tests a separate process object, on which `warning` events do not arrive.
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
