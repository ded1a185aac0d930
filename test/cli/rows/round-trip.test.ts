/** What the commands print, they also take: keys in every form, and rows with every kind of value. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../../src/index.js';
import { buildModel, entityJson } from '../../../src/entities/model/index.js';
import { openOverOurServer } from '../../engines/bigtable/live-backends.js';
import { Binary, Spread } from '../../entities/repository/support/entities.js';
import { command } from '../../support/command.js';
import fc from '../../support/fast-check.js';
import { entities as fixtures } from '../../fixtures/entities.js';
import { Everything, instances } from '../../tools/transfer/everything.js';

const url = 'bigtable://p/instance-1';
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-trip-'));
  const modules = [
    '../../tools/transfer/everything',
    '../../entities/repository/support/entities',
    '../../fixtures/entities',
  ];
  const [first, support, stored] = modules.map(
    (name) => `require(${JSON.stringify(join(__dirname, `${name}.ts`))})`,
  );
  writeFileSync(
    join(folder, 'rowsmith.config.cjs'),
    `const { Everything } = ${first}, { Spread, Binary } = ${support};
const { text, delimited } = ${stored}.entities;
module.exports = { entities: [Everything, Spread, Binary, text, delimited], url: '${url}' };`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(args: readonly string[], input?: string): Promise<string> {
  const { status, out, err } = await command(folder, args, { input });
  expect({ status, err: err === 'the row has these values already\n' ? '' : err }).toEqual({
    status: 0,
    err: '',
  });
  return out;
}

type Json = Readonly<Record<string, unknown>>;

/** Encodes a key in JSON form and decodes it again, in all forms. */
async function checkKey(entity: string, names: readonly string[], row: Json): Promise<void> {
  const key = Object.fromEntries(names.map((name) => [name, row[name]]));
  const encoded = JSON.parse(await run(['keys', 'encode', entity, JSON.stringify(row)])) as Json;
  const terms = names.map((name) => {
    if (key[name] === null) return `${name}:=null`;
    return `${name}=${String(key[name])}`;
  });
  expect(JSON.parse(await run(['keys', 'encode', entity, ...terms]))).toEqual(encoded);
  for (const form of ['hex', 'text', 'base64']) {
    const args = ['keys', 'decode', '--as', form, '--', String(encoded[form]), entity];
    const [decoded] = (await run(args)).trim().split('\n');
    expect(JSON.parse(decoded)).toMatchObject({ entity, key });
  }
}

const fixture = (name: string): readonly Json[] =>
  readFileSync(join(__dirname, `../../fixtures/v0.1/${name}.values.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

test('keys encode prints one form on request', async () => {
  const terms = [
    'Everything',
    JSON.stringify(jsonOf(fc.sample(instances, { numRuns: 1, seed: 1 })[0])),
  ];
  const forms = JSON.parse(await run(['keys', 'encode', ...terms])) as Json;
  for (const form of ['hex', 'text', 'base64'])
    expect(await run(['keys', 'encode', '--as', form, ...terms])).toBe(`${String(forms[form])}\n`);
});

const everything = buildModel(Everything as never);
const jsonOf = (entity: object): Json => entityJson(everything).format(entity);
const namesOf = (entity: unknown): readonly string[] => buildModel(entity as never).key.names;
const name = fc.string({ unit: 'grapheme', maxLength: 9 });

test.each([
  ['Everything', namesOf(Everything), instances.map(jsonOf)],
  ['Spread', namesOf(Spread), fc.record({ tenant: name, device: name, n: fc.nat(9999) })],
  [
    'Binary',
    namesOf(Binary),
    fc.record({
      tenant: name,
      id: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    }),
  ],
  ['Text', namesOf(fixtures.text), fc.constantFrom(...fixture('text'))],
  ['Plain', namesOf(fixtures.delimited), fc.constantFrom(...fixture('delimited'))],
] as readonly [string, readonly string[], fc.Arbitrary<Json>][])(
  'keys of %s',
  async (entity, names, rows) => {
    await fc.assert(
      fc.asyncProperty(rows, (row) => checkKey(entity, names, row)),
      { numRuns: Number(process.env.RUNS ?? 5) },
    );
  },
  120_000,
);

test('put of what get prints changes nothing, and put of a row stores it', async () => {
  const server = await openOverOurServer();
  process.env.BIGTABLE_EMULATOR_HOST = server.address;
  const db = await open(url, { entities: [Everything] });
  await db.admin.apply();
  const repository = db.repository(Everything) as unknown as {
    save(row: object): Promise<void>;
  };
  const cells = (json: string) => run(['get', 'Everything', json, '--raw']);
  await fc.assert(
    fc.asyncProperty(instances, async (row) => {
      await repository.save(row);
      const json = JSON.stringify(jsonOf(row));
      const printed = await run(['get', 'Everything', json]);
      const before = await cells(json);
      const put = await run(['put', 'Everything', '-', '--yes'], printed);
      expect(JSON.parse(put)).toMatchObject({ changes: [], written: false });
      expect(await cells(json)).toBe(before);
      await run(['delete', 'Everything', json, '--yes']);
      await run(['put', 'Everything', printed, '--yes']);
      expect(await run(['get', 'Everything', json])).toBe(printed);
    }),
    { numRuns: Number(process.env.RUNS ?? 4) },
  );
  await db.close();
  delete process.env.BIGTABLE_EMULATOR_HOST;
  await server.close();
});
