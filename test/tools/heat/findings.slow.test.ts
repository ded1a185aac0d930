/** Findings, each with a recording that shows it and one that does not. */
import {
  type AccessOperation,
  collectAccess,
  heatFindings,
  type HeatFinding,
  hotTabletFindings,
  KeyNames,
  storageSections,
  tabletSkew,
} from '../../../src/tools/heat/index.js';
import { buildModels, type EntityModel } from '../../../src/entities/model/index.js';
import { DeviceFirst, Salted, Sequence, TimeFirst } from './support/entities.js';
import { busy } from './support/busy.js';
import { randomOf } from './support/random.js';
import { modelOf, workloads, writesOf } from './support/workloads.js';

const [deviceFirst, timeFirst, sequence] = buildModels([DeviceFirst]).concat(
  buildModels([TimeFirst]),
  buildModels([Sequence]),
);
const start = Date.UTC(2026, 0, 5);

function findingsOf(
  operations: Iterable<AccessOperation>,
  models: readonly EntityModel[],
  nodes = 3,
): readonly HeatFinding[] {
  return heatFindings(collectAccess(operations), { models, nodes, secondsOf: busy(1_000) });
}

function workloadFindings(name: string, nodes?: number, minutes = 10): readonly HeatFinding[] {
  const workload = workloads().find((each) => each.name === name)!;
  return findingsOf(writesOf(workload, minutes), [modelOf(workload)], nodes);
}

/** Reads of rows by device: `devices(n)` is the device of read `n`, `at(n)` its time. */
function* reads(
  count: number,
  device: (n: number) => string,
  { at = (n: number) => start + n, bytes = 10 } = {},
): Iterable<AccessOperation> {
  for (let n = 0; n < count; n++) {
    const key = deviceFirst.key.encode({ device: device(n), at: new Date(0) });
    yield { table: 'readings', kind: 'read', key, bytes, at: at(n) };
  }
}

const kinds = (findings: readonly HeatFinding[]): string[] => findings.map(({ kind }) => kind);

describe('sequential writes', () => {
  test('times first', () => {
    expect(workloadFindings('ms#device')).toMatchObject([
      {
        kind: 'sequentialWrites',
        level: 'error',
        table: 'readings',
        entity: 'TimeFirst',
        segment: 'at',
        windows: 10,
        judged: 10,
        problem:
          "writes are sequential in 10 of 10 windows: keys grow with the time of 'at', and 100 % of " +
          'the writes are at an end of the table, so that one node takes them all, ' +
          'up to 119 % of what a node can serve',
        fix: "put 'device' before 'at' in the key, or give the key shards (a prefix of a hash)",
      },
    ]);
  });

  test.each([
    ['sequential id', /declare 'id' as reversedId/],
    ['uuid v7 first', /use random UUIDs \(version 4\) for 'id'/],
    ['reversed ms first', /put 'device' before 'at'/],
  ])('%s: what to change', (name, fix) => {
    expect(workloadFindings(name)).toMatchObject([
      { kind: 'sequentialWrites', fix: expect.stringMatching(fix) },
    ]);
  });

  /** Ids of five minutes at random below 500,000; in the second minute from `first` on. */
  function* withImport(first: number): Iterable<AccessOperation> {
    const random = randomOf('import');
    for (let n = 0; n < 5000; n++) {
      const isImport = n >= 1000 && n < 2000;
      const id = isImport ? first + n : Math.floor(random() * 500_000);
      const key = sequence.key.encode({ id });
      yield { table: 'orders', kind: 'write', key, bytes: 1, at: start + n * 60 };
    }
  }

  test('an import at the end of the table in a single minute is a bulk load', () => {
    expect(findingsOf(withImport(600_000), [sequence])).toMatchObject([
      { kind: 'sequentialWrites', level: 'info', windows: 1, judged: 5 },
    ]);
  });

  test('an import in the middle of the table is none', () => {
    expect(kinds(findingsOf(withImport(200_000), [sequence]))).toEqual([]);
  });

  test('keys that no entity decodes', () => {
    const [finding] = findingsOf(
      writesOf(
        workloads().find(({ name }) => name === 'ms#device')!,
        2,
      ),
      [],
    );
    expect(finding).toMatchObject({ kind: 'sequentialWrites', table: 'readings' });
    expect([finding.entity, finding.segment]).toEqual([undefined, undefined]);
    expect(finding.fix).toContain('begin the key with a value that differs');
  });

  test('reads in the order of keys are not writes', () => {
    const scan = reads(5000, (n) => String(n).padStart(6, '0'));
    expect(kinds(findingsOf(scan, [deviceFirst]))).not.toContain('sequentialWrites');
  });

  test('two entities of one table are judged on their own', () => {
    const mixed = function* (): Iterable<AccessOperation> {
      const random = randomOf('two entities');
      for (let n = 0; n < 2000; n++) {
        const at = start + n * 30;
        const values = { at: new Date(at), device: `z${Math.floor(random() * 500)}` };
        const key = (n % 2 === 0 ? timeFirst : deviceFirst).key.encode(values);
        yield { table: 'readings', kind: 'write', key, bytes: 1, at };
      }
    };
    expect(findingsOf(mixed(), [timeFirst, deviceFirst])).toMatchObject([
      { kind: 'sequentialWrites', entity: 'TimeFirst' },
    ]);
  });
});

