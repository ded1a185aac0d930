/**
 * An existing table: the entity declares its key format. Rows with other keys are skipped, reported
 * or rejected.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Column,
  delimited,
  Entity,
  LintIgnore,
  maxVersions,
  open,
  rowKey,
  type RowsmithError,
  Segment,
} from 'rowsmith';

@Entity({ table: 'legacy', families: { cf: { gc: maxVersions(1) } }, keyFormat: delimited('|') })
class Session {
  static readonly key = rowKey('user', 'session');
  @LintIgnore('K09', 'the table exists, and its rows are read by whole users')
  @Segment('string', { maxLength: 32 })
  user!: string;
  @Segment('uint', { max: 9999 }) session!: number;
  @Column('cf', 'string', { qualifier: 'ua' }) userAgent?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
const url = `file:${folder}`;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
try {
  {
    // Rows as another program could have written them: db.engine reads and writes bytes.
    await using db = await open(url, { entities: [Session] });
    for (const key of ['ann|0001', 'ann|0002', 'ann|12', 'ann|latest', 'bob|0001']) {
      await db.engine.mutateRow('legacy', {
        key: utf8(key),
        mutations: [
          {
            kind: 'setCell',
            family: 'cf',
            qualifier: utf8('ua'),
            timestamp: Date.now() * 1000,
            value: utf8(`agent of ${key}`),
          },
        ],
      });
    }
    const sessions = db.repository(Session);
    assert.deepEqual(
      (await sessions.prefix({ user: 'ann' }).all()).map(({ session }) => session),
      [1, 2],
      'other keys are skipped',
    );
    assert.equal((await sessions.get({ user: 'bob', session: 1 }))?.userAgent, 'agent of bob|0001');
    // The format has no escapes, so a value that contains the delimiter is rejected.
    assert.throws(() => sessions.create({ user: 'a|b', session: 1 }), { code: 'INVALID_KEY' });
  }
  {
    const foreign: string[] = [];
    const onForeignRow = ({ details }: RowsmithError): void => {
      foreign.push(`${String(details.key)}: ${details.problem}`);
    };
    await using db = await open(url, { entities: [Session], onForeignRow });
    assert.equal(await db.repository(Session).scanAll().count(), 3);
    for (const line of foreign) console.log(line);
    assert.deepEqual(
      foreign.map((line) => line.split(':')[0]),
      ['ann|12', 'ann|latest'],
    );
  }
  await using db = await open(url, { entities: [Session], onForeignRow: 'throw' });
  await assert.rejects(db.repository(Session).scanAll().all(), { code: 'FOREIGN_KEY' });
} finally {
  rmSync(folder, { recursive: true });
}
