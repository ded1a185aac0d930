/**
 * The cases on Google's emulator, for comparison, if it is installed (test/support/emulator.ts). A
 * case must describe how the emulator differs; UPDATE_GOLDEN=1 rewrites docs/fidelity.md.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  historyRules,
  normalizationRules,
  requestRules,
  rowRules,
  toleranceRules,
  type RowRule,
} from '../differential/rules.js';
import { RawClient } from '../server/raw-client.js';
import { excludedFields } from '../differential/request-coverage.js';
import { findEmulator } from '../support/emulator.js';
import { startGoogleEmulator } from '../support/google-emulator.js';
import { outcomesOf } from './backends.js';
import { fidelityCases } from './fidelity.js';
import type { FidelityCase, Step } from './step.js';
import { asWireResult, runOnWire } from './wire.js';

const program = findEmulator();
const instance = 'projects/p/instances/i';

/** Cases that need our clock, our garbage collection, or messages that are not published yet. */
function isOwnCase({ id, steps }: FidelityCase): boolean {
  return (
    /^(J|G13|G14)/.test(id) ||
    JSON.stringify(steps, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    ).includes('@1700000000')
  );
}

/** Whether a new emulator returns the expected result of every step. */
async function agrees({
  families = { a: {}, b: {} },
  granularity,
  steps,
}: FidelityCase): Promise<boolean> {
  const emulator = await startGoogleEmulator(program!);
  const client = new RawClient(emulator.address);
  try {
    // Families are created one by one: families created with the table have a random order.
    const create: Step = {
      op: 'createTable',
      schema: { name: 't', families: new Map(), granularity },
    };
    const ordered = Object.entries(families).sort(([a], [b]) => (a < b ? -1 : 1));
    const add = ordered.map(([family, schema]): Step => ({
      op: 'families',
      changes: [{ kind: 'create', family, schema }],
    }));
    for (const [step, result] of [
      ...[create, ...add].map((step) => [step, undefined] as const),
      ...steps,
    ]) {
      // A crash of the emulator is a difference, too.
      const actual = await runOnWire(client, instance, step, async () => undefined).catch(
        () => 'no response',
      );
      if (!isDeepStrictEqual(actual, asWireResult(result, step))) return false;
    }
    return true;
  } finally {
    client.close();
    await emulator.close();
  }
}

/** The cells of cases in the column of the emulator. */
const comparisons = new Map<string, string>();

(program === undefined ? describe.skip : describe)(
  "docs/data-model.md on Google's emulator",
  () => {
    test.each(
      fidelityCases
        .filter((one) => !isOwnCase(one))
        .map((one) => [one.id, one.title, one] as const),
    )('%s: %s', async (id, _what, one) => {
      const same = await agrees(one);
      comparisons.set(id, comparisonOf(one, same));
      if (!same) expect(one.emulatorDifference).toBeDefined();
    });

    afterAll(async () => {
      if (process.env.UPDATE_GOLDEN === '1')
        writeFileSync(join(__dirname, '../../docs/fidelity.md'), await documentText());
    });
  },
);

function comparisonOf({ emulatorDifference: emulator = '' }: FidelityCase, same: boolean): string {
  // The order of families is different in each table of the emulator.
  if (emulator.includes('random order')) return 'varies';
  return same ? 'same' : 'differs';
}

type EmulatorRule = Pick<RowRule, 'name' | 'source' | 'targets'>;

/** The rules of the differential test that are about the emulator. */
function ruleLines(): string {
  const effects: readonly (readonly [effect: string, rules: readonly EmulatorRule[]])[] = [
    ['history not run', historyRules],
    ['row not sent', rowRules],
    ['operation not sent or replaced', requestRules],
    ['any response accepted', toleranceRules],
    ['responses normalized', normalizationRules],
  ];
  const lines = effects.flatMap(([effect, rules]) =>
    rules
      .filter(({ targets }) => targets.includes('emulator'))
      .map(({ name, source }) => `| ${name} | ${effect} | ${source} |`),
  );
  return lines.join('\n');
}

async function documentText(): Promise<string> {
  const rows: string[] = [];
  for (const one of fidelityCases) {
    const comparison = comparisons.get(one.id) ?? 'not compared';
    const cells = [
      one.id,
      one.title,
      ...(await outcomesOf(one)),
      comparison,
      one.emulatorDifference ?? '',
    ];
    rows.push(`| ${cells.join(' | ')} |`);
  }
  return `# Fidelity

This page compares our engines, our server and Google's emulator with [data-model.md](data-model.md), case by
case. Each case is a test in test/fidelity. It runs on the engine in memory, on the engine on disk, and on our
server through Google's published messages. "Not in the API" means that these messages cannot express the
case. test/fidelity/lines.test.ts checks these three columns against its own runs.

The column for Google's emulator is the result of the same steps, with a new process for each case. "Not
compared" means that the case needs a clock that the test controls, or garbage collection on request. "Varies"
means that the result depends on the order of families, which is random in the emulator. The last column
describes the difference and the source for our behaviour: a proto file, or an issue on GitHub (googleapis).

[request-fields.md](request-fields.md) lists what the server does with each field of each request.

Written by \`UPDATE_GOLDEN=1 npx jest test/fidelity/emulator\`.

| case | behaviour | memory | disk | server | Google's emulator | difference |
|---|---|---|---|---|---|---|
${rows.join('\n')}

## Differential tests

test/differential generates random histories and runs them on an oracle (a slow reference engine) and on these
targets: the engines in memory and on disk, our server over both, and Google's emulator. A history consists of
mutations of all kinds, checks, read-modify-writes, deletions of row ranges, changes of families, reads of
keys and ranges with random filter trees, samples, schemas, consistency tokens, deletion protection, and
operations on recreated and missing tables. The engine on disk and its server are closed and reopened in the
middle of histories; some histories advance the clock and collect garbage on request.

Every response must equal that of the oracle, except where one of the rules below permits a difference. A run
reports how often each rule was needed, and which rules never were.

A run also fails if its coverage is incomplete. It must generate every kind of operation, mutation and filter,
filters inside interleaves and reversed reads, every combination of bounds
(test/differential/operation-coverage.ts), and every method and field of the published messages of the data
and table services, except these:

${excludedFields.map(([reason, fields]) => `- ${fieldList(fields.split(' '))}: ${reason}`).join('\n')}

- \`npx jest test/differential\` runs 40,000 operations, always the same ones; with \`OPERATIONS=n\`, more of
  them.
- \`SOAK_MINUTES=60 npx jest test/differential\` runs new ones for an hour, and reports progress every ten seconds.
- A failure reports its seed (\`SEED=n npx jest test/differential\` runs it again) and the history, shrunk to
  the operations that still fail, one per line. Save them to a file and replay it with
  \`HISTORY=file npx jest test/differential\`.

| rule for Google's emulator | effect | source |
|---|---|---|
${ruleLines()}
`;
}

function fieldList([first, ...others]: readonly string[]): string {
  if (others.length > 2) return `${first} and ${others.length} similar fields`;
  return [first, ...others].join(', ');
}
