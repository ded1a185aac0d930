/** Declarations of the qualifiers of column maps: faults, descriptions, the lock file. */
import { columnMap, type RowsmithError } from '../../../src/index.js';
import type { MapOptions } from '../../../src/entities/model/index.js';
import { describeEntity } from '../../../src/tools/index.js';
import {
  emptyLock,
  lockOf,
  lockText,
  nextLock,
  parseLock,
} from '../../../src/tools/schema/index.js';
import { Sheet } from '../repository/support/map-entities.js';
import { entity, modelsOf } from '../../tools/schema/cases.js';

const declared = (options: object, type = 'double', family = 'm') =>
  entity({ columns: { map: columnMap(family, type as 'double', options as MapOptions) } });

const faults: [string, object, string][] = [
  ['an unknown kind', { qualifiers: 'float' }, "there is no kind of qualifiers 'float'"],
  ['no kind', { qualifiers: null }, 'there is no kind of qualifiers null'],
  ['a kind as an object', { qualifiers: { kind: 'uint' } }, 'kind of qualifiers an object'],
  ['a kind without a text', { qualifiers: Object.create(null) }, 'kind of qualifiers an object'],
  ['an option of another kind', { qualifiers: 'uint', unit: 's' }, "have no option 'unit'"],
  ['an unknown option', { qualifier: 'x' }, "@ColumnMap has no option 'qualifier'"],
  ['descending text', { order: 'desc' }, "have no option 'order'"],
  ['an enum without members', { qualifiers: 'enum' }, 'needs values'],
  ['a wrong width', { qualifiers: 'int', width: 40 }, 'width 40'],
];
function problemsOf(entityClass: ReturnType<typeof entity>): readonly string[] {
  try {
    describeEntity(entityClass);
    return [];
  } catch (error) {
    return (error as RowsmithError).details.faults!.map((fault) => fault.problem);
  }
}

test.each(faults)('%s is a fault', (_name, options, problem) => {
  expect(problemsOf(declared(options)).join()).toContain(problem);
});

test('an aggregate family holds maps of int64 only', () => {
  expect(problemsOf(declared({}, 'double', 's')).join()).toContain('only holds counters');
  expect(String(describeEntity(declared({}, 'int64', 's')))).toContain('s:*  int64  columnMap');
});

test('describe names kinds other than text', () => {
  const text = String(describeEntity(Sheet));
  expect(text.split('\n').filter((line) => line.includes('columnMap'))).toEqual([
    '  totals   a:*     int64   columnMap',
    '  ids      b:*     bool    columnMap  keys bigint: two digits of length, digits, ' +
      "negatives as '-' and the nines' complement",
    '  hits     c:*     int64   columnMap  keys timestamp: 10 digits',
    '  levels   e:*     double  columnMap  keys enum: 2 digits',
    '  offsets  i:*     double  columnMap  keys int: 16 digits, ' +
      "negatives as '-' and the nines' complement of -1 - n",
    '  news     n:*     double  columnMap  keys timestamp: 13 digits, subtracted from all nines',
    '  prices   p:*     double  columnMap  keys timestamp: 13 digits',
    '  tags     t:*     string  columnMap',
    '  seconds  u:*     double  columnMap  keys uint: 4 digits, subtracted from all nines',
  ]);
});

test('the lock file records what determines their bytes, and nothing for text', () => {
  const lock = nextLock(emptyLock, modelsOf([Sheet]));
  const text = lockText(lock);
  const lines = text.split('\n').map((line) => line.trim().replace(/,$/, ''));
  expect(lines).toContain('{ "family": "t", "property": "tags", "type": "string" }');
  expect(lines).toContain(
    '{ "family": "u", "property": "seconds", "type": "double", "qualifiers": ' +
      '{ "kind": "uint", "max": 3599, "order": "desc", "width": 4 } }',
  );
  expect(lines).toContain(
    '{ "family": "e", "property": "levels", "type": "double", "qualifiers": ' +
      '{ "kind": "enum", "by": "ordinal", "values": ["LOW", "MID", "HIGH"] } }',
  );
  expect(lockText(parseLock(text))).toBe(text);
  expect(lockOf(modelsOf([Sheet])).tables.maps.entities.Sheet.columns).toHaveLength(10);
});
