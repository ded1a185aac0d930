/**
 * The differential test detects faulty engines, and shrinks the failing history to a readable one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReferenceEngine } from '../engines/reference-engine.js';
import type { Engine, Filter } from '../../src/data/store/index.js';
import { runCampaign, newCoverage } from './campaign.js';
import { generate } from './generate.js';
import { fromText, historyFromText, historyText, toText } from './operation.js';
import { engineTarget, type Target } from './targets.js';
import {
  requestRules,
  toleranceRules,
  normalizationRules,
  rowRules,
  historyRules,
} from './rules.js';
import { runHistory } from './run-history.js';
import { RequestCoverage } from './request-coverage.js';
import { SharedLock } from './shared-lock.js';
import type { TestEnvironment } from './environment.js';

const time = { now: 1_700_000_000_000 };
const options = { random: () => 0.5, clock: () => time.now };

/** Changes every filter in a tree of chains and interleaves. */
function mapFilter(filter: Filter, change: (leaf: Filter) => Filter): Filter {
  if (filter.kind === 'chain' || filter.kind === 'interleave')
    return { ...filter, filters: filter.filters.map((inner) => mapFilter(inner, change)) };
  return change(filter);
}

const withFilter =
  (change: (leaf: Filter) => Filter) =>
  (engine: Engine): Partial<Engine> => ({
    readRows: (plan, options) =>
      engine.readRows({ ...plan, filter: plan.filter && mapFilter(plan.filter, change) }, options),
  });

/** Engines with one fault each. */
const faults: readonly (readonly [string, (engine: Engine) => Partial<Engine>])[] = [
  [
    'a limit that is one too high',
    (engine) => ({
      readRows: (plan, options) =>
        engine.readRows({ ...plan, limit: plan.limit === 2 ? 3 : plan.limit }, options),
    }),
  ],
  [
    'a filter that keeps one version too many',
    withFilter((leaf) => {
      if (leaf.kind !== 'cellsPerColumn' || leaf.count !== 2) return leaf;
      return { ...leaf, count: 3 };
    }),
  ],
  [
    'a deletion that ignores the end of its range',
    (engine) => ({
      mutateRow: (table, row) =>
        engine.mutateRow(table, {
          ...row,
          mutations: row.mutations.map((one) =>
            one.kind === 'deleteFromColumn' ? { ...one, end: undefined } : one,
          ),
        }),
    }),
  ],
  [
    'an increment that ignores its sign',
    (engine) => ({
      readModifyWriteRow: (table, key, rules) =>
        engine.readModifyWriteRow(
          table,
          key,
          rules.map((rule) =>
            rule.kind === 'increment' && rule.amount < 0n
              ? { ...rule, amount: -rule.amount }
              : rule,
          ),
        ),
    }),
  ],
  [
    'an exclusive end that is treated as inclusive',
    withFilter((leaf) => {
      if (leaf.kind !== 'columnRange' || leaf.end === undefined) return leaf;
      return { ...leaf, end: { ...leaf.end, inclusive: true } };
    }),
  ],
  [
    'samples without the end of the table',
    (engine) => ({
      sampleRowKeys: async (table) =>
        (await engine.sampleRowKeys(table)).map((sample) => ({
          ...sample,
          key: Uint8Array.of(0xff),
        })),
    }),
  ],
  [
    'a rule update that is ignored',
    (engine) => ({
      modifyFamilies: (table, changes) =>
        engine.modifyFamilies(
          table,
          changes.map((change) =>
            change.kind === 'update' ? { ...change, gc: undefined } : change,
          ),
        ),
    }),
  ],
];

const withOverrides = (engine: Engine, overrides: Partial<Engine>): Engine =>
  new Proxy(engine, {
    get: (target, name) => {
      const member: unknown = overrides[name as keyof Engine] ?? target[name as keyof Engine];
      return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
    },
  });

