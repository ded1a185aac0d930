/**
 * Imports of real-world files: with invalid lines, truncated, damaged, interrupted, and larger than
 * memory.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { type Database, open } from '../../../src/index.js';
import type { RowMutation } from '../../../src/storage.js';
import { importRows } from '../../../src/tools/transfer/index.js';
import { Reading, model, good, importSuite } from './import-rows.js';

const { folder, database, file, run, all } = importSuite();

test('a line is a row; what it does not name is absent, despite defaults of the class', async () => {
  expect(await run(file('one.jsonl', `\uFEFF${good}\r\n\n`))).toEqual({
    written: 1,
    rejected: 0,
    expired: 0,
    reasons: [],
    resumedAfter: 0,
  });
  expect(await all()).toEqual([
    Object.assign(new Reading(), {
      device: 'd',
      at: new Date('2026-01-01'),
      temperature: 1.5,
      count: 9007199254740993n,
      tags: new Map([['a', 'b']]),
      note: undefined,
    }),
  ]);
  const cells = await database()
    .repository(Reading)
    .history({ device: 'd', at: new Date('2026-01-01') }, 'note');
  expect(cells).toEqual([]);
});

test.each<[string, string, string]>([
  ['invalid JSON', '{"device":"d",', 'the line is not JSON: '],
  ['not an object', '[1]', 'the line is not a JSON object'],
  ['a missing segment', '{"at":"2026-01-01"}', 'device: '],
  [
    'a segment too long',
    `{"device":"${'x'.repeat(21)}","at":"2026-01-01","temperature":1}`,
    'device: ',
  ],
  [
    'an invalid timestamp',
    '{"device":"d","at":"yesterday","temperature":1}',
    'at: expected a timestamp in ISO 8601 (2026-11-20T09:30:00Z), got the string "yesterday"',
  ],
  [
    'a rounded number',
    '{"device":"d","at":"2026-01-01","count":9007199254740993}',
    'count: expected a whole number, got the number 9007199254740992',
  ],
  [
    'a number as text',
    '{"device":"d","at":"2026-01-01","temperature":"warm"}',
    'temperature: expected a number, got the string "warm"',
  ],
  [
    'an unknown property',
    '{"device":"d","at":"2026-01-01","temprature":1}',
    "temprature: Reading has no property 'temprature'",
  ],
  [
    'an entry of another kind',
    '{"device":"d","at":"2026-01-01","tags":{"a":1}}',
    'tags["a"]: expected text, got the number 1',
  ],
  [
    'a list for a map',
    '{"device":"d","at":"2026-01-01","tags":["a"]}',
    'tags: expected an object of entries, got an array',
  ],
  ['nothing but a key', '{"device":"d","at":"2026-01-01"}', 'no column has a value'],
  [
    'a violated rule',
    '{"device":"d","at":"2026-01-01","temperature":101}',
    'temperature: temperature must not be greater than 100',
  ],
  [
    'an invalid cell timestamp',
    '{"device":"d","at":"2026-01-01","temperature":1,"@at":"now"}',
    '@at: it is the string "now"',
  ],
  [
    'malformed older versions',
    '{"device":"d","at":"2026-01-01","temperature":1,"@older":{"temperature":[1]}}',
    'temperature: its older versions are not a list of [microseconds, value]',
  ],
])(
  'an invalid line is reported with its number, and the others are imported: %s',
  async (_what, bad, reason) => {
    const path = file('bad.jsonl', `${good}\n${bad}\n${good.replace('"d"', '"e"')}\n`);
    const rejects = join(folder, 'bad.rejects.jsonl');
    const result = await run(path, { rejects });
    expect(result).toMatchObject({ written: 2, rejected: 1, reasons: [{ lines: 1 }] });
    const [reported, ...more] = readFileSync(rejects, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { line: number; reason: string; text: string });
    expect(more).toEqual([]);
    expect(reported).toMatchObject({ line: 2, text: bad });
    expect(reported.reason.startsWith(reason)).toBe(true);
    expect((await all()).map(({ device }) => device)).toEqual(['d', 'e']);
  },
);

test('lines that are not UTF-8 are reported, and the others are imported', async () => {
  const path = file(
    'latin1.jsonl',
    Buffer.concat([
      Buffer.from(`${good}\n{"device":"f`),
      Uint8Array.of(0xfc),
      Buffer.from(`r","at":"2026-01-01","temperature":1}\n${good.replace('"d"', '"ü"')}\n`),
    ]),
  );
  expect(await run(path)).toMatchObject({
    written: 2,
    rejected: 1,
    reasons: [{ reason: 'the line is not UTF-8', lines: 1 }],
  });
});

test('invalid lines are counted by reason, and too many stop the import', async () => {
  const path = file(
    'many.jsonl',
    Array.from({ length: 50 }, (_, i) => {
      if (i % 5 === 0) return `{"device":${i}`;
      if (i % 2 === 0) return `{"device":"d${i}","at":"${i}x"}`;
      return good;
    }).join('\n'),
  );
  const { reasons, rejected, written } = await run(path);
  expect(reasons).toEqual([
    {
      reason: 'at: expected a timestamp in ISO 8601 (2026-11-20T09:30:00Z), got a string',
      lines: 20,
    },
    { reason: 'the line is not JSON', lines: 10 },
  ]);
  expect([rejected, written]).toEqual([30, 20]);
  await expect(run(path, { maxRejected: 7 })).rejects.toMatchObject({
    code: 'FILE_FAILED',
    details: {
      problem: expect.stringMatching(/^more than 7 lines are invalid; the last is line 13: /),
    },
  });
  expect(existsSync(`${path}.rowsmith-import.json`)).toBe(false);
});

describe('truncated files', () => {
  test('JSON Lines: the last line is rejected with the reason', async () => {
    const rejects = join(folder, 'cut.rejects.jsonl');
    expect(
      await run(file('cut.jsonl', `${good}\n${good.slice(0, 30)}`), { rejects }),
    ).toMatchObject({ written: 1, rejected: 1 });
    expect(readFileSync(rejects, 'utf8')).toContain('the file ends here and may be truncated');
  });

  test('gzip: what was read is written, and the error names the damage', async () => {
    const lines = Array.from({ length: 5000 }, (_, i) => good.replace('"d"', `"${i}"`)).join('\n');
    const whole = gzipSync(lines);
    await expect(
      run(file('cut.jsonl.gz', whole.subarray(0, whole.length - 100)), { gzip: true }),
    ).rejects.toMatchObject({
      code: 'FILE_FAILED',
      details: { problem: expect.stringContaining('truncated') },
    });
    const damaged = Buffer.from(whole);
    damaged.fill(0x55, whole.length / 2, whole.length / 2 + 50);
    await expect(run(file('damaged.jsonl.gz', damaged), { gzip: true })).rejects.toMatchObject({
      code: 'FILE_FAILED',
      details: { problem: expect.stringContaining('damaged') },
    });
    await expect(run(file('plain.jsonl.gz', lines), { gzip: true })).rejects.toMatchObject({
      code: 'FILE_FAILED',
      details: { problem: expect.stringContaining('damaged') },
    });
    expect(await run(file('whole.jsonl.gz', whole), { gzip: true })).toMatchObject({
      written: 5000,
      rejected: 0,
    });
  });

  test('a missing file, a directory', async () => {
    await expect(run(join(folder, 'nothing.jsonl'))).rejects.toMatchObject({
      code: 'FILE_FAILED',
      details: { problem: 'there is no such file' },
    });
    await expect(run(folder)).rejects.toMatchObject({
      code: 'FILE_FAILED',
      details: { problem: 'it is a directory' },
    });
  });
});

test('streams are imported, and class-validator rules can be disabled', async () => {
  expect(
    await run(Readable.from([Buffer.from(good.slice(0, 10)), Buffer.from(`${good.slice(10)}\n`)])),
  ).toMatchObject({ written: 1 });
  expect(
    await run(Readable.from([Buffer.from(good.replace('1.5', '500'))]), { validate: false }),
  ).toMatchObject({ written: 1, rejected: 0 });
});

describe('lines of one row', () => {
  const lines = (...temperatures: readonly unknown[]) =>
    temperatures
      .map((temperature, i) =>
        JSON.stringify({
          device: 'd',
          at: '2026-01-01',
          temperature,
          count: i === 0 ? '1' : undefined,
        }),
      )
      .join('\n');

  test('the later wins, even if storage writes the rows of a batch in any order', async () => {
    const reversing = new Proxy(database().engine, {
      get: (engine, name: keyof Database['engine']) =>
        name === 'mutateRows'
          ? async (table: string, rows: readonly RowMutation[]) =>
              [...(await engine.mutateRows(table, [...rows].reverse()))].reverse()
          : (engine[name] as () => unknown).bind(engine),
    });
    const path = file(
      'again.jsonl',
      `${lines(1, 2, 3)}\n${good.replace('"d"', '"e"')}\n${lines(5, 4)}\n`,
    );
    expect(
      await importRows(reversing, model, path, { format: 'jsonl', clock: () => 7 }),
    ).toMatchObject({ written: 6, rejected: 0 });
    const [row] = await all();
    expect([row.temperature, row.count]).toEqual([4, 1n]);
    expect(
      (await database().repository(Reading).history(row, 'temperature')).map(({ at, value }) => [
        at.getTime(),
        value,
      ]),
    ).toEqual([[7, 4]]);
  });

  test('also across batches, several of which are in flight', async () => {
    const path = file(
      'batches.jsonl',
      Array.from(
        { length: 9_000 },
        (_, i) => `{"device":"d${i % 700}","at":"2026-01-01","count":"${i}"}`,
      ).join('\n'),
    );
    const slow = new Proxy(database().engine, {
      get: (engine, name: keyof Database['engine']) =>
        name === 'mutateRows'
          ? // The earlier a batch, the longer it takes.
            async (table: string, rows: readonly RowMutation[]) => {
              await new Promise((resolve) => setTimeout(resolve, Math.max(0, 30 - sent++ * 10)));
              return engine.mutateRows(table, rows);
            }
          : (engine[name] as () => unknown).bind(engine),
    });
    let sent = 0;
    expect(await importRows(slow, model, path, { format: 'jsonl' })).toMatchObject({
      written: 9_000,
      rejected: 0,
    });
    for (const { device, count } of await all())
      expect(count).toBe(
        BigInt([...Array(9_000).keys()].filter((i) => `d${i % 700}` === device).at(-1)!),
      );
  });

  test('one that storage rejects does not affect the others', async () => {
    const tag = (name: string): string =>
      JSON.stringify({ device: 'd', at: '2026-01-01', tags: { [name]: 'x' } });
    const path = file('apart.jsonl', [tag('a'), tag('q'.repeat(17_000)), tag('b')].join('\n'));
    const rejects = `${path}.rejects.jsonl`;
    expect(await run(path, { rejects })).toMatchObject({ written: 2, rejected: 1 });
    expect(JSON.parse(readFileSync(rejects, 'utf8'))).toMatchObject({ line: 2 });
    expect([...(await all())[0].tags!.keys()]).toEqual(['a', 'b']);
  });
});

test('an input in a read-only directory is imported, and a stream cannot be resumed', async () => {
  const locked = join(folder, 'locked');
  mkdirSync(join(locked, 'rows.jsonl.rowsmith-import.json'), { recursive: true });
  writeFileSync(join(locked, 'rows.jsonl'), good);
  expect(await run(join(locked, 'rows.jsonl'))).toMatchObject({ written: 1, rejected: 0 });
  await expect(run(Readable.from([Buffer.from(good)]), { resume: true })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { property: 'resume' },
  });
});

test('a failing engine ends the import with its error', async () => {
  const path = file(
    'late.jsonl',
    Array.from({ length: 10_000 }, (_, i) => good.replace('"d"', `"${i}"`)).join('\n'),
  );
  const closed = await open('memory:', { entities: [Reading] });
  await closed.close();
  await expect(importRows(closed.engine, model, path, { format: 'jsonl' })).rejects.toMatchObject({
    code: 'DATABASE_CLOSED',
  });
});
