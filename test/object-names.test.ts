/**
 * Names that users choose may be names that every JavaScript object inherits, such as
 * `constructor`. A lookup of such a name must not find the inherited property.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDictionary } from '../src/tools/codegen/documents/data-dictionary.js';
import { tablesOf } from '../src/tools/codegen/tables/tables.js';
import { checkKeyFile } from '../src/engines/bigtable/channel/key-file.js';
import { column, enumOf, field, packed, type RowsmithError } from '../src/index.js';
import type { EntityModel } from '../src/entities/model/index.js';
import {
  checkEvolution,
  emptyLock,
  lockOf,
  lockText,
  nextLock,
  parseLock,
  reservedOf,
} from '../src/tools/schema/index.js';
import { entity, message, modelsOf, packs } from './tools/schema/cases.js';

const inherited = ['constructor', 'toString', '__proto__'];

test.each(inherited)('the data dictionary has a custom codec of the kind %s', (kind) => {
  const codec = { kind, encode: () => new Uint8Array(), decode: () => 1 };
  const models = modelsOf([entity({ columns: { value: column('m', codec) } })]);
  expect(dataDictionary(tablesOf(models))).toContain(`| \`m:value\` | ${kind} | any |`);
});

test.each(inherited)('a key file of the type %s is left to the client library', async (type) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-key-'));
  try {
    const file = join(folder, 'key.json');
    writeFileSync(file, JSON.stringify({ type }));
    await checkKeyFile(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each(inherited)('declarations: %s is no kind and no option', (name) => {
  const options = Object.fromEntries([['kind', 'string'] as const, [name, true] as const]);
  const declared = {
    'a kind of segment': entity({ segments: { device: name } }),
    'an option of a segment': entity({ segments: { device: options } }),
    'a kind of column': entity({ columns: { value: column('m', name as 'double') } }),
    'a kind of field': packs({ a: field(1, name as 'string') }),
  };
  for (const [what, each] of Object.entries(declared)) {
    let thrown: unknown;
    try {
      modelsOf([each]);
    } catch (error) {
      thrown = error;
    }
    const { code, details } = thrown as RowsmithError;
    expect([what, code]).toEqual([what, 'INVALID_DECLARATION']);
    expect([what, details.faults?.[0].problem]).toEqual([what, expect.stringContaining(name)]);
  }
});

describe.each(inherited)('the lock file: %s', (name) => {
  /** An entity with a table, family and message of the name, and an enum of these members. */
  function release(members: readonly string[]): readonly EntityModel[] {
    const values = Object.fromEntries(members.map((member, i) => [member, i]));
    const packedMessage = message({ mode: field(1, enumOf(values, 'test.Mode')) }, name);
    const families = Object.fromEntries([[name, {}]]);
    const columns = { value: packed(name, () => packedMessage) };
    return modelsOf([entity({ table: name, families, columns })]);
  }

  test('is a table, a family and a message', () => {
    const models = release(['UNKNOWN']);
    const lock = lockOf(models);
    expect(Object.keys(lock.tables)).toEqual([name]);
    expect(Object.entries(lock.tables[name].families)).toEqual([[name, 'plain']]);
    expect(Object.keys(lock.messages)).toEqual([name]);
    const text = lockText(nextLock(emptyLock, models));
    expect(lockText(parseLock(text, 'rowsmith.lock.json'))).toBe(text);
    expect(text).toContain(JSON.stringify(name));
  });

  test('is new in a lock without it', () => {
    expect(reservedOf(emptyLock, name)).toEqual({ numbers: [], names: [] });
    const added = checkEvolution(emptyLock, release(['UNKNOWN'])).map(({ rule }) => rule);
    expect(added).toEqual(expect.arrayContaining(['entity-added', 'message-added']));
  });

  test('is reserved as a removed member of an enum', () => {
    const before = nextLock(emptyLock, release(['UNKNOWN', name]));
    const after = nextLock(before, release(['UNKNOWN']));
    expect(reservedOf(after, 'test.Mode')).toEqual({ numbers: [1], names: [name] });
  });
});
