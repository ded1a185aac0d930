/**
 * Exports that are interrupted, by a kill, a fault or an abort: the final output equals the output
 * of a single run.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { column, type Database, defineEntity, open, rowKey } from '../../../src/index.js';
import type { Engine, ReadOptions, ReadPlan } from '../../../src/storage.js';
import { buildModel } from '../../../src/entities/model/index.js';
import {
  exportRows,
  exportStateFile,
  type ExportOptions,
  type ExportProgress,
  type ExportResult,
  type RowFormat,
} from '../../../src/tools/transfer/index.js';
import fc from '../../support/fast-check.js';
import { Row } from './exporting.js';
import { model, rowsOf, beside } from './export-rows.js';

// Tests are slow on a busy machine.

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-export-'));
afterAll(() => rmSync(folder, { recursive: true }));

const forms = fc.record({
  format: fc.constantFrom<RowFormat>('jsonl', 'csv'),
  gzip: fc.boolean(),
  plain: fc.boolean(),
});

const partOf = (file: string): string =>
  join(dirname(file), `.${basename(file)}.rowsmith-export.part`);

/** Reads of such engines that were not closed. */
let openReads = 0;

/** An engine with reads that fail after some pages. */
function failing(engine: Engine, pages: number): Engine {
  let left = pages;
  return new Proxy(engine, {
    get: (inner, name: keyof Engine) => {
      const member: unknown = inner[name];
      if (typeof member !== 'function') return member;
      if (name !== 'readRows') return member.bind(inner) as unknown;
      return (plan: ReadPlan, options?: ReadOptions) => {
        const stream = inner.readRows(plan, { ...options, pageRows: 16 });
        openReads++;
        return {
          close: () => {
            openReads--;
            return stream.close();
          },
          next: () => (left-- > 0 ? stream.next() : Promise.reject(new Error('interrupted'))),
        };
      };
    },
  });
}

