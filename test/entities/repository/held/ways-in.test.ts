/** Every kind of bad input by every way in: one error that names the property, and nothing written. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Database, open, RowsmithError } from '../../../../src/index.js';
import { importRows } from '../../../../src/tools/index.js';
import { command } from '../../../support/command.js';
import { Issue } from './held-entities.js';

const id = '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const whole = { tenant: 'acme', id, title: 'Lamp', status: 'open' };
const other = { tenant: 'acme', title: 'Stored' };
type Values = Record<string, unknown>;

let db: Database;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-ways-'));
  const entities = JSON.stringify(join(__dirname, 'held-entities.ts'));
  writeFileSync(
    join(folder, 'rowsmith.config.cjs'),
    `module.exports = { entities: [require(${entities}).Issue], url: 'file:./data' };\n`,
  );
  const stored = await open(`file:${folder}/data`, { entities: [Issue] });
  await stored.repository(Issue).insert(stored.repository(Issue).create(other));
  await stored.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => {
  db = await open('memory:', { entities: [Issue] });
});
afterEach(() => db.close());
const issues = () => db.repository(Issue);

/** An entity with the properties as they are given: getters are not called. */
const entityOf = (values: Values): Issue =>
  Object.defineProperties(new Issue(), Object.getOwnPropertyDescriptors(values));
const keyOf = ({ tenant, id }: Values) => ({ tenant, id }) as { tenant: string; id: string };
const changesOf = (values: Values): Values => {
  const changes = Object.getOwnPropertyDescriptors(values) as Record<string, PropertyDescriptor>;
  delete changes.tenant;
  delete changes.id;
  return Object.defineProperties({}, changes);
};

type Way = (values: Values) => Promise<unknown>;
/** Ways in for objects of a program. */
const objects: Readonly<Record<string, Way>> = {
  create: async (values) => issues().create(values as never),
  save: (values) => issues().save(entityOf(values)),
  insert: (values) => issues().insert(entityOf(values)),
  patch: (values) => issues().patch(keyOf(values), changesOf(values)),
};
/** Ways in for JSON. */
const texts: Readonly<Record<string, Way>> = {
  fromJSON: async (values) => issues().fromJSON(values),
  import: async (values) => {
    const line = Readable.from([Buffer.from(JSON.stringify(values))]);
    const result = await importRows(db.engine, issues().model, line, { format: 'jsonl' });
    expect(result).toMatchObject({ written: 0, rejected: 1, reasons: [{ lines: 1 }] });
    throw new Error(result.reasons[0].reason);
  },
};
/** Ways in from the shell, into a database on disk. */
const shell: Readonly<Record<string, Way>> = {
  put: (values) => wrong(['put', 'Issue', JSON.stringify(values), '--yes']),
  patch: (values) => {
    const key = ['tenant=acme', `id=${id}`];
    const changes = JSON.stringify(changesOf(values));
    return wrong(['patch', 'Issue', ...key, changes, '--yes', '--create']);
  },
};

async function wrong(args: readonly string[]): Promise<never> {
  const { status, err } = await command(folder, args);
  expect([1, 2]).toContain(status);
  const { out } = await command(folder, ['count', 'Issue', '--json']);
  expect(JSON.parse(out)).toEqual({ entity: 'Issue', count: 1 });
  throw new Error(err);
}

/** How a way in fails: the code and the properties, or the text. */
async function failure(way: Way, values: Values): Promise<readonly [string, string]> {
  try {
    await way(values);
  } catch (error) {
    if (!(error instanceof RowsmithError)) return ['', (error as Error).message];
    expect(error.details).toMatchObject({ entity: 'Issue', fix: expect.any(String) as unknown });
    return [error.code, `${String(error.details.property)}: `];
  }
  return ['', 'nothing failed'];
}

const rule = 'VALIDATION_FAILED';
const value = 'INVALID_VALUE';
const argument = 'INVALID_ARGUMENT';
const own = (json: string): Values => JSON.parse(json.replace('}', ',"title":"Lamp"}')) as Values;

type Codes = readonly [objects: string, json: string];

/** What is wrong; the property; the code for objects, and for JSON; the ways that have no such check. */
const inputs: readonly (readonly [
  what: string,
  values: Values,
  property: string,
  codes: Codes,
  without?: readonly string[],
])[] = [
  ['absent', { title: undefined }, 'title', [rule, rule], ['patch']],
  ['null', { title: null }, 'title', [rule, rule]],
  // The compiler knows the types; create holds the key and what is declared of values.
  ['a number for text', { title: 5 }, 'title', [value, value], ['create']],
  ['a list for text', { title: ['Lamp'] }, 'title', [value, value], ['create']],
  ['an object for text', { title: {} }, 'title', [value, value], ['create']],
  ['text for a number', { votes: 'x' }, 'votes', [value, value], ['create']],
  ['true for a number', { votes: true }, 'votes', [value, value], ['create']],
  ['text for a truth value', { pinned: 'yes' }, 'pinned', [value, value], ['create']],
  ['a number for bytes', { raw: 7 }, 'raw', [value, value], ['create']],
  ['a number for a member', { status: 5 }, 'status', [rule, value]],
  ['a list for a member', { status: ['open'] }, 'status', [rule, value]],
  ['a number in the key', { tenant: 5 }, 'tenant', ['INVALID_KEY', value]],
  ['too long', { title: 'x'.repeat(11) }, 'title', [rule, rule]],
  ['too long in the key', { tenant: 'x'.repeat(21) }, 'tenant', ['INVALID_KEY', 'INVALID_KEY']],
  ['another case', { status: 'Open' }, 'status', [rule, rule]],
  ['another case in the key', { tenant: 'ACME' }, 'tenant', [rule, rule]],
  // Entities may have properties that are not stored.
  ['a name in another case', { Title: 'x' }, 'Title', [argument, argument], ['save', 'insert']],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map(
    (name) =>
      [name, own(`{"${name}":"x"}`), name, [argument, argument], ['save', 'insert']] as const,
  ),
];

