/** `db.backup` and `db.verifyFiles`, with indexes, unique values and rollups, beside writers. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../../../src/index.js';
import { Job, readAll, start } from '../../derived/jobs.js';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'rowsmith-backup-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const urlOf = (name: string): string => `file:${join(folder, name)}`;
const options = { entities: [Job] } as const;

const job = (id: number): Partial<Job> & Pick<Job, 'team' | 'at' | 'id'> => ({
  team: 'a',
  at: new Date(start + id * 1000),
  id,
  code: `c${id}`,
  points: id,
});

test('a copy has rows with their entries and buckets of one moment', async () => {
  const db = await open(urlOf('data'), options);
  const jobs = db.repository(Job);
  const save = async (from: number, to: number): Promise<void> => {
    for (let id = from; id < to; id++) await jobs.save(jobs.create(job(id)));
  };
  await save(0, 50);
  const fractions: number[] = [];
  const [, { tables, bytes }] = await Promise.all([
    save(50, 100),
    db.backup(join(folder, 'copy'), { onProgress: (fraction) => fractions.push(fraction) }),
  ]);
  expect([tables, bytes > 1000, fractions.at(-1)]).toEqual([1, true, 1]);
  const reader = await open(urlOf('data'), { ...options, readOnly: true });
  await reader.backup(join(folder, 'second'));
  const expected = await readAll(db, Job);
  await reader.close();
  await db.close();

  const copy = await open(urlOf('copy'), options);
  expect(await copy.derived.verify(Job)).toMatchObject({ findings: [] });
  const rows = await copy.repository(Job).scanAll().count();
  expect(rows).toBeGreaterThanOrEqual(50);
  expect(rows).toBeLessThanOrEqual(100);
  await copy.repository(Job).save(copy.repository(Job).create(job(200)));
  await copy.verifyFiles();
  await copy.close();
  const second = await open(urlOf('second'), options);
  expect(await readAll(second, Job)).toEqual(expected);
  await second.close();
});

test('damage is found, and other databases have no files', async () => {
  const db = await open(urlOf('data'), options);
  await db.repository(Job).save(db.repository(Job).create(job(1)));
  await db.backup(join(folder, 'copy'));
  await db.close();
  const copy = join(folder, 'copy');
  const table = readdirSync(copy).find((name) => name.startsWith('table.'))!;
  const reader = await open(urlOf('copy'), { ...options, readOnly: true });
  const content = readFileSync(join(copy, table));
  content[content.length - 70] ^= 1;
  writeFileSync(join(copy, table), content);
  await reader.close();
  const memory = await open('memory:', options);
  await expect(memory.backup(copy)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  await expect(memory.verifyFiles()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  await memory.close();
  const damaged = await open(urlOf('copy'), { ...options, readOnly: true }).then(
    async (opened) => {
      const error: unknown = await opened.verifyFiles().catch((reason: unknown) => reason);
      await opened.close();
      return error;
    },
    (reason: unknown) => reason,
  );
  expect(damaged).toMatchObject({ code: 'CORRUPT_DATA', details: { file: join(copy, table) } });
});

test('arguments of JavaScript are checked, and errors of onProgress are thrown', async () => {
  const db = await open(urlOf('data'), options);
  for (const directory of [undefined, '', 7, null])
    await expect(db.backup(directory as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  const target = join(folder, 'copy');
  await expect(db.backup(target, { progress: 1 } as never)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
  const fail = (): never => {
    throw new RangeError('the bar');
  };
  await expect(db.backup(target, { onProgress: fail })).rejects.toThrow(RangeError);
  expect(readdirSync(target)).toEqual([]);
  await db.backup(target);
  await db.close();
  await expect(db.backup(join(folder, 'late'))).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
});
