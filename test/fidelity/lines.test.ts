/**
 * Every line of FIDELITY.md is a test: the list of its lines, and where each is run. The published
 * table says what the runs give.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomesOf, unsaid } from './backends.js';
import { fidelityCases } from './fidelity.js';

/**
 * The lines of FIDELITY.md, by section; H is a table and I a paragraph, whose parts the cases
 * number themselves.
 */
const lines = `
  A1 A2 A3 A4 A5 A6 A8 A9 A10   B1 B3 B4 B5 B6 B8 B9   C1 C2 C3 C5 C7 C9   D1 D2 D4 D6   E1 E3 E4 E5 E6   F1 F2 F4 F5
  G1 G2 G3 G4 G7 G8 G9 G10 G12 G13 G14   H1 H2 H3 H4 H5 H6 H7   I1 I2 I3 I4 I5   J1 J2 J3 J5 J6 J7 J9   K1 K3 K4 K5 K7 K8
  L2 L3 L4 L6   M1 M2 M3 M4
`
  .trim()
  .split(/\s+/);

/**
 * Lines that are not a case, because they are not about what an engine answers: the tests that hold
 * them, and why they stand there.
 */
const elsewhere: Readonly<
  Record<string, { readonly file: string; readonly tests: readonly string[]; readonly why: string }>
> = {
  E6: {
    file: 'protocol/chunks.test.ts',
    tests: ['its rows become chunks and the same rows again', 'a row without cells is no row'],
    why: 'chunks are the form of an answer, not its rows',
  },
  G7: {
    file: 'server/data.test.ts',
    tests: ['a chain of one', 'an interleave of none'],
    why: 'an engine takes a chain of one: only the protocol refuses it',
  },
  G10: {
    file: 'server/data.test.ts',
    tests: ['pass_all = false', 'block_all = false', 'strip = false', 'sink = false'],
    why: 'a flag is only in the protocol',
  },
  L6: {
    file: 'server/unimplemented.test.ts',
    tests: ['every method that is not offered answers UNIMPLEMENTED, and the server goes on'],
    why: 'methods are only in the protocol',
  },
  M1: {
    file: 'engines/crash.test.ts',
    tests: ['a process killed while it writes loses nothing that it acknowledged'],
    why: 'a process has to end',
  },
  M2: {
    file: 'engines/conformance.ts',
    tests: ['M1, M2: what was written is there after opening again'],
    why: 'the database is opened again',
  },
  M3: {
    file: 'engines/disk-directory.test.ts',
    tests: ['a second process is told who holds it; when that one is killed, the database is free'],
    why: 'it takes two processes',
  },
  M4: {
    file: 'engines/conformance.ts',
    tests: ['E1, M4: cells and rows come in byte order'],
    why: 'it runs before and after opening again',
  },
};

/** The line of a case: A8b is a second case of A8. */
const lineOf = (id: string): string => id.replace(/[a-z]$/, '');

test('each line is a case or a test that is named here, and each case is of a line', () => {
  const cases = new Set(fidelityCases.map(({ id }) => lineOf(id)));
  expect(lines.filter((line) => !cases.has(line) && elsewhere[line] === undefined)).toEqual([]);
  expect(Object.keys(elsewhere).filter((line) => !lines.includes(line) || cases.has(line))).toEqual(
    [],
  );
  expect(
    [...cases].filter((line) => !lines.includes(line) && !/^(C4|J4|B7|C8)$/.test(line)),
  ).toEqual([]);
  expect(unsaid.filter((line) => !cases.has(line))).toEqual([]);
});

test.each(Object.entries(elsewhere))(
  '%s is tested where it is said to be',
  (_line, { file, tests, why }) => {
    const text = readFileSync(join(__dirname, '..', file), 'utf8');
    for (const name of tests) expect(text).toContain(name);
    expect(why.length).toBeGreaterThan(10);
  },
);

const published = new Map(
  readFileSync(join(__dirname, '../../docs/fidelity.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| [A-M]\d/.test(line))
    .map((line) => {
      const [id, what, memory, disk, server] = line
        .split('|')
        .slice(1)
        .map((cell) => cell.trim());
      return [id, { what, ours: [memory, disk, server] }] as const;
    }),
);

test('docs/fidelity.md has every case', () => {
  expect([...published].map(([id, { what }]) => `${id}: ${what}`)).toEqual(
    fidelityCases.map(({ id, what }) => `${id}: ${what}`),
  );
});

test.each(fidelityCases.map((one) => [one.id, one] as const))(
  '%s in docs/fidelity.md is what the runs give',
  async (id, one) => {
    expect(published.get(id)?.ours).toEqual(await outcomesOf(one));
  },
);