const all = inputs.map(
  ([what, values, property, codes, without = []]): [
    string,
    Values,
    string,
    Codes,
    readonly string[],
  ] => [what, values, property, codes, without],
);

describe.each(all)('%s', (_what, values, property, [objectCode, jsonCode], without) => {
  const given: Values = Object.defineProperties(
    { ...whole },
    Object.getOwnPropertyDescriptors(values),
  );

  test.each(Object.entries(objects).filter(([name]) => !without.includes(name)))(
    '%s',
    async (_name, way) => {
      expect(await failure(way, given)).toEqual([objectCode, `${property}: `]);
      expect(await issues().scanAll().count()).toBe(0);
    },
  );

  test.each(Object.entries(texts))('%s', async (name, way) => {
    const parsed = JSON.parse(JSON.stringify(given)) as Values;
    const [code, text] = await failure(way, parsed);
    expect([code, text]).toEqual([
      name === 'import' ? '' : jsonCode,
      expect.stringContaining(`${property}: `) as string,
    ]);
    expect(text.split(`${property}: `)).toHaveLength(2);
    expect(await issues().scanAll().count()).toBe(0);
  });

  const ofShell = Object.entries(shell).filter(
    ([name]) => !without.includes(name) && !(name === 'patch' && property === 'tenant'),
  );
  test.each(ofShell)('rowsmith %s', async (_name, way) => {
    const [, text] = await failure(way, given);
    expect(text).toContain(property);
    expect(text).not.toContain('nothing failed');
  });
});

test.each(['save', 'insert', 'patch', 'fromJSON'])(
  '%s: values of several wrong types are one error',
  async (name) => {
    const way = { ...objects, ...texts }[name];
    const failed = way({ tenant: 'acme', id, pinned: 'yes', title: 5, votes: 'x' });
    await expect(failed).rejects.toMatchObject({
      code: value,
      details: {
        entity: 'Issue',
        property: 'pinned',
        problem: expect.stringMatching(/^pinned: .*; title: .*; votes: /) as string,
        issues: [{ path: 'pinned' }, { path: 'title' }, { path: 'votes' }],
      },
    });
    expect(await issues().scanAll().count()).toBe(0);
  },
);

test.each(['save', 'insert'])('%s ignores properties that are not mapped', async (name) => {
  await objects[name]({ ...own('{"__proto__":"x"}'), ...whole, constructor: 'x', Title: 'evil' });
  const stored = await issues().get(keyOf(whole));
  expect(stored).toMatchObject({ title: 'Lamp', status: 'open' });
  expect(stored).toBeInstanceOf(Issue);
});

describe.each([...Object.entries(objects), ['fromJSON', texts.fromJSON] as const])(
  'a getter that throws, by %s',
  (_name, way) => {
    test.each(['tenant', 'title', 'votes'])('%s', async (property) => {
      const values = Object.defineProperty({ ...whole }, property, {
        enumerable: true,
        get: () => {
          throw new Error(`no ${property}`);
        },
      });
      // It is the program's error, which passes unchanged.
      expect(await failure(way, values)).toEqual(['', `no ${property}`]);
      expect(await issues().scanAll().count()).toBe(0);
    });
  },
);

test('10,000 faults in one import: the reasons are listed by property, and nothing is written', async () => {
  const faults: readonly [Values, string][] = [
    [{ title: undefined }, 'title: it is required, and has no value'],
    [{ title: 'x'.repeat(11) }, 'title: its length is 11, more than 10'],
    [{ status: 'Open' }, "status: a string is not one of 'open', 'closed'"],
    [{ votes: 'x' }, 'votes: expected a whole number, got a string'],
    [{ Title: 'x' }, "Title: Issue has no property 'Title'"],
  ];
  const lines = Array.from({ length: 10_000 }, (_, n) => {
    const [values] = faults[n % faults.length];
    return `${JSON.stringify({ ...whole, ...values })}\n`;
  });
  const result = await importRows(
    db.engine,
    issues().model,
    Readable.from([Buffer.from(lines.join(''))]),
    { format: 'jsonl' },
  );
  expect(result).toMatchObject({ written: 0, rejected: 10_000 });
  const reasons = faults.map(([, reason]) => ({ reason, lines: 2_000 }));
  expect(result.reasons).toHaveLength(reasons.length);
  expect(result.reasons).toEqual(expect.arrayContaining(reasons));
  expect(await issues().scanAll().count()).toBe(0);
});
