/**
 * The differential test finds what it is for: engines with a fault in them, down to a history that
 * a person can read.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReferenceEngine } from '../engines/reference-engine.js';
import type { Engine, Filter, Mutation } from '../../src/store/index.js';
import { runCampaign, uncounted } from './campaign.js';
import { generate } from './generate.js';
import { fromText, historyFromText, historyText, textOf } from './operation.js';
import { enginePeer } from './targets.js';
import { askRules, excuseRules, formRules, rowRules, tableRules } from './rules.js';
import { runHistory } from './run-history.js';
import { Said } from './responses.js';
import { Turns } from './turns.js';
import type { World } from './world.js';

const time = { now: 1_700_000_000_000 };
const options = { random: () => 0.5, clock: () => time.now };

/** Everything of a filter changed, wherever it is. */
function inside(filter: Filter, change: (leaf: Filter) => Filter): Filter {
  if (filter.kind === 'chain' || filter.kind === 'interleave')
    return { ...filter, filters: filter.filters.map((inner) => inside(inner, change)) };
  return change(filter);
}

const mutated = (
  mutations: readonly Mutation[],
  change: (mutation: Mutation) => Mutation,
): Mutation[] => mutations.map(change);

/** Engines that do one thing wrong. */
const faults: readonly (readonly [string, (engine: Engine) => Partial<Engine>])[] = [
  [
    'a limit that is one too high',
    (engine) => ({
      readRows: (plan, how) =>
        engine.readRows({ ...plan, ...(plan.limit === 2 ? { limit: 3 } : {}) }, how),
    }),
  ],
  [
    'a filter that keeps one version too many',
    (engine) => ({
      readRows: (plan, how) =>
        engine.readRows(
          {
            ...plan,
            ...(plan.filter === undefined
              ? {}
              : {
                  filter: inside(plan.filter, (leaf) =>
                    leaf.kind === 'cellsPerColumn' && leaf.count === 2
                      ? { ...leaf, count: 3 }
                      : leaf,
                  ),
                }),
          },
          how,
        ),
    }),
  ],
  [
    'a deletion that forgets its end',
    (engine) => ({
      mutateRow: (table, row) =>
        engine.mutateRow(table, {
          ...row,
          mutations: mutated(row.mutations, (one) =>
            one.kind === 'deleteFromColumn' ? { ...one, end: undefined } : one,
          ),
        }),
    }),
  ],
  [
    'an increment that forgets its sign',
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
    'an open end that is taken as closed',
    (engine) => ({
      readRows: (plan, how) =>
        engine.readRows(
          {
            ...plan,
            ...(plan.filter === undefined
              ? {}
              : {
                  filter: inside(plan.filter, (leaf) =>
                    leaf.kind === 'columnRange' && leaf.end !== undefined
                      ? { ...leaf, end: { ...leaf.end, inclusive: true } }
                      : leaf,
                  ),
                }),
          },
          how,
        ),
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
    'a rule that is forgotten',
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

const over = (engine: Engine, wrong: Partial<Engine>): Engine =>
  new Proxy(engine, {
    get: (target, name) =>
      wrong[name as keyof Engine] ??
      ((held: unknown) =>
        typeof held === 'function' ? (held as () => unknown).bind(target) : held)(
        target[name as keyof Engine],
      ),
  });

test.each(faults)('%s', async (_name, fault) => {
  const [right, other] = [new ReferenceEngine(options), new ReferenceEngine(options)];
  const peers = [
    enginePeer('the right one', () => right),
    enginePeer('the wrong one', () => over(other, fault(other))),
  ];
  const world: World = {
    peers,
    collected: peers,
    time,
    turns: new Turns(),
    said: new Said(),
    repair: async () => undefined,
    close: async () => undefined,
  };
  const message = await runCampaign(
    { firstSeed: 1, calls: 60, operations: 100_000, millis: 0 },
    world,
    () => undefined,
  ).then(
    () => 'found nothing',
    (error: Error) => error.message,
  );
  expect(message).toMatch(
    /^the wrong one disagrees\. The whole history:\n {2}SEED=\d+ npx jest test\/differential\n/,
  );
  const lines = message.slice(message.indexOf('{"families"'), message.indexOf('\nIt ends with'));
  const history = historyFromText(lines);
  // A row or two, and the call that goes wrong.
  expect(history.operations.length).toBeLessThanOrEqual(4);
  expect(await runHistory(history, peers, world, uncounted())).toMatchObject({
    peer: { name: 'the wrong one' },
  });
  const another = new ReferenceEngine(options);
  expect(
    await runHistory(
      history,
      [peers[0], enginePeer('another right one', () => another)],
      world,
      uncounted(),
    ),
  ).toBeUndefined();
});

test('an engine that forgets when it is opened again', async () => {
  const right = new ReferenceEngine(options);
  let other = new ReferenceEngine(options);
  const peers = [
    enginePeer('the right one', () => right),
    enginePeer('the forgetful one', () => other, {
      reopen: async () => void (other = new ReferenceEngine(options)),
    }),
  ];
  const world: World = {
    peers,
    collected: peers,
    time,
    turns: new Turns(),
    said: new Said(),
    repair: async () => undefined,
    close: async () => undefined,
  };
  const campaign = runCampaign(
    { firstSeed: 1, calls: 60, operations: 100_000, millis: 0 },
    world,
    () => undefined,
  );
  await expect(campaign).rejects.toThrow(/\{"kind":"reopen"\}\nIt ends with\n {2}\{"kind":"read"/);
});

test('a history is read again from its text', () => {
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
    expect(fromText(textOf(Uint8Array.from(bytes)))).toEqual(Uint8Array.from(bytes));
});

test('a campaign that makes nothing is told all of it', () => {
  expect(uncounted().made.never()).toEqual(
    expect.arrayContaining([
      'columns in reversed read',
      'valueEquals in check',
      'columnRange open to closed',
      'sample',
      'reopen',
    ]),
  );
  expect(new Said().never()).toEqual(
    expect.arrayContaining([
      'SampleRowKeys',
      'RowFilter.sink',
      'ColumnRange.startQualifierOpen',
      'GcRule.intersection',
      'ReadRowsRequest.requestStatsView',
    ]),
  );
});

test('every rule is published with its source, and has a name of its own', () => {
  const published = readFileSync(join(__dirname, '../../docs/fidelity.md'), 'utf8');
  const rules = [...tableRules, ...rowRules, ...askRules, ...excuseRules, ...formRules];
  for (const { name, source, peers } of rules) {
    if (!peers.includes('emulator')) continue;
    expect(published).toContain(`\n| ${name} | `);
    expect(published).toContain(` | ${source} |\n`);
  }
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
});
