/** The write log, cut off, damaged or written in part at every place: a commit is found whole or not at all. */
import { writeFileSync } from 'node:fs';
import { bytes, logOf, type Pairs, reopened, segment, zeros } from './logs.js';

const samples: readonly (readonly [string, readonly Pairs[]])[] = [
  [
    'small',
    [
      [[1, bytes(20)]],
      [
        [2, bytes(5)],
        [1, undefined],
      ],
      [[3, bytes(33)]],
    ],
  ],
  [
    'of several sectors',
    [
      [[1, bytes(700)]],
      [
        [2, bytes(900)],
        [3, bytes(500)],
      ],
    ],
  ],
  // The header of the second record is in two sectors: 8 bytes of it, or 16, are in the first.
  ['across sectors from 8 bytes on', [[[1, bytes(369)]], [[2, bytes(1300)]]]],
  ['across sectors from 16 bytes on', [[[1, bytes(361)]], [[2, bytes(1300)]]]],
  [
    'with zeros',
    [
      [[1, zeros(600)]],
      [
        [2, zeros(1300)],
        [3, bytes(40)],
        [4, zeros(700)],
      ],
    ],
  ],
];

test.each(samples)('a commit that is %s is found whole or not at all', async (name, commits) => {
  const { log, from, to, before, after } = await logOf(commits);
  const split = /(\d+) bytes/.exec(name);
  if (split !== null) expect(from % 512).toBe(512 - Number(split[1]));
  const found = new Set<string>();
  const check = async (file: Buffer, damage: string): Promise<void> => {
    writeFileSync(segment(1, 1), file);
    const outcome = await reopened();
    expect([damage, outcome === before || outcome === after]).toEqual([damage, true]);
    found.add(outcome);
  };
  // Each byte of a small record; of a large one, bytes around its beginning, end and sectors.
  const isChecked = (at: number): boolean =>
    to - from < 200 || at - from < 40 || to - at < 10 || (at + 3) % 512 < 6 || at % 61 === 0;
  for (let at = from; at <= to; at++) {
    if (!isChecked(at)) continue;
    await check(log.subarray(0, at), `cut off after ${at}`);
    await check(Buffer.from(log).fill(0, at), `zero after ${at}`);
  }
  // Power loss: only some sectors were written.
  for (let sectors = 0; sectors < 64; sectors++) {
    const file = Buffer.from(log);
    for (let at = from, i = 0; at < to; i++) {
      const next = Math.min(to, at + 512 - (at % 512));
      if ((sectors & (1 << i)) === 0) file.fill(0, at, next);
      at = next;
    }
    await check(file, `sectors ${sectors}`);
  }
  expect(found).toEqual(new Set([before, after]));
});

test('a changed bit anywhere in the log is detected, or changes nothing', async () => {
  const { log, to, after } = await logOf([
    [[1, bytes(20)]],
    [
      [2, bytes(5)],
      [1, undefined],
    ],
    [
      [3, zeros(9)],
      [4, bytes(4)],
    ],
  ]);
  let detected = 0;
  for (let at = 0; at < to + 8; at++)
    for (let bit = 0; bit < 8; bit++) {
      const file = Buffer.from(log);
      file[at] ^= 1 << bit;
      writeFileSync(segment(1, 1), file);
      const outcome = await reopened();
      expect([at, bit, outcome === 'CORRUPT_DATA' || outcome === after]).toEqual([at, bit, true]);
      if (outcome === 'CORRUPT_DATA') detected++;
    }
  // All but the bytes after the last pair of each record.
  expect(detected / ((to + 8) * 8)).toBeGreaterThan(0.6);
});

test('a commit of several pieces is found whole or not at all', async () => {
  const commits: Pairs[] = [
    [[1, bytes(20)]],
    [
      [2, bytes(900_000)],
      [3, bytes(700_000)],
      [4, zeros(500_000)],
      [5, bytes(1_200_000)],
    ],
  ];
  const { log, from, to, before, after } = await logOf(commits);
  expect(to - from).toBeGreaterThan(3_000_000);
  for (let i = 0; i <= 40; i++) {
    const at = from + Math.floor(((to - from) * i) / 40);
    for (const file of [log.subarray(0, at), Buffer.from(log).fill(0, at)]) {
      writeFileSync(segment(1, 1), file);
      expect(await reopened()).toBe(i === 40 ? after : before);
    }
    // The first pieces are missing, and later ones are not.
    writeFileSync(segment(1, 1), Buffer.from(log).fill(0, from, at));
    expect(await reopened()).toBe(i === 0 ? after : before);
  }
});
