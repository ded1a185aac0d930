/**
 * Imports of real-world files: with invalid lines, truncated, damaged, interrupted, and larger than
 * memory.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { IsOptional, Max } from 'class-validator';
import {
  Column,
  ColumnMap,
  type Database,
  Entity,
  maxVersions,
  open,
  rowKey,
  RowsmithError,
  Segment,
} from '../../src/index.js';
import type { RowMutation } from '../../src/storage.js';
import { buildModel } from '../../src/model/index.js';
import {
  exportRows,
  importRows,
  type ImportOptions,
  type ImportProgress,
} from '../../src/transfer/index.js';
import { csvInput } from '../../src/transfer/file/csv-input.js';
import { readingOptions } from '../../src/transfer/import/reading-options.js';

@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) }, t: {} } })
class Reading {
  static readonly key = rowKey('device', 'at');
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') @IsOptional() @Max(100) temperature?: number;
  @Column('m', 'int64') count?: bigint;
  @Column('m', 'string') note = 'a default of the class';
  @ColumnMap('t', 'string') tags?: Map<string, string>;
}

const model = buildModel(Reading);
// Tests are slow on a busy machine.
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-import-'));
let db: Database;
beforeEach(async () => {
  db = await open('memory:', { entities: [Reading] });
});
afterEach(() => db.close());
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
const run = (path: string | Readable, options: Partial<ImportOptions> = {}) =>
  importRows(db.engine, model, path, { format: 'jsonl', ...options });
const all = () => db.repository(Reading).scanAll().all();
const good =
  '{"device":"d","at":"2026-01-01T00:00:00.000Z","temperature":1.5,"count":"9007199254740993","tags":{"a":"b"}}';

test('a line is a row; what it does not name is absent, despite defaults of the class', async () => {
  expect(await run(file('one.jsonl', `\uFEFF${good}\r\n\n`))).toEqual({
    written: 1,
    rejected: 0,
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
  const cells = await db
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
    'temperature: temperature: temperature must not be greater than 100',
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

describe('CSV', () => {
  const csv = (text: string, options: Partial<ImportOptions> = {}) =>
    run(file('rows.csv', text), { format: 'csv', ...options });

  test('quotes, line breaks in fields, empty texts and absent values', async () => {
    const head = 'device,at,temperature,note,tags';
    expect(
      await csv(
        `\uFEFF${head}\r\n"a,""b""\r\nc",2026-01-01,,"",\r\nd,2026-01-01T00:00:00Z,1e1,plain,"{""x"":""y""}"\r\n`,
      ),
    ).toMatchObject({ written: 2, rejected: 0 });
    const rows = await all();
    expect(
      rows.map(({ device, temperature, note, tags }) => ({ device, temperature, note, tags })),
    ).toEqual([
      { device: 'a,"b"\r\nc', temperature: undefined, note: '', tags: undefined },
      { device: 'd', temperature: 10, note: 'plain', tags: new Map([['x', 'y']]) },
    ]);
  });

  test.each([
    [
      'an unknown column',
      'device,at,temprature\n',
      "the header names 'temprature', which is not a property of Reading",
    ],
    ['no key', 'device,temperature\n', "the header does not name 'at', a segment of the key"],
    ['a column twice', 'device,at,note,note\n', "the header names 'note' twice"],
    ['nothing', '', 'it is empty and has no header'],
  ])(
    'a header that does not match is an error before anything is written: %s',
    async (_what, text, problem) => {
      await expect(csv(`${text}${text === '' ? '' : 'd,2026-01-01,1,1\n'}`)).rejects.toMatchObject({
        code: 'FILE_FAILED',
        details: { problem },
      });
      expect(await all()).toEqual([]);
    },
  );

  test('invalid lines', async () => {
    const rejects = join(folder, 'rows.csv.rejects.jsonl');
    const result = await csv(
      'device,at,temperature,tags\nd,2026-01-01,1,\nd,2026-01-01\ne,2026-01-01,2,{x\n"f"x,2026-01-01,3,\nh"h,2026-01-01,3,\ng,2026-01-01,4,\n"never,2026-01-01,4,',
      { rejects },
    );
    expect(result).toMatchObject({ written: 2, rejected: 5 });
    const reported = readFileSync(rejects, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { reason: string }).reason);
    expect(reported).toEqual(
      expect.arrayContaining([
        'the line has 2 fields, and the header 4',
        expect.stringMatching(/^tags: the field is not JSON/),
        'the line is not CSV: text after a closing quote',
        'the line is not CSV: a quote in a field without quotes',
        expect.stringMatching(
          /^the line is not CSV: the quote opened in line \d is not closed; the/,
        ),
      ]),
    );
  });

  test('unknown columns are ignored if requested', async () => {
    expect(
      await csv('device,at,temperature,weather\nd,2026-01-01,1,fine\n', { ignoreUnknown: true }),
    ).toMatchObject({ written: 1, rejected: 0 });
  });
});

describe('CSV of other programs', () => {
  const csv = (content: string, options: Partial<ImportOptions> = {}) =>
    run(file('other.csv', content), { format: 'csv', ...options });
  const rejectedBy = async (content: string, options: Partial<ImportOptions> = {}) => {
    const rejects = join(folder, 'other.rejects');
    await csv(content, { rejects, ...options });
    const lines = readFileSync(rejects, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as { line: number; reason: string; text: string });
  };

  test('a quote that is not closed costs its line and not the file', async () => {
    const at = '2026-01-01T00:00:00Z';
    const lines = Array.from({ length: 5_000 }, (_, i) => `d${i},${at},"note ""of"" ${i}"\n`);
    lines[0] = `d0,${at},"open\n`;
    lines[4_000] = `d4000,${at},"open\n`;
    const plain = lines.map((line, i) => (i > 4_000 ? `e${i},${at},plain\n` : line));
    const content = `device,at,note\n${plain.join('')}`;
    const bad = await rejectedBy(content, { maxRecordLength: 10_000 });
    expect(bad).toEqual([
      {
        line: 2,
        reason:
          'the line is not CSV: the quote opened in line 2 is not closed before other text; the next record is read from line 3',
        text: `d0,${at},"open`,
      },
      {
        line: 4002,
        reason:
          'the line is not CSV: the quote opened in line 4002 is not closed within 10000 characters; the next record is read from line 4003',
        text: `d4000,${at},"open`,
      },
    ]);
    expect(await all()).toHaveLength(4_998);
    await expect(csv(content, { maxRecordLength: 0 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  test('a mark at the start, another delimiter, other names and blanks around numbers', async () => {
    const content = '\uFEFF"Device ID";at;Temp (C);count;note\nd1; 2026-01-01 ;\t1.5 ; 42;" a;b"\n';
    const options = {
      delimiter: ';',
      columns: { 'Device ID': 'device', 'Temp (C)': 'temperature' },
    };
    expect(await csv(content, options)).toMatchObject({ written: 1, rejected: 0 });
    expect(await all()).toMatchObject([
      { device: 'd1', at: new Date('2026-01-01'), temperature: 1.5, count: 42n, note: ' a;b' },
    ]);
    await expect(csv(content.replace('\uFEFF"Device ID"', 'device'))).rejects.toMatchObject({
      details: {
        fix: expect.stringMatching(/^is the delimiter ";"\? the first line names/) as string,
      },
    });
  });

  test.each<[Partial<ImportOptions>, string, string]>([
    [{ delimiter: ';;' }, 'INVALID_ARGUMENT', 'the delimiter is ";;"'],
    [{ delimiter: '"' }, 'INVALID_ARGUMENT', 'the delimiter is'],
    [{ delimiter: 1n as never }, 'INVALID_ARGUMENT', 'the delimiter is 1n'],
    [{ format: 'jsonl', delimiter: ';' }, 'INVALID_ARGUMENT', 'delimiter is an option of CSV'],
    [{ format: 'jsonl', columns: {} }, 'INVALID_ARGUMENT', 'columns is an option of CSV'],
    [{ columns: { a: 'temprature' } }, 'INVALID_ARGUMENT', '\'a\' is mapped to "temprature"'],
    [{ columns: new Map([['a', 'note']]) as never }, 'INVALID_ARGUMENT', 'columns is a Map'],
    [{ columns: { Device: 'device' } }, 'FILE_FAILED', "does not name 'Device'"],
    [{ columns: { note: 'device' } }, 'FILE_FAILED', "the header names 'device' twice"],
    [{ zone: 'Europe/Paris' }, 'INVALID_ARGUMENT', 'the zone is "Europe/Paris"'],
    [{ zone: '+25:00' }, 'INVALID_ARGUMENT', 'the zone is "+25:00"'],
  ])('%p is rejected', async (options, code, problem) => {
    await expect(csv('device,at,note\nd,2026-01-01,x\n', options)).rejects.toMatchObject({
      code,
      details: {
        problem: expect.stringContaining(problem) as string,
        fix: expect.any(String) as string,
      },
    });
  });

  test('timestamps without a zone are those of the option, or rejected', async () => {
    const times = ['2026-11-20 09:30:00', '2026-11-20T09:30', '2026-11-20 09:30:00.250'];
    const content = `device,at,count\n${times.map((at, i) => `d${i},${at},1`).join('\n')}\n`;
    expect((await rejectedBy(content)).map(({ reason }) => reason)).toEqual(
      times.map((at) => `at: expected a timestamp with a time zone, got the string "${at}"`),
    );
    const stored = async () => (await all()).map(({ at }) => at.toISOString());
    await csv(content, { zone: '+02:00' });
    expect(await stored()).toEqual([
      '2026-11-20T07:30:00.000Z',
      '2026-11-20T07:30:00.000Z',
      '2026-11-20T07:30:00.250Z',
    ]);
    await db.repository(Reading).deleteMany(await all());
    // A zone in the file has precedence, and days begin in UTC.
    const others = ['2026-11-20 09:30:00Z', '2026-11-20T09:30:00+01:00', '2026-11-20'];
    await csv(`device,at,count\n${others.map((at, i) => `d${i},${at},1`).join('\n')}\n`, {
      zone: '-05:00',
    });
    expect(await stored()).toEqual([
      '2026-11-20T09:30:00.000Z',
      '2026-11-20T08:30:00.000Z',
      '2026-11-20T00:00:00.000Z',
    ]);
  });

  test('days that a month does not have are rejected, and not moved to the next month', async () => {
    const wrong = ['2026-02-29', '2026-02-30T09:30:00Z', '2026-04-31 09:30:00', '1900-02-29'];
    const right = ['2024-02-29', '2000-02-29T09:30:00Z', '2026-04-30 09:30:00', '2026-12-31'];
    const content = [...wrong, ...right].map((at, i) => `d${i},${at},1`).join('\n');
    expect(await csv(`device,at,count\n${content}\n`, { zone: 'UTC' })).toMatchObject({
      rejected: wrong.length,
    });
    expect((await all()).map(({ at }) => at.toISOString().slice(0, 10))).toEqual(
      right.map((at) => at.slice(0, 10)),
    );
  });

  test('an export with another delimiter is imported unchanged', async () => {
    await csv('device;at;note\nd;2026-01-01;"a;b,c"\n', { delimiter: ';' });
    const path = join(folder, 'tabs.csv');
    const before = await all();
    await exportRows(db.engine, model, path, { format: 'csv', delimiter: ';' });
    expect(readFileSync(path, 'utf8')).toContain(';"a;b,c";');
    await db.repository(Reading).deleteMany(before);
    expect(await run(path, { format: 'csv', delimiter: ';' })).toMatchObject({ written: 1 });
    expect(await all()).toEqual(before);
    await expect(
      exportRows(db.engine, model, path, { format: 'jsonl', delimiter: ';' }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

test('the reasons of a resumed import include those of earlier runs', async () => {
  const bad = good.replace('1.5', '"warm"');
  const lines = Array.from({ length: 30 }, (_, i) =>
    i % 10 === 0 ? bad : good.replace('"d"', `"${i}"`),
  );
  const path = file('reasons.jsonl', `${lines.join('\n')}\n`);
  const rejects = `${path}.rejects.jsonl`;
  const reason = 'temperature: expected a number, got a string';
  // As a stopped import leaves it after 15 lines.
  const { size, mtimeMs } = statSync(path);
  const first = `${JSON.stringify({ line: 1, reason: 'r', text: bad })}\n`;
  writeFileSync(rejects, first);
  const position = { line: 15, written: 13, rejected: 2, rejectedBytes: first.length, began: 1 };
  const stored = { entity: 'Reading', table: 'readings', size, modified: mtimeMs };
  const state = (reasons?: object): void =>
    writeFileSync(
      `${path}.rowsmith-import.json`,
      JSON.stringify({
        ...stored,
        options: readingOptions({ format: 'jsonl', rejects }, csvInput(model, { format: 'jsonl' })),
        position: { ...position, reasons },
      }),
    );
  state({ [reason]: 2 });
  expect(await run(path, { rejects, resume: true })).toMatchObject({
    rejected: 3,
    reasons: [{ reason, lines: 3 }],
    resumedAfter: 15,
  });
  state();
  await expect(run(path, { rejects, resume: true })).rejects.toMatchObject({
    code: 'FILE_FAILED',
    details: { problem: 'it is not the state of an import' },
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
    const reversing = new Proxy(db.engine, {
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
      (await db.repository(Reading).history(row, 'temperature')).map(({ at, value }) => [
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
    const slow = new Proxy(db.engine, {
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

test('an error that no line caused ends the import without rejecting lines, and it can be resumed', async () => {
  const lines = Array.from({ length: 2_200 }, (_, i) => good.replace('"d"', `"${i}"`));
  const path = file('outage.jsonl', lines.join('\n'));
  const rejects = `${path}.rejects.jsonl`;
  for (const code of ['UNAVAILABLE', 'QUOTA_EXCEEDED', 'FAMILY_NOT_FOUND'] as const) {
    const failing = new Proxy(db.engine, {
      get: (engine, name: keyof Database['engine']) =>
        name === 'mutateRows'
          ? async (table: string, rows: readonly RowMutation[]) => (
              await engine.mutateRows(table, rows.slice(1)),
              rows.map((_, i) => (i === 0 ? new RowsmithError(code) : undefined))
            )
          : (engine[name] as () => unknown).bind(engine),
    });
    await expect(
      importRows(failing, model, path, { format: 'jsonl', rejects }),
    ).rejects.toMatchObject({ code });
    expect(existsSync(rejects)).toBe(false);
  }
  expect(await run(path, { rejects, resume: true })).toMatchObject({ written: 2_200, rejected: 0 });
  expect(await all()).toHaveLength(2_200);
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

describe('in a process of its own', () => {
  let program: string;
  beforeAll(() => {
    program = join(folder, 'importing.mjs');
    buildSync({
      entryPoints: [join(__dirname, 'importing.ts')],
      outfile: program,
      bundle: true,
      keepNames: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
      external: [
        'lmdb',
        're2js',
        'sorted-btree',
        'class-validator',
        'csv-parse',
        'reflect-metadata',
      ],
    });
    symlinkSync(join(__dirname, '../../node_modules'), join(folder, 'node_modules'));
  });
  const child = (flags: readonly string[], ...args: readonly string[]) => {
    const child = spawn(process.execPath, [...flags, program, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    const onText = new Set<(text: string) => void>();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      for (const listener of onText) listener(out);
    });
    const end = new Promise<{ code: number | null; out: string }>(
      (resolve) => void child.on('close', (code) => resolve({ code, out })),
    );
    return { child, onText, end };
  };

  test.each(['jsonl', 'csv'])(
    'memory use does not depend on the file size: 40 MB of %s with a heap of 64 MB',
    async (format) => {
      const big = join(folder, `big.${format}`);
      const { code, out } = await child(['--max-old-space-size=64'], 'big', big, format).end;
      expect(code).toBe(0);
      expect(JSON.parse(out.trim().split('\n').at(-1)!)).toEqual({
        size: true,
        written: 40_000,
        rejected: 40,
      });
      rmSync(big);
    },
  );

  test('a killed import is resumed, with each rejected line once', async () => {
    const input = join(folder, 'resumed.jsonl');
    const lines = Array.from({ length: 60_000 }, (_, i) =>
      i % 1000 === 999 ? `{"bad":${i}}` : `{"id":${i},"text":"${'x'.repeat(40)}"}`,
    );
    writeFileSync(input, `${lines.join('\n')}\n`);
    const state = `${input}.rowsmith-import.json`;
    const first = child([], 'import', input, join(folder, 'resumed'));
    // Killed as soon as a position is stored.
    first.onText.add((out) => {
      if (out.includes('state')) first.child.kill('SIGKILL');
    });
    const { code } = await first.end;
    if (code === null)
      expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({
        position: { line: expect.any(Number) },
      });
    const second = await child([], 'import', input, join(folder, 'resumed')).end;
    expect(second.code).toBe(0);
    const reported = JSON.parse(second.out.trim().split('\n').at(-1)!) as {
      written: number;
      rejected: number;
      resumedAfter: number;
      stored: number;
    };
    // One timestamp for all cells, and one cell of each: lines written twice have one cell.
    expect(reported).toMatchObject({
      written: 59_940,
      rejected: 60,
      stored: 59_940,
      times: { cells: 59_940, times: 1 },
    });
    if (code === null) expect(reported.resumedAfter).toBeGreaterThan(0);
    const rejects = readFileSync(`${input}.rejects.jsonl`, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { line: number }).line);
    expect(rejects).toEqual(Array.from({ length: 60 }, (_, i) => 1000 * (i + 1)));
    expect(existsSync(state)).toBe(false);
  });
});

test.each([undefined, null, 'stopped', { code: 7 }])(
  'an aborted import rejects with the reason of the abort: %j',
  async (reason) => {
    // abort() without a reason gives a DOMException, whose code is a number: that was a TypeError.
    const lines = Array.from({ length: 3_000 }, (_, i) => good.replace('"d"', `"${i}"`));
    const path = file('aborted.jsonl', `${lines.join('\n')}\n`);
    const abort = new AbortController();
    const error: unknown = await run(path, {
      signal: abort.signal,
      onProgress: () => abort.abort(reason),
    }).catch((caught: unknown) => caught);
    expect(error).toBe(abort.signal.reason);
  },
);

describe('an import is resumed only with the options it was started with', () => {
  // The lines before the position were read with other ones: half a file had other columns.
  const from: Partial<ImportOptions> = {
    format: 'csv',
    delimiter: ';',
    columns: { Device: 'device', When: 'at' },
    zone: 'UTC',
    rejects: join(folder, 'options.rejects'),
  };
  const line = (i: number): string => `d${i};2026-01-01 00:00:00;1\n`;
  async function stopped(): Promise<string> {
    const lines = Array.from({ length: 3_000 }, (_, i) => line(i));
    const path = file('options.csv', `Device;When;temperature\n${lines.join('')}`);
    const abort = new AbortController();
    await expect(
      run(path, { ...from, signal: abort.signal, onProgress: () => abort.abort() }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    return path;
  }

  test.each<[string, Partial<ImportOptions>]>([
    ['delimiter', { delimiter: ',' }],
    ['columns', { columns: { Device: 'device', When: 'at', temperature: 'count' } }],
    ['zone', { zone: '+02:00' }],
    ['zone', { zone: undefined }],
    ['maxRecordLength', { maxRecordLength: 50 }],
    ['gzip', { gzip: true }],
    ['format', { format: 'jsonl', delimiter: undefined, columns: undefined }],
    ['ignoreUnknown', { ignoreUnknown: true }],
    ['validate', { validate: false }],
    ['rejects', { rejects: undefined }],
  ])('another %s is rejected: %j', async (option, other) => {
    const path = await stopped();
    const before = await all();
    await expect(run(path, { ...from, ...other, resume: true })).rejects.toMatchObject({
      code: 'FILE_FAILED',
      details: {
        file: `${path}.rowsmith-import.json`,
        property: option,
        problem: expect.stringContaining(`with another ${option}: `) as string,
        fix: expect.stringContaining(`resume with the same ${option}`) as string,
      },
    });
    expect(await all()).toEqual(before);
    // It is still there, and the order of columns does not matter.
    const columns = { When: 'at', Device: 'device' };
    expect(await run(path, { ...from, columns, resume: true })).toMatchObject({ written: 3_000 });
  });
});

test('an import is resumed only with the same file', async () => {
  const path = file('changed.jsonl', `${good}\n`);
  writeFileSync(
    `${path}.rowsmith-import.json`,
    JSON.stringify({
      entity: 'Reading',
      table: 'readings',
      size: 1,
      modified: 1,
      options: {},
      position: { line: 1, written: 1, rejected: 0, rejectedBytes: 0, began: 0, reasons: {} },
    }),
  );
  await expect(run(path, { resume: true })).rejects.toMatchObject({
    code: 'FILE_FAILED',
    details: { fix: expect.stringContaining('without resume') },
  });
  writeFileSync(`${path}.rowsmith-import.json`, '{');
  await expect(run(path, { resume: true })).rejects.toMatchObject({ code: 'FILE_FAILED' });
  const reported: ImportProgress[] = [];
  expect(await run(path, { onProgress: (progress) => reported.push(progress) })).toMatchObject({
    written: 1,
  });
  expect(reported.at(-1)).toEqual<ImportProgress>({
    written: 1,
    fromEarlierRuns: 0,
    rejected: 0,
    fraction: 1,
  });
  expect(existsSync(`${path}.rowsmith-import.json`)).toBe(false);
});
