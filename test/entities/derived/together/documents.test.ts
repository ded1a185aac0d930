/** What is derived is described: by `describe`, and in the data dictionary. */
import { describeEntity } from '../../../../src/tools/index.js';
import { dataDictionary } from '../../../../src/tools/codegen/documents/data-dictionary.js';
import { tablesOf } from '../../../../src/tools/codegen/tables/tables.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import { Ticket } from './tickets.js';

test('describe lists indexes and rollups with their tables', () => {
  const { indexes, rollups } = describeEntity(Ticket);
  const [{ id }] = indexes!;
  expect(indexes).toEqual([
    {
      name: 'byStatus',
      id,
      unique: false,
      table: 'tickets_index',
      segments: ['shop', 'status'],
      covered: ['total'],
    },
    expect.objectContaining({ name: 'byCode', unique: true }),
  ]);
  expect(rollups).toEqual([
    {
      name: 'daily',
      table: 'tickets_rollup',
      by: ['shop', 'at'],
      seconds: 86_400,
      values: ['tickets count', 'total sum total', 'last last status'],
    },
  ]);
  const text = String(describeEntity(Ticket));
  expect(text).toMatch(
    /\nindexes\n {2}byStatus {10}in tickets_index {2}shop, status {2}including total\n/,
  );
  expect(text).toMatch(/\nrollups\n {2}daily {2}in tickets_rollup {2}by shop, at \(86400 s\) /);
});

test('the data dictionary lists them', () => {
  const text = dataDictionary(tablesOf(buildModels([Ticket])));
  const [{ id }] = describeEntity(Ticket).indexes!;
  const cells = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  expect(cells).toContainEqual([
    '',
    '`byStatus`',
    '`tickets_index`',
    `\`${id}\``,
    'shop, status',
    'total',
    '',
  ]);
  expect(cells).toContainEqual([
    '',
    '`daily`',
    '`tickets_rollup`',
    'shop, at, in steps of 86400 s',
    'tickets count, total sum total, last last status',
    '',
  ]);
});