describe('write fronts', () => {
  test('five devices are few for ten nodes, and enough for three', () => {
    expect(workloadFindings('device#ms (5 devices)', 10)).toMatchObject([
      {
        kind: 'writeFronts',
        segment: 'device',
        figures: { nodes: 10, fronts: expect.closeTo(5, 0) },
        problem: expect.stringContaining(
          "about 5 places at a time in 10 of 10 windows, fewer than 10 nodes: 'device' has 5 values",
        ),
      },
    ]);
    expect(workloadFindings('device#ms (5 devices)', 3)).toEqual([]);
  });

  test('16 shards', () => {
    expect(kinds(workloadFindings('salt16#ms', 30))).toEqual(['writeFronts']);
    expect(kinds(workloadFindings('salt16#ms', 10))).toEqual([]);
  });
});

describe('hot rows', () => {
  const random = randomOf('hot');
  const share = (hot: number) => (): string =>
    random() < hot ? 'popular' : `device-${Math.floor(random() * 50_000)}`;
  test.each([
    [0.3, ['hotRow error']],
    [0.03, ['hotRow warning']],
    [0.002, []],
  ])('%d of the reads on one row', (hot, expected) => {
    const findings = findingsOf(reads(10_000, share(hot)), [deviceFirst]);
    expect(findings.map(({ kind, level }) => `${kind} ${level}`)).toEqual(expected);
    if (expected.length === 0) return;
    expect(findings[0].key).toBe('DeviceFirst: device=popular, at=1970-01-01T00:00:00.000Z');
    expect(findings[0].figures.share).toBeCloseTo(hot, 1);
  });

  test.each([
    [20, ['hotRow']],
    [19, []],
  ])('%d of about 400 operations', (count, expected) => {
    const others = reads(380, (n) => `device-${n}`);
    const popular = reads(count, () => 'popular');
    expect(kinds(findingsOf([...popular, ...others], [deviceFirst]))).toEqual(expected);
  });

  test('a window with few operations is not judged', () => {
    expect(
      findingsOf(
        reads(150, () => 'popular'),
        [deviceFirst],
      ),
    ).toEqual([]);
  });
});

describe('hot ranges', () => {
  test('few users with most of the writes', () => {
    expect(workloadFindings('zipf user#ms', 3, 60)).toMatchObject([
      {
        kind: 'hotRange',
        entity: 'DeviceFirst',
        segment: 'device',
        problem: expect.stringMatching(
          /^5 % of the key ranges take \d\d % .*most by 'device': device-/,
        ),
      },
    ]);
  });

  test('even load', () => {
    expect(workloadFindings('device#ms (1000 devices)')).toEqual([]);
  });

  test('reads of few rows among many', () => {
    const random = randomOf('hot range');
    const device = (): string => {
      const [hot, chosen] = [random() < 0.9, random()];
      return String(Math.floor(hot ? chosen * 400 : chosen * 100_000)).padStart(6, '0');
    };
    expect(
      kinds(findingsOf(reads(60_000, device, { at: (n) => start + n * 30 }), [deviceFirst])),
    ).toEqual(['hotRange']);
  });
});