describe('in this process', () => {
  let db: Database;
  let file = '';
  beforeAll(async () => {
    db = await open('memory:', { entities: [Row] });
    await db.repository(Row).saveMany(rowsOf(1_500, 2_000));
    await db.engine.mutateRow('rows', {
      key: model.key.encode({ id: 5 }),
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: Buffer.from('foreign'),
          timestamp: 1000,
          value: Buffer.from('f'),
        },
      ],
    });
  });
  let files = 0;
  beforeEach(() => {
    file = join(folder, `rows-${files++}`);
  });
  afterEach(() => expect(openReads).toBe(0));
  afterAll(() => db.close());
  const run = (options: Partial<ExportOptions> = {}, engine = db.engine): Promise<ExportResult> =>
    exportRows(engine, model, file, { format: 'jsonl', ...options });
  /** Runs an export that fails in the middle. */
  const stopped = (options: Partial<ExportOptions> = {}): Promise<void> =>
    expect(run(options, failing(db.engine, 40))).rejects.toThrow('interrupted');

  test('property: wherever and however often it is interrupted, the bytes are as of one run', async () => {
    await fc.assert(
      fc.asyncProperty(
        forms,
        fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 4 }),
        async (form, breaks) => {
          const whole = join(folder, 'whole');
          const once = await exportRows(db.engine, model, whole, form);
          writeFileSync(file, 'before');
          let earlier = 0;
          for (const pages of breaks) {
            const end = await run({ ...form, resume: true }, failing(db.engine, pages)).catch(
              (error: Error) => error.message,
            );
            if (end !== 'interrupted') {
              expect(end).toEqual({ ...once, resumedAfter: earlier });
              expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
              return;
            }
            expect(readFileSync(file, 'utf8')).toBe('before');
            const kept = existsSync(exportStateFile(file))
              ? (
                  JSON.parse(readFileSync(exportStateFile(file), 'utf8')) as {
                    position: { rows: number };
                  }
                ).position.rows
              : 0;
            expect(kept).toBeGreaterThanOrEqual(earlier);
            expect(beside(file)).toHaveLength(kept > 0 ? 2 : 0);
            earlier = kept;
          }
          expect(await run({ ...form, resume: true })).toEqual({ ...once, resumedAfter: earlier });
          expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
          expect(beside(file)).toEqual([]);
        },
      ),
      { numRuns: Number(process.env.RUNS ?? 3) },
    );
  });

  test('gzip output is a sequence of members, which decompresses as one file', async () => {
    await run({ gzip: true });
    const packed = readFileSync(file);
    const [plain, other] = [gunzipSync(packed), join(folder, 'plain')];
    await exportRows(db.engine, model, other, { format: 'jsonl' });
    expect(plain.equals(readFileSync(other))).toBe(true);
    const members = packed.toString('latin1').split('\x1f\x8b\x08\x00').length - 1;
    expect(members).toBe(Math.ceil(plain.length / (1 << 20)));
    expect(spawnSync('gzip', ['-dc', file], { maxBuffer: 1 << 30 }).stdout.equals(plain)).toBe(
      true,
    );
  });

  test('no rows at all', async () => {
    const empty = await open('memory:', { entities: [Row] });
    for (const [form, content] of [
      [{ format: 'jsonl' }, ''],
      [{ format: 'csv' }, 'id,text,tags,@at,@older\n'],
      [{ format: 'jsonl', gzip: true }, ''],
    ] as const) {
      expect(await exportRows(empty.engine, model, file, form)).toEqual({
        rows: 0,
        undeclaredCells: 0,
        resumedAfter: 0,
      });
      expect(
        (form as ExportOptions).gzip === true
          ? gunzipSync(readFileSync(file)).toString()
          : readFileSync(file, 'utf8'),
      ).toBe(content);
    }
    await empty.close();
  });

  test.each<[string, Partial<ExportOptions>]>([
    ['format', { format: 'csv' }],
    ['gzip', { gzip: true }],
    ['plain', { plain: true }],
  ])(
    'another %s than before is rejected, and the partial file is unchanged',
    async (name, options) => {
      await stopped();
      const kept = readFileSync(partOf(file));
      await expect(run({ ...options, resume: true })).rejects.toMatchObject({
        code: 'FILE_FAILED',
        details: {
          file: exportStateFile(file),
          problem: expect.stringContaining(`had a different ${name}`),
          fix: expect.stringContaining('without resume'),
        },
      });
      expect(readFileSync(partOf(file)).equals(kept)).toBe(true);
      expect(existsSync(file)).toBe(false);
      expect((await run({ resume: true })).resumedAfter).toBeGreaterThan(0);
    },
  );

  test('another entity, a changed declaration, another database', async () => {
    await stopped();
    const shape = {
      table: 'rows',
      families: { m: {}, t: {} },
      key: rowKey('id'),
      segments: { id: 'uint' },
    } as const;
    const Other = defineEntity(
      class Other {
        id = 0;
        text?: string;
      },
      { ...shape, columns: { text: column('m', 'string') } },
    );
    const Changed = defineEntity(
      class Row {
        id = 0;
        words?: string;
      },
      { ...shape, columns: { words: column('m', 'string', { qualifier: 'text' }) } },
    );
    await expect(
      exportRows(db.engine, buildModel(Other), file, { format: 'jsonl', resume: true }),
    ).rejects.toMatchObject({
      details: { problem: 'the stopped export had a different entity (Row), declaration' },
    });
    await expect(
      exportRows(db.engine, buildModel(Changed), file, { format: 'jsonl', resume: true }),
    ).rejects.toMatchObject({
      details: { problem: 'the stopped export had a different declaration' },
    });
    const directory = `file:${join(folder, 'other')}`;
    const other = await open(directory, { entities: [Row] });
    await expect(
      exportRows(other.engine, model, file, { format: 'jsonl', resume: true }),
    ).rejects.toMatchObject({
      details: { problem: expect.stringMatching(/different database \(memory/) },
    });
    await other.close();
  });

  test.each<[string, () => void, RegExp]>([
    ['is missing', () => rmSync(partOf(file)), /is missing/],
    [
      'was truncated',
      () => truncateSync(partOf(file), 1000),
      /not the partial output of the stopped export/,
    ],
    [
      'was replaced',
      () => writeFileSync(partOf(file), Buffer.alloc(readFileSync(partOf(file)).length, 'x')),
      /not the partial output of the stopped export/,
    ],
    [
      'has a damaged state',
      () => writeFileSync(exportStateFile(file), '{}'),
      /not the state of an export/,
    ],
  ])(
    'a partial output that %s is rejected, and an export from the start works',
    async (_what, damage, problem) => {
      await stopped();
      damage();
      await expect(run({ resume: true })).rejects.toMatchObject({
        code: 'FILE_FAILED',
        details: {
          problem: expect.stringMatching(problem),
          fix: expect.stringContaining('without resume'),
        },
      });
      expect(await run()).toMatchObject({ rows: 1_500, undeclaredCells: 1, resumedAfter: 0 });
      expect(beside(file)).toEqual([]);
    },
  );

  test('what was written after the checkpoint is truncated', async () => {
    const whole = join(folder, 'whole');
    await exportRows(db.engine, model, whole, { format: 'jsonl' });
    await stopped();
    appendFileSync(partOf(file), '{"id":999,"te');
    await run({ resume: true });
    expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
  });

  test('of two exports to one file the later wins, and the earlier fails', async () => {
    let second: Promise<ExportResult> | undefined;
    const first = run({
      onProgress: ({ rows }) => {
        if (rows > 500) second ??= run();
      },
    });
    await expect(first).rejects.toMatchObject({
      code: 'FILE_FAILED',
      details: { problem: expect.stringContaining('another export to the same file') },
    });
    expect((await second!).rows).toBe(1_500);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1_500);
    expect(beside(file)).toEqual([]);
  });

  test('an aborted export keeps what it has written', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    await expect(
      run({
        signal: stop.signal,
        onProgress: ({ rows }) => {
          if (rows > 700) stop.abort(reason);
        },
      }),
    ).rejects.toBe(reason);
    const reported: ExportProgress[] = [];
    const { resumedAfter } = await run({
      resume: true,
      onProgress: (progress) => reported.push(progress),
    });
    expect(resumedAfter).toBeGreaterThan(500);
    expect(reported[0]).toEqual<ExportProgress>({
      rows: expect.any(Number),
      fromEarlierRuns: resumedAfter,
      fraction: undefined,
    });
    expect(reported.at(-1)!.rows).toBe(1_500);
  });

  test('streams and devices are written to, not replaced, and cannot be resumed; a directory is rejected', async () => {
    const stream = new PassThrough();
    const [content] = await Promise.all([
      textOf(stream),
      exportRows(db.engine, model, stream, { format: 'jsonl' }),
    ]);
    expect(content.trimEnd().split('\n')).toHaveLength(1_500);
    await expect(
      exportRows(db.engine, model, new PassThrough(), { format: 'jsonl', resume: true }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { property: 'resume' } });
    const broken = new PassThrough();
    broken.destroy();
    await expect(exportRows(db.engine, model, broken, { format: 'jsonl' })).rejects.toThrow();
    const pipe = join(folder, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const [through] = await Promise.all([
      textOf(createReadStream(pipe)),
      exportRows(db.engine, model, pipe, { format: 'jsonl' }),
    ]);
    expect(through).toBe(content);
    expect(beside(pipe)).toEqual([]);
    await expect(exportRows(db.engine, model, folder, { format: 'jsonl' })).rejects.toMatchObject({
      code: 'FILE_FAILED',
      details: { problem: 'it is a directory' },
    });
  });
});