function environmentOf(targets: readonly Target[]): TestEnvironment {
  return {
    targets,
    manualGcTargets: targets,
    time,
    lock: new SharedLock(),
    requestCoverage: new RequestCoverage(),
    restartEmulator: async () => undefined,
    close: async () => undefined,
  };
}

const campaign = { firstSeed: 1, calls: 60, operations: 100_000, millis: 0, isCovered: () => true };

test.each(faults)('%s', async (_name, fault) => {
  const [oracle, faulty] = [new ReferenceEngine(options), new ReferenceEngine(options)];
  const targets = [
    engineTarget('the oracle', () => oracle),
    engineTarget('the faulty engine', () => withOverrides(faulty, fault(faulty))),
  ];
  const environment = environmentOf(targets);
  const message = await runCampaign(campaign, environment, () => undefined).then(
    () => 'no mismatch found',
    (error: Error) => error.message,
  );
  expect(message).toMatch(
    /^the faulty engine differs from the oracle\. To run the whole history:\n {2}SEED=\d+ npx jest test\/differential\n/,
  );
  const lines = message.slice(message.indexOf('{"families"'), message.indexOf('\nThe mismatch:'));
  const history = historyFromText(lines);
  // Rows to read, and the call that fails.
  expect(history.operations.length).toBeLessThanOrEqual(4);
  expect(await runHistory(history, targets, environment, newCoverage())).toMatchObject({
    target: { name: 'the faulty engine' },
  });
  const correct = new ReferenceEngine(options);
  expect(
    await runHistory(
      history,
      [targets[0], engineTarget('a correct engine', () => correct)],
      environment,
      newCoverage(),
    ),
  ).toBeUndefined();
});

test('an engine that loses data when it is reopened', async () => {
  const oracle = new ReferenceEngine(options);
  let faulty = new ReferenceEngine(options);
  const targets = [
    engineTarget('the oracle', () => oracle),
    engineTarget('the faulty engine', () => faulty, {
      reopen: async () => void (faulty = new ReferenceEngine(options)),
    }),
  ];
  await expect(runCampaign(campaign, environmentOf(targets), () => undefined)).rejects.toThrow(
    /\{"kind":"reopen"\}\nThe mismatch:\n {2}\{"kind":"read"/,
  );
});

test('a history can be parsed from its text', () => {
  for (let seed = 0; seed < 100; seed++) {
    const text = historyText(generate(seed, 60));
    expect(historyText(historyFromText(text)) === text).toBe(true);
  }
  for (const bytes of [
    [0x5c, 0x2a, 0x7b],
    [0x27],
    [],
    new Array(40).fill(0x5c),
    new Array(40).fill(0x7b),
    [0x5c, 0x78, ...new Array(35).fill(0x36)],
  ])
    expect(fromText(toText(Uint8Array.from(bytes)))).toEqual(Uint8Array.from(bytes));
});

test('an empty campaign covers nothing', () => {
  expect(newCoverage().operations.missing()).toEqual(
    expect.arrayContaining([
      'columns in reversed read',
      'valueEquals in check',
      'columnRange open to closed',
      'sample',
      'reopen',
    ]),
  );
  expect(new RequestCoverage().missing()).toEqual(
    expect.arrayContaining([
      'SampleRowKeys',
      'RowFilter.sink',
      'ColumnRange.startQualifierOpen',
      'GcRule.intersection',
      'ReadRowsRequest.requestStatsView',
    ]),
  );
});

test('every rule is documented with its source, and has a unique name', () => {
  const documentation = readFileSync(join(__dirname, '../../docs/fidelity.md'), 'utf8');
  const rules = [
    ...historyRules,
    ...rowRules,
    ...requestRules,
    ...toleranceRules,
    ...normalizationRules,
  ];
  for (const { name, source, targets } of rules) {
    if (!targets.includes('emulator')) continue;
    expect(documentation).toContain(`\n| ${name} | `);
    expect(documentation).toContain(` | ${source} |\n`);
  }
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
});
