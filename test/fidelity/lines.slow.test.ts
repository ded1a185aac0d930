/**
 * docs/data-model.md, the tests and docs/fidelity.md agree: every identifier of the document is a
 * case or a test that is named here, and the reverse; the published table has every case.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { notInMessages, outcomesOf } from './backends.js';
import { fidelityCases } from './fidelity.js';

const root = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The identifiers that docs/data-model.md defines, in order. */
const defined = [...read('docs/data-model.md').matchAll(/^- \*\*([A-M]\d+[a-z]?) /gm)].map(
  ([, id]) => id,
);

/** Identifiers that are not cases, because they are not about a single result of an engine. */
const otherTests: Readonly<
  Record<
    string,
    { readonly file: string; readonly tests: readonly string[]; readonly reason: string }
  >
> = {
  A9b: {
    file: 'server/data-large.slow.test.ts',
    tests: ['A9b: a write that makes a row larger than 256 MiB is FAILED_PRECONDITION'],
    reason: 'it needs several large writes; test/engines/limits.slow.test.ts tests the engines',
  },
  A11: {
    file: 'server/idempotency.slow.test.ts',
    tests: [
      'A11: a write with the same token is applied once within 15 minutes',
      'A11: a token repeated within one MutateRows, and in a later MutateRow',
      'A11: short tokens and old start times are rejected',
      'A11: a token is kept when the database is reopened',
    ],
    reason: 'it needs a clock, and the database is reopened',
  },
  E3b: {
    file: 'server/data-reads.test.ts',
    tests: ['E3b: an empty key in row_keys is INVALID_ARGUMENT'],
    reason: 'only the API has row_keys',
  },
  E5b: {
    file: 'server/data-reads.test.ts',
    tests: ['E5b: a reversed read of a client with %s is UNIMPLEMENTED'],
    reason: 'only the API has headers',
  },
  E7: {
    file: '../src/tools/conformance/cases/reads.ts',
    tests: ['E7: sampled keys begin with the split keys'],
    reason: 'only the keys of samples are defined, not their offsets',
  },
  E6: {
    file: 'engines/protocol/chunks.test.ts',
    tests: ['its rows become chunks and the same rows again', 'a row without cells is no row'],
    reason: 'chunks are the form of a response',
  },
  G7: {
    file: 'server/data-reads.test.ts',
    tests: ['a chain of one', 'an interleave of none'],
    reason: 'an engine accepts a chain of one: only the API rejects it',
  },
  G10: {
    file: 'server/data-reads.test.ts',
    tests: ['pass_all = false', 'block_all = false', 'strip = false', 'sink = false'],
    reason: 'only the API has flags',
  },
  L6: {
    file: 'server/rpc-table/rpc-table.test.ts',
    tests: ['the server answers as the table says', 'The server continues'],
    reason: 'only the API has methods that we do not offer',
  },
  M1: {
    file: 'engines/local/torture.slow.test.ts',
    tests: ['a process killed while it writes loses nothing that it acknowledged'],
    reason: 'a process must be killed',
  },
  M2: {
    file: '../src/tools/conformance/cases/tables.ts',
    tests: ['M1, M2: written data is present after reopening'],
    reason: 'the database is reopened',
  },
  M3: {
    file: 'engines/local/disk-directory.test.ts',
    tests: ['a second process is rejected with the PID of the owner, until the owner is killed'],
    reason: 'it needs two processes',
  },
  M4: {
    file: '../src/tools/conformance/cases/reads.ts',
    tests: ['E1, M4: rows and columns are in byte order, families in the order of their creation'],
    reason: 'it is checked before and after reopening',
  },
};

test('docs/data-model.md defines each identifier once', () => {
  expect(defined.filter((id, at) => defined.indexOf(id) !== at)).toEqual([]);
  expect(defined.length).toBeGreaterThan(80);
});

test('every identifier of docs/data-model.md is tested, and every tested identifier is defined', () => {
  const tested = [...fidelityCases.map(({ id }) => id), ...Object.keys(otherTests)];
  expect(tested.toSorted()).toEqual(defined.toSorted());
  expect(notInMessages.filter((id) => !tested.includes(id))).toEqual([]);
});

test('every reference to an identifier of data-model.md is to a defined one', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join('test', name));
  const references = ['docs/fidelity.md', ...files].flatMap((file) =>
    [...read(file).matchAll(/data-model\.md,? ((?:[A-M]\d+[a-z]?(?:, | to | and )?)+)/g)].flatMap(
      ([, list]) => list.match(/[A-M]\d+[a-z]?/g)!.map((id) => ({ file, id })),
    ),
  );
  expect(references.length).toBeGreaterThan(30);
  expect(references.filter(({ id }) => !defined.includes(id))).toEqual([]);
});

test.each(Object.entries(otherTests))(
  '%s is tested where this file says',
  (_id, { file, tests, reason }) => {
    const text = read(join('test', file));
    for (const name of tests) expect(text).toContain(name);
    expect(reason.length).toBeGreaterThan(10);
  },
);

test('docs/fidelity.md has every case once, in the table where the emulator differs', () => {
  const text = read('docs/fidelity.md');
  const rows = [...text.matchAll(/^\| ([A-M]\d+[a-z]?) \| \S/gm)];
  const listed = [...text.matchAll(/^([A-M]\d+[a-z]?(?:, [A-M]\d+[a-z]?)*)\.$/gm)];
  expect(listed).toHaveLength(2);
  const ids = [...rows.map(([, id]) => id), ...listed.flatMap(([, list]) => list.split(', '))];
  expect(ids.toSorted()).toEqual(fidelityCases.map(({ id }) => id).toSorted());
  expect(text).toContain(`cannot express ${notInMessages.join(' and ')}.`);
});

test.each(fidelityCases.map((one) => [one.id, one.title, one] as const))(
  '%s holds on our engines and on the server: %s',
  async (id, _title, one) => {
    const server = notInMessages.includes(id) ? 'not in the API' : 'yes';
    expect(await outcomesOf(one)).toEqual(['yes', 'yes', server]);
  },
);
