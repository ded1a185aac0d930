/**
 * The cases on Google's emulator, for comparison, if it is installed (test/support/emulator.ts). A
 * case must describe how the emulator differs; UPDATE_GOLDEN=1 rewrites docs/fidelity.md.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { RawClient } from '../server/raw-client.js';
import { callsSection } from '../server/rpc-table/calls.js';
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
      if (process.env.UPDATE_GOLDEN === '1')
        writeFileSync(join(__dirname, '../../docs/fidelity.md'), documentText());
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

function documentText(): string {
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
[request-fields.md](request-fields.md) has the fields of each request.

Google's emulator, with a new process for each case, behaves as described in
${idsWith('same')}.

Not compared, because a case needs a clock that the test controls, or garbage collection on request:
${idsWith('unknown')}.

The table has how the emulator differs from [the case](data-model.md), with the source: a proto file, or an
issue on GitHub (googleapis). "Varies": families have a random order in the emulator. Written by \`UPDATE_GOLDEN=1 npx jest test/fidelity/emulator\`.

| Case | Google's emulator |
|---|---|
${rows.join('\n')}

## Google's conformance suite for clients

\`npm run test:languages\` runs the [108 tests](https://github.com/googleapis/cloud-bigtable-clients-test)
(version 0.0.5) that Google's own clients must pass, with Go on our live engine (test/proxy). 2026-11-27:

| Tests | Rowsmith | Known failures that other clients publish |
|---|---|---|
| 66 of reads and writes | all pass with \`gatherGets: false\`. By default two fail: TestReadRow_Generic_MultiStreams and TestReadRow_Generic_CloseClient expect [a request for each get](live.md#concurrent-gets) | Java 0, Go 1, Node 23 |
| TestFeatureGap, with \`-enable_features_all\` | 6 of 9 flags. Not true of us: client_side_metrics_enabled, direct_access_requested, traffic_director_enabled | Java 7 of 9 flags |
| 41 of ExecuteQuery | not offered: SQL runs through [\`db.client()\`](live.md#googles-client-and-sql) | Java 41 |

The lists are known_failures.txt in java-bigtable (54a049a), google-cloud-go (1a6aa7b) and nodejs-bigtable
(004baf5).

## Google's clients in Go, Java and Python

\`npm run test:languages\` runs a program with each of Google's clients (Go 1.40.0, Java 2.81.0, Python 2.50.2) on our
server and on Google's emulator: administration, every call of the data API, large rows, scans that end
early, deadlines, a restart during a scan. test/golden/clients has every outcome of 2026-11-27. These are
not all \`ok\`:

| Check | Rowsmith | Google's emulator |
|---|---|---|
| access policies; app profiles; authorized views | ok | UNIMPLEMENTED |
| schema bundles | an empty list | UNIMPLEMENTED |
| SQL | UNIMPLEMENTED | UNIMPLEMENTED |
| backups | ok | UNAVAILABLE: its process ends |
| partitions of change streams | UNIMPLEMENTED | UNAVAILABLE: its process ends |
| drop of a family that does not exist | ok | UNKNOWN instead of NOT_FOUND |
| entry of a bulk write with an unknown family | ok | INTERNAL instead of NOT_FOUND |
| aggregate: minimum | ok | a wrong value |
| aggregate: unique count | UNIMPLEMENTED | ok |
| filter: sink | ok | no cells |
| row of 20 MiB | ok in Java and Python; Go reads up to 4 MiB per row from emulators | ok in Java |
| restart during a scan | ok | keeps no data |

## Differential tests

test/differential runs random histories on an oracle (a slow reference engine), on our engines, on our server over them,
and on Google's emulator. Histories contain every kind of operation, mutation, filter and bound, and every field of the
published messages, except those that test/differential/request-coverage.ts lists with a reason. Every response must equal
the oracle's, unless a rule in test/differential/rules.ts, which names its source, permits a difference.

- \`npx jest test/differential\` runs 40,000 operations, always the same ones; with \`OPERATIONS=n\`, more.
  \`SOAK_MINUTES=60\` runs new ones for an hour.
- A failure reports its seed (\`SEED=n\` runs it again) and the shrunk history. Save its lines to a file and replay it with
  \`HISTORY=file npx jest test/differential\`.

${callsSection()}`;
}
