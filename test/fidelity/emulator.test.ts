/**
 * The cases on Google's emulator, for comparison, where it is installed (test/support/emulator.ts).
 * Where it answers otherwise the case must say so; UPDATE_GOLDEN=1 writes docs/fidelity.md anew
 * from what it answered.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { askRules, excuseRules, formRules, rowRules, tableRules } from '../differential/rules.js';
import { RawClient } from '../server/raw-client.js';
import { unsaid } from '../differential/responses.js';
import { findEmulator } from '../support/emulator.js';
import { startGoogleEmulator } from '../support/google-emulator.js';
import { outcomesOf } from './backends.js';
import { fidelityCases } from './fidelity.js';
import type { FidelityCase, Step } from './step.js';
import { onTheWire, runOnTheWire } from './wire.js';

const program = findEmulator();
const instance = 'projects/p/instances/i';

/**
 * Cases that need our clock or our garbage collection, or that the published messages cannot say.
 */
function isOurs({ id, steps }: FidelityCase): boolean {
  return (
    /^(J|G13|G14)/.test(id) ||
    JSON.stringify(steps, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    ).includes('@1700000000')
  );
}

/** Whether a fresh emulator answers every step as the case expects. */
async function agrees({
  families = { a: {}, b: {} },
  granularity,
  steps,
}: FidelityCase): Promise<boolean> {
  const emulator = await startGoogleEmulator(program!);
  const client = new RawClient(emulator.address);
  try {
    // One family after the other: those that come with the table it orders by chance.
    const create: Step = {
      op: 'createTable',
      schema: { name: 't', families: new Map(), granularity },
    };
    const ordered = Object.entries(families).sort(([a], [b]) => (a < b ? -1 : 1));
    const add = ordered.map(([family, schema]): Step => ({
      op: 'families',
      changes: [{ kind: 'create', family, schema }],
    }));
    for (const [step, answer] of [
      ...[create, ...add].map((step) => [step, undefined] as const),
      ...steps,
    ]) {
      // An answer that it leaves out altogether is a difference too.
      const got = await runOnTheWire(client, instance, step, async () => undefined).catch(
        () => 'no answer',
      );
      if (!isDeepStrictEqual(got, onTheWire(answer, step))) return false;
    }
    return true;
  } finally {
    client.close();
    await emulator.close();
  }
}

const answered = new Map<string, string>();

(program === undefined ? describe.skip : describe)("FIDELITY.md on Google's emulator", () => {
  test.each(
    fidelityCases.filter((one) => !isOurs(one)).map((one) => [one.id, one.what, one] as const),
  )('%s: %s', async (id, _what, one) => {
    const same = await agrees(one);
    // The order of families is another one in each of its tables.
    const chance = /as in E1|at random/.test(one.emulator ?? '');
    answered.set(id, chance ? 'by chance' : same ? 'same' : 'differs');
    if (!same) expect(one.emulator).toBeDefined();
  });

  afterAll(async () => {
    if (process.env.UPDATE_GOLDEN === '1')
      writeFileSync(join(__dirname, '../../docs/fidelity.md'), await matrix());
  });
});

/** The rules of the differential test that speak of the emulator. */
function ruleLines(): string {
  const kinds: readonly (readonly [
    string,
    readonly {
      readonly name: string;
      readonly source: string;
      readonly peers: readonly string[];
    }[],
  ])[] = [
    ['histories kept from it', tableRules],
    ['rows kept from it', rowRules],
    ['kept from it', askRules],
    ['any answer is taken', excuseRules],
    ['answers in one form', formRules],
  ];
  const lines = kinds.flatMap(([how, rules]) =>
    rules
      .filter(({ peers }) => peers.includes('emulator'))
      .map(({ name, source }) => `| ${name} | ${how} | ${source} |`),
  );
  return lines.join('\n');
}

async function matrix(): Promise<string> {
  const rows: string[] = [];
  for (const one of fidelityCases) {
    const { id, what, emulator = '' } = one;
    rows.push(
      `| ${[id, what, ...(await outcomesOf(one)), answered.get(id) ?? 'not compared', emulator].join(' | ')} |`,
    );
  }
  return `# Fidelity

What the data model promises, case by case, as test/fidelity ran it: on the engine in memory, on the engine on disk, and through the server in Google's
published messages (they cannot say two of them; test/fidelity/lines.test.ts compares these columns with its own runs). Google's emulator ran the same steps,
each case on a fresh process; cases that need a settable clock or garbage collection on demand are not compared. Where it differs, the last column says
how, and what says otherwise. Numbers are google-cloud issues; families come in byte order here and in the order of creation, or by chance, there.

Written by \`UPDATE_GOLDEN=1 npx jest test/fidelity/emulator\`.

| case | what | memory | disk | server | Google's emulator | the difference |
|---|---|---|---|---|---|---|
${rows.join('\n')}

## Random histories

test/differential sends random histories to a slow reference engine, to the engines in memory and on disk, to our server over both of them, and to
Google's emulator: mutations of every kind, checks, read-modify-writes, dropped rows, changes of families, reads of keys and ranges through random
trees of every filter, samples, schemas, consistency tokens, protection, tables made again or missing. The engine on disk and its server are closed and
opened in mid-history; some histories have a clock that moves, and engines that collect garbage only when told. All answers must be the reference engine's.
Where the emulator's may differ, one of these rules says so; "kept from it" stands for operations that would leave it in another state. A run says
how often each rule was needed, and which never were.

A run fails for what it never made: each kind of operation, mutation and filter, filters inside interleaves and reversed scans, every pair of bounds
(test/differential/coverage.ts), and every method and field of the published messages of the data and table services but for these:

${unsaid.map(([reason, fields]) => `- ${fewOf(fields.split(' '))}: ${reason}`).join('\n')}

- \`npx jest test/differential\` runs 100,000 operations, always the same ones.
- \`SOAK_MINUTES=60 npx jest test/differential\` runs new ones for an hour, and says every ten seconds how far it is.
- A failure names its seed (\`SEED=n npx jest test/differential\`) and prints the least part of the history that still fails, an operation a line,
  which \`HISTORY=file npx jest test/differential\` runs again.

| rule | how | source |
|---|---|---|
${ruleLines()}
`;
}

const fewOf = ([first, ...more]: readonly string[]): string =>
  more.length > 2 ? `${first} and ${more.length} like it` : [first, ...more].join(', ');
