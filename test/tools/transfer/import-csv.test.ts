/** CSV, as this library and other programs write it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportRows, type ImportOptions } from '../../../src/tools/transfer/index.js';
import { importSuite, model, Reading } from './import-rows.js';

const { folder, database, file, run, all } = importSuite();

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
    await database()
      .repository(Reading)
      .deleteMany(await all());
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
    await exportRows(database().engine, model, path, { format: 'csv', delimiter: ';' });
    expect(readFileSync(path, 'utf8')).toContain(';"a;b,c";');
    await database().repository(Reading).deleteMany(before);
    expect(await run(path, { format: 'csv', delimiter: ';' })).toMatchObject({ written: 1 });
    expect(await all()).toEqual(before);
    await expect(
      exportRows(database().engine, model, path, { format: 'jsonl', delimiter: ';' }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