describe('periodic load', () => {
  const random = randomOf('periodic');
  const device = (): string => `device-${Math.floor(random() * 9999)}`;
  /** Reads of each minute, of three hours by default. */
  const minutes = (count: (minute: number) => number, length = 180): readonly AccessOperation[] =>
    Array.from({ length }, (_, minute) => [
      ...reads(count(minute), device, { at: () => start + minute * 60_000 }),
    ]).flat();

  test('a burst every 15 minutes', () => {
    expect(
      findingsOf(
        minutes((minute) => (minute % 15 === 0 ? 190 : 10)),
        [deviceFirst],
      ),
    ).toMatchObject([
      {
        kind: 'periodicLoad',
        level: 'info',
        figures: { periodMinutes: 15 },
        problem: expect.stringMatching(/every 15 minutes: the greatest is \d\.\d times the mean/),
      },
    ]);
  });

  test.each([
    [45, ['periodicLoad']],
    [44, []],
  ])('a burst every 15 minutes, in %d minutes', (length, expected) => {
    const burst = (minute: number): number => (minute % 15 === 0 ? 190 : 10);
    expect(kinds(findingsOf(minutes(burst, length), [deviceFirst]))).toEqual(expected);
  });

  test('a period of less than a minute has its unit', () => {
    const operations = Array.from({ length: 200 }, (_, n) => [
      ...reads(n % 10 === 0 ? 90 : 5, device, { at: () => start + n * 50 }),
    ]).flat();
    const [finding] = heatFindings(collectAccess(operations, { windowMs: 50 }), {
      models: [deviceFirst],
    });
    expect(finding.problem).toMatch(/^load comes in bursts every 500 ms:/);
  });

  test.each<[what: string, count: (minute: number) => number]>([
    ['even load', () => 30],
    ['load at random', () => Math.floor(random() * 60)],
    [
      'load that comes and goes once',
      (minute) =>
        Math.round(10 + 160 * Math.exp(-(((minute - 60) / 30) ** 2)) + (minute % 3 === 0 ? 15 : 0)),
    ],
    ['a single burst', (minute) => (minute === 90 ? 190 : 10)],
    ['waves that are small', (minute) => (minute % 15 === 0 ? 40 : 30)],
  ])('%s', (_what, count) => {
    expect(findingsOf(minutes(count), [deviceFirst])).toEqual([]);
  });
});

describe('large rows', () => {
  test.each([
    [300, ['error']],
    [150, ['warning']],
    [50, []],
  ])('%d MiB read at a time', (mebibytes, levels) => {
    const random = randomOf('large');
    const even = reads(1000, () => `device-${Math.floor(random() * 5000)}`);
    const large = reads(1, () => 'large', { bytes: mebibytes * 2 ** 20 });
    const findings = findingsOf([...even, ...large], [deviceFirst]);
    expect(findings.map(({ kind, level }) => [kind, level])).toEqual(
      levels.map((level) => ['largeRow', level]),
    );
    if (levels.length > 0) expect(findings[0].problem).toContain('device=large');
  });
});

describe('storage', () => {
  const names = new KeyNames('readings', [deviceFirst]);
  const keyOf = (device: string): Uint8Array => deviceFirst.key.encode({ device, at: new Date(0) });
  const sampled = (...sizes: number[]) => {
    let offsetBytes = 0;
    return sizes.map((size, i) => {
      offsetBytes += size * 2 ** 20;
      const isLast = i === sizes.length - 1;
      return { key: isLast ? new Uint8Array() : keyOf(`d${i}`), offsetBytes };
    });
  };

  test('a section that is ten times as large as the other sections', () => {
    const sections = storageSections(sampled(100, 100, 1000, 100, 100));
    expect(tabletSkew('readings', sections, names)).toMatchObject([
      {
        kind: 'tabletSkew',
        entity: 'DeviceFirst',
        figures: { skew: 10, largestBytes: 1000 * 2 ** 20, medianBytes: 100 * 2 ** 20 },
        problem: expect.stringContaining('device=d1, at=1970-01-01T00:00:00.000Z to DeviceFirst'),
      },
    ]);
  });

  test('a table that was split for rows to come', () => {
    const [finding] = tabletSkew('readings', storageSections(sampled(0, 0, 90, 0, 0, 1, 0)), names);
    expect(finding.problem).toMatch(/^one section of the table is 6.9 times as large as the mean:/);
    expect(tabletSkew('readings', storageSections(sampled(0, 0, 0.5, 0, 0)), names)).toEqual([]);
  });

  test.each([[[100, 120, 90, 110]], [[100, 1000]], [[]]])('%j is even, or too few', (sizes) => {
    expect(tabletSkew('readings', storageSections(sampled(...sizes)), names)).toEqual([]);
  });

  test('hot tablets', () => {
    const tablet = (cpu: number) => ({
      table: 'readings',
      startKey: keyOf('a'),
      endKey: new Uint8Array(),
      cpu,
      start,
      end: start,
    });
    const findings = hotTabletFindings([tablet(0.09), tablet(0.2), tablet(0.9)], () => names);
    expect(findings.map(({ level, figures }) => [level, figures.cpu])).toEqual([
      ['error', 0.9],
      ['warning', 0.2],
    ]);
    expect(findings[0].problem).toContain("uses 90 % of a node's CPU");
    expect(findings[0].problem).toContain('device=a, at=1970-01-01T00:00:00.000Z to the end');
  });
});

test('the shard of a key is shown before its segments', () => {
  const [salted] = buildModels([Salted]);
  const names = new KeyNames('readings', [salted]);
  const key = salted.key.encode({ at: new Date('2026-01-05'), device: 'd1' });
  const shard = salted.key.shardOf(key);
  expect(shard).toMatch(/^\d\d$/);
  expect(names.text(key)).toBe(`Salted: shard=${shard}, at=2026-01-05T00:00:00.000Z, device=d1`);
});
