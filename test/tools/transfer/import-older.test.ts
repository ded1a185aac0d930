/** Older versions of an import keep the declared rules, as new values do. */
import { Readable } from 'node:stream';
import { Column, Entity, maxVersions, rowKey, Segment } from '../../../src/index.js';
import { importRows } from '../../../src/tools/index.js';
import { testDatabase } from '../../../src/tools/testing/index.js';

@Entity({ table: 'issues', families: { m: { gc: maxVersions(5) } } })
class Issue {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string', { oneOf: ['open', 'closed'] }) status?: 'open' | 'closed';
  @Column('m', 'int32', { min: 0 }) votes?: number;
}

test('a line with an older value against a rule is rejected', async () => {
  const db = await testDatabase([Issue]);
  const issues = db.repository(Issue);
  const lines = [
    { id: '1', status: 'closed', '@at': 3000, '@older': { status: [[2000, 'open']] } },
    { id: '2', status: 'closed', '@at': 3000, '@older': { status: [[2000, 'gone']] } },
    {
      id: '3',
      votes: 1,
      '@at': 3000,
      '@older': {
        votes: [
          [2000, 0],
          [1000, -1],
        ],
      },
    },
  ];
  const source = Readable.from([Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))]);
  const result = await importRows(db.engine, issues.model, source, { format: 'jsonl' });
  expect(result).toMatchObject({ written: 1, rejected: 2 });
  const reasons = result.reasons.map(({ reason }) => reason);
  expect(reasons).toContainEqual(expect.stringContaining('@older.status: '));
  expect(reasons).toContainEqual(expect.stringContaining('@older.votes: '));
  expect((await issues.scanAll().all()).map(({ id }) => id)).toEqual(['1']);
  expect(await issues.history({ id: '1' }, 'status')).toHaveLength(2);
  await db.close();
});

test('a line with older values of what is no column is rejected, unless unknown names are ignored', async () => {
  const db = await testDatabase([Issue]);
  const issues = db.repository(Issue);
  const importLine = (options: { readonly ignoreUnknown?: boolean }) => {
    const line = { id: '1', votes: 1, '@at': 3000, '@older': { vote: [[2000, 0]] } };
    const source = Readable.from([Buffer.from(JSON.stringify(line))]);
    return importRows(db.engine, issues.model, source, { format: 'jsonl', ...options });
  };
  expect(await importLine({})).toMatchObject({
    written: 0,
    reasons: [{ reason: "@older: it names 'vote', which is not a column of Issue" }],
  });
  expect(await importLine({ ignoreUnknown: true })).toMatchObject({ written: 1, rejected: 0 });
  await db.close();
});
