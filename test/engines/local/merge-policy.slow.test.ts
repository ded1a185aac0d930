/** What is merged next, for random levels: a merge changes the files, and no pair that is read. */
import { compareBytes, noBytes } from '../../../src/base/index.js';
import { depth, Levels } from '../../../src/engines/local/kv/levels/levels.js';
import {
  compactionStep,
  type LevelLimits,
  levelBytes,
  type MergePlan,
  nextMerge,
} from '../../../src/engines/local/kv/levels/merge-policy.js';
import {
  entryBytes,
  isWhole,
  overlaps,
  spanOf,
  type TableEntry,
  wholeTable,
  withoutSpan,
} from '../../../src/engines/local/kv/levels/table-entry.js';
import { MergedRuns } from '../../../src/engines/local/kv/merged-runs.js';
import { MemoryFiles } from '../../../src/engines/local/kv/store/store-files.js';
import { endOfKeys, mergeTables } from '../../../src/engines/local/kv/store/write-table.js';
import fc from '../../support/fast-check.js';
import { type Pair, tableOf } from './tables-of.js';

const runs = Number(process.env.RUNS ?? 25);
const files = new MemoryFiles();
const keyOf = (number: number): Uint8Array => Buffer.from(`k${10_000 + number}`);

/** A table over some keys of a part of all keys; `step` thins it, `removed` of 10 are removals. */
const table = fc.record({
  from: fc.nat(900),
  count: fc.integer({ min: 1, max: 700 }),
  step: fc.constantFrom(1, 1, 2, 5),
  removed: fc.constantFrom(0, 0, 1, 5, 10),
  valueBytes: fc.constantFrom(0, 10, 40),
  /** A part of the table was removed by ranges. */
  without: fc.constantFrom<readonly number[]>([], [], [0.2, 0.4], [0, 0.6], [0.3, 1]),
});
type TablePlan = typeof table extends fc.Arbitrary<infer T> ? T : never;
const levels = fc.record({
  newest: fc.array(table, { maxLength: 5 }),
  deeper: fc.array(fc.array(table, { maxLength: 4 }), { maxLength: 3 }),
});
const limits: fc.Arbitrary<LevelLimits> = fc.record({
  newest: fc.integer({ min: 1, max: 4 }),
  level: fc.constantFrom(2000, 20_000, 200_000),
  ratio: fc.constantFrom(2, 8),
  table: fc.constantFrom(1500, 8000, 100_000),
});

let values = 0;
async function entriesOf(plan: TablePlan, from: number, to: number): Promise<TableEntry[]> {
  const pairs: Pair[] = [];
  for (let key = Math.max(plan.from, from); key < Math.min(from + plan.count, to); key += plan.step)
    pairs.push({
      key: keyOf(key),
      value:
        key % 10 < plan.removed ? undefined : Buffer.from(`${++values}`.padEnd(plan.valueBytes)),
    });
  if (pairs.length === 0) return [];
  const whole = new Levels([[wholeTable(await tableOf(files, pairs))]]);
  if (plan.without.length === 0) return [...whole.entries[0]];
  const [start, end] = plan.without.map((part) => keyOf(Math.floor(plan.from + part * plan.count)));
  return [...whole.without({ start, end }).entries[0]];
}

async function levelsOf(plan: {
  readonly newest: readonly TablePlan[];
  readonly deeper: readonly (readonly TablePlan[])[];
}): Promise<Levels> {
  const entries: TableEntry[][] = Array.from({ length: depth + 1 }, () => []);
  for (const one of plan.newest) entries[0].push(...(await entriesOf(one, one.from, 1600)));
  for (const [at, level] of plan.deeper.entries()) {
    let from = 0;
    for (const one of [...level].sort((a, b) => a.from - b.from)) {
      const to = Math.max(one.from, from) + one.count;
      entries[at + 1].push(...(await entriesOf({ ...one, count: 1600 }, from, to)));
      from = to;
    }
  }
  return new Levels(entries);
}

/** The pairs that are read. */
function content(all: Levels): string[] {
  const merged = new MergedRuns(all.runs(noBytes, endOfKeys, false), false);
  const pairs: string[] = [];
  for (; merged.top !== undefined; merged.advance()) {
    const { bytes, keyStart, keyEnd, valueEnd, isRemoved } = merged.top;
    if (isRemoved) continue;
    const text = Buffer.from(bytes.slice(keyStart, valueEnd)).toString();
    pairs.push(`${text.slice(0, keyEnd - keyStart)} ${text.slice(keyEnd - keyStart)}`);
  }
  return pairs;
}

async function apply(all: Levels, plan: MergePlan, tableBytes: number): Promise<Levels> {
  if (plan.isMove) return all.withMoved(plan.runs.flat(), plan.level);
  let merged = all;
  const before = content(all);
  const context = { files, pause: () => Promise.resolve() };
  await mergeTables(plan, tableBytes, context, (part) => {
    merged = merged.withMerged(part);
    // What is written is read at once.
    expect(content(merged)).toEqual(before);
    return Promise.resolve();
  });
  return merged;
}

/** An entry and where it is: in level 0 the newest is first. */
interface Placed {
  readonly entry: TableEntry;
  readonly level: number;
  readonly order: number;
}
const placed = (all: Levels): Placed[] =>
  all.entries.flatMap((level, at) => level.map((entry, order) => ({ entry, level: at, order })));
const isOlder = (a: Placed, b: Placed): boolean =>
  a.level > b.level || (a.level === 0 && b.level === 0 && a.order > b.order);

