/** Imports that are resumed: their options, their file, and their counts of reasons. */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, RowsmithError } from '../../../src/index.js';
import type { RowMutation } from '../../../src/storage.js';
import {
  importRows,
  type ImportOptions,
  type ImportProgress,
} from '../../../src/tools/transfer/index.js';
import { csvInput } from '../../../src/tools/transfer/file/csv-input.js';
import { readingOptions } from '../../../src/tools/transfer/import/reading-options.js';
import { model, good, importSuite } from './import-rows.js';

const { folder, database, file, run, all } = importSuite();

test('the reasons of a resumed import include the reasons of earlier runs', async () => {
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
    written: 27,
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

test('an error that no line caused ends the import without rejecting lines, and it can be resumed', async () => {
  const lines = Array.from({ length: 2_200 }, (_, i) => good.replace('"d"', `"${i}"`));
  const path = file('outage.jsonl', lines.join('\n'));
  const rejects = `${path}.rejects.jsonl`;
  for (const code of ['UNAVAILABLE', 'QUOTA_EXCEEDED', 'FAMILY_NOT_FOUND'] as const) {
    const failing = new Proxy(database().engine, {
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

test.each([undefined, null, 'stopped', { code: 7 }])(
  'an aborted import rejects with the reason of the abort: %j',
  async (reason) => {
    // abort() without a reason gives a DOMException with a number as its code: that was a
    // TypeError.
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
    const lines = Array.from({ length: 1_500 }, (_, i) => line(i));
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
    expect(await run(path, { ...from, columns, resume: true })).toMatchObject({ written: 1_500 });
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
