/**
 * Import of a CSV file with a bad line, and an export whose import restores the rows byte for byte.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Column, Entity, maxVersions, open, rowKey, Segment } from 'rowsmith';
import { exportRows, importRows } from 'rowsmith/tools';

@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) } } })
class Reading {
  static readonly key = rowKey('device', 'at');
  @Segment('string', { maxLength: 32 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') celsius?: number;
  @Column('m', 'int64') count?: bigint;
}

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
const file = (name: string) => join(folder, name);
try {
  writeFileSync(
    file('in.csv'),
    `device,at,celsius,count
d1,2026-11-20T09:30:00.000Z,21.5,9007199254740993
d1,yesterday,3,1
d2,2026-11-20T09:30:00.000Z,,7
`,
  );
  await using db = await open('memory:', { entities: [Reading] });
  const { model } = db.repository(Reading);
  const { written, rejected } = await importRows(db.engine, model, file('in.csv'), {
    format: 'csv',
    rejects: file('bad.jsonl'),
  });
  console.log(
    `${written} rows written, ${rejected} bad line:`,
    readFileSync(file('bad.jsonl'), 'utf8').trim(),
  );
  assert.deepEqual([written, rejected], [2, 1]);

  await exportRows(db.engine, model, file('out.jsonl.gz'), { format: 'jsonl', gzip: true });
  await using copy = await open('memory:', { entities: [Reading] });
  await importRows(copy.engine, copy.repository(Reading).model, file('out.jsonl.gz'), {
    format: 'jsonl',
    gzip: true,
  });
  for await (const { device, celsius, count } of copy.repository(Reading).scanAll())
    console.log(device, celsius, count);
  assert.deepEqual(
    await copy.repository(Reading).scanAll().all(),
    await db.repository(Reading).scanAll().all(),
  );
} finally {
  rmSync(folder, { recursive: true });
}
