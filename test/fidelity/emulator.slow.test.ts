/**
 * The cases on Google's emulator, for comparison, if it is installed (test/support/emulator.ts). A
 * case must describe how the emulator differs; UPDATE_GOLDEN=1 rewrites the table in
 * docs/fidelity.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { RawClient } from '../server/raw-client.js';
import { findEmulator } from '../support/emulator.js';
import { startGoogleEmulator } from '../support/google-emulator.js';
import { notInMessages } from './backends.js';
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
      if (process.env.UPDATE_GOLDEN !== '1') return;
      const path = join(__dirname, '../../docs/fidelity.md');
      const page = readFileSync(path, 'utf8');
      writeFileSync(path, comparisonText() + page.slice(page.indexOf('\n## ')));
    });
  },
);

function comparisonOf({ emulatorDifference: emulator = '' }: FidelityCase, same: boolean): string {
  // The order of families is different in each table of the emulator.
  if (emulator.includes('random order')) return 'varies';
  return same ? 'same' : 'differs';
}

/** What the emulator does in a case; `same` where nothing is known to differ. */
function resultOf({ id, emulatorDifference }: FidelityCase): string {
  const comparison = comparisons.get(id) ?? 'not compared';
  return comparison === 'not compared' && emulatorDifference === undefined ? 'unknown' : comparison;
}

/** `varies: families in random order`; only the difference where the emulator always differs. */
function differenceText(one: FidelityCase): string {
  const result = resultOf(one);
  const text = one.emulatorDifference ?? '';
  return result === 'differs' ? text : `${result}: ${text}`;
}

/** The page up to its second section; the rest is written by hand, and by test/server/rpc-table. */
function comparisonText(): string {
  const idsWith = (result: string): string =>
    fidelityCases
      .filter((one) => resultOf(one) === result)
      .map(({ id }) => id)
      .join(', ');
  const rows = fidelityCases
    .filter((one) => !['same', 'unknown'].includes(resultOf(one)))
    .map((one) => `| ${one.id} | ${differenceText(one)} |`);
  return `# Fidelity

Every case of [data-model.md](data-model.md) is a test in test/fidelity. Our engines pass all cases, and
so does our server through Google's published messages, which cannot express ${notInMessages.join(' and ')}.

Google's emulator, with a new process for each case, behaves as described in
${idsWith('same')}.

Not compared, because a case needs a clock that the test controls, or garbage collection on request:
${idsWith('unknown')}.

The table has how the emulator differs from [the case](data-model.md), with the source: a proto file, or an
issue on GitHub (googleapis). "Varies": families have a random order in the emulator. Written by \`UPDATE_GOLDEN=1 npx jest test/fidelity/emulator\`.

| Case | Google's emulator |
|---|---|
${rows.join('\n')}
`;
}