/** True if the part of an entry is one of the inputs. */
const isIn = (inputs: readonly TableEntry[], { table: one, start, end }: TableEntry): boolean =>
  inputs.some(
    (input) =>
      input.table === one &&
      compareBytes(input.start, start) === 0 &&
      compareBytes(input.end, end) === 0,
  );

function expectSound(all: Levels, plan: MergePlan): void {
  const inputs = plan.runs.flat();
  expect(inputs.length).toBeGreaterThan(0);
  const span = spanOf(inputs);
  const places = placed(all);
  const chosen = places.filter(({ entry }) => isIn(inputs, entry));
  expect(chosen).toHaveLength(inputs.length);
  for (const other of places) {
    if (isIn(inputs, other.entry)) continue;
    for (const one of chosen) {
      // Older pairs that stay above, or beside, the result.
      if (overlaps(one.entry, other.entry) && isOlder(other, one))
        expect(other.level).toBeGreaterThan(plan.level);
    }
    if (plan.isOldest && other.level > 0 && overlaps(span, other.entry))
      expect(other.level).toBeLessThan(plan.level);
    if (plan.isMove && other.level === plan.level)
      for (const input of inputs) expect(overlaps(input, other.entry)).toBe(false);
  }
  // The runs are in the order of their age.
  const ages = plan.runs.map((run) => chosen.find(({ entry }) => isIn(run, entry))!);
  for (let i = 1; i < ages.length; i++) expect(isOlder(ages[i], ages[i - 1])).toBe(true);
}

function expectDisjoint(all: Levels): void {
  for (const level of all.entries.slice(1))
    for (let i = 1; i < level.length; i++)
      expect(compareBytes(level[i - 1].end, level[i].start)).toBeLessThanOrEqual(0);
}

test('merges are sound, change nothing that is read, and end within the limits', async () => {
  await fc.assert(
    fc.asyncProperty(levels, limits, async (description, sizes) => {
      let all = await levelsOf(description);
      const before = content(all);
      const cursors: (Uint8Array | undefined)[] = [];
      for (let merges = 0; ; merges++) {
        const plan = nextMerge(all, sizes, cursors);
        if (plan === undefined) break;
        expect(merges).toBeLessThan(500);
        expectSound(all, plan);
        all = await apply(all, plan, sizes.table);
        if (!plan.isMove) cursors[plan.level - 1] = spanOf(plan.runs.flat()).end;
        expectDisjoint(all);
      }
      expect(content(all)).toEqual(before);
      expect(all.entries[0].length).toBeLessThan(sizes.newest);
      for (let level = 1; level < depth; level++) {
        const bytes = all.entries[level].reduce((sum, entry) => sum + entryBytes(entry), 0);
        expect(bytes).toBeLessThanOrEqual(levelBytes(sizes, level));
      }
    }),
    { numRuns: runs },
  );
});

test('a compaction leaves one run of whole tables without removals', async () => {
  await fc.assert(
    fc.asyncProperty(levels, limits, async (description, sizes) => {
      let all = await levelsOf(description);
      const before = content(all);
      let from: Uint8Array | undefined = noBytes;
      for (let steps = 0; from !== undefined; steps++) {
        expect(steps).toBeLessThan(100);
        const { plan, next } = compactionStep(all, sizes, from);
        if (plan !== undefined) all = await apply(all, plan, sizes.table);
        expectDisjoint(all);
        from = next;
      }
      expect(content(all)).toEqual(before);
      expect(all.entries.filter(({ length }) => length > 0).length).toBeLessThanOrEqual(1);
      for (const { entry } of placed(all)) {
        expect(isWhole(entry)).toBe(true);
        expect(entry.table.info.removals).toBe(0);
      }
    }),
    { numRuns: runs },
  );
});

// Each part of it was less than half of the table, and was merged to a small table, one by one.
test('a table that small ranges have split is not merged, and one that is half empty is at once', async () => {
  const pairs = Array.from({ length: 900 }, (_, at) => ({
    key: keyOf(at),
    value: Buffer.alloc(40),
  }));
  const whole = wholeTable(await tableOf(files, pairs));
  const bounds = { newest: 4, level: 1_000_000, ratio: 8, table: 1_000_000 };
  const split = (removed: number): Levels => {
    let all = new Levels([[], [whole], ...Array.from({ length: depth - 1 }, () => [])]);
    for (let at = 0; at < 900; at += 300)
      all = all.without({ start: keyOf(at), end: keyOf(at + removed) });
    return all;
  };
  expect(split(50).entries[1]).toHaveLength(3);
  expect(nextMerge(split(50), bounds, [])).toBeUndefined();
  expect(nextMerge(split(250), bounds, [])?.runs).toEqual([split(250).entries[1]]);
});

test.each([
  ['before it', 0, 3, ['3-7']],
  ['its begin', 0, 4, ['4-7']],
  ['its begin exactly', 3, 4, ['4-7']],
  ['its middle', 4, 6, ['3-4', '6-7']],
  ['its end exactly', 6, 7, ['3-6']],
  ['its end', 6, 9, ['3-6']],
  ['all of it exactly', 3, 7, []],
  ['all of it', 2, 9, []],
  ['after it', 7, 9, ['3-7']],
])('an entry without %s: no part is empty', (_where, start, end, parts) => {
  const span = (from: number, to: number) => ({ start: keyOf(from), end: keyOf(to) });
  const numberOf = (key: Uint8Array): number =>
    Number(Buffer.from(key).toString().slice(1)) - 10_000;
  const entry = { table: {} as never, ...span(3, 7) };
  expect(
    withoutSpan(entry, span(start, end)).map(
      (each) => `${numberOf(each.start)}-${numberOf(each.end)}`,
    ),
  ).toEqual(parts);
});
