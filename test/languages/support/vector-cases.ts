/** The inputs of the vectors, in TypeScript. */
import type { KeyCondition } from '../../../src/data/key/index.js';
import { DateMap } from '../../../src/index.js';
import { Node, Status } from './entities.js';
import { orderedKinds, orderedSegments } from './vector-entities.js';
import type { CellVector } from './vectors.js';

interface KeyCase {
  readonly entity: string;
  readonly values: object;
}

/** Each value in all segments of its kind, null, and each refused value. */
export function keyCases(): readonly KeyCase[] {
  return orderedKinds.flatMap((kind) => {
    const names = Object.keys(orderedSegments(kind));
    const [first] = kind.values;
    const row = (value: unknown, other: unknown): object =>
      Object.fromEntries(names.map((name, i) => [name, i % 2 === 0 ? value : other]));
    return [
      ...kind.values.map((value) => row(value, value)),
      row(first, null),
      ...kind.wrong.map((value) => ({ ...row(first, first), [names[0]]: value })),
    ].map((values) => ({ entity: `Ordered${kind.name}`, values }));
  });
}

export interface RangeCase {
  readonly entity: string;
  readonly condition: KeyCondition;
  readonly within?: object;
}

const noon = new Date(Date.UTC(2026, 10, 28, 12));
const evening = new Date(Date.UTC(2026, 10, 28, 18));
const from = { value: noon, inclusive: true };
const to = { value: evening, inclusive: false };

/** Conditions on leading segments, scopes, and conditions that are refused. */
export function rangeCases(): readonly RangeCase[] {
  const acme = { tenant: 'acme' };
  const site = { ...acme, site: 'maps.google.com' };
  const conditions: readonly KeyCondition[] = [
    { fixed: {} },
    { fixed: acme },
    { fixed: site },
    { fixed: { ...site, at: noon } },
    { fixed: site, bound: { kind: 'between', segment: 'at', from, to } },
    { fixed: site, bound: { kind: 'between', segment: 'at', from } },
    { fixed: site, bound: { kind: 'between', segment: 'at', to } },
    { fixed: {}, bound: { kind: 'startsWith', segment: 'tenant', text: 'ac' } },
    { fixed: {}, bound: { kind: 'startsWith', segment: 'tenant', text: '' } },
    // The replacement character, which Go takes for a byte that is not UTF-8.
    { fixed: {}, bound: { kind: 'startsWith', segment: 'tenant', text: '\ufffd' } },
    { fixed: acme, bound: { kind: 'subdomains', segment: 'site', domain: 'google.com' } },
    // Refused.
    { fixed: { site: 'google.com' } },
    { fixed: { ...acme, at: noon } },
    { fixed: { tenant: 5 } },
    { fixed: { ...site, at: 'noon' } },
    { fixed: acme, bound: { kind: 'between', segment: 'at', from } },
    { fixed: acme, bound: { kind: 'startsWith', segment: 'site', text: 'a' } },
    { fixed: {}, bound: { kind: 'subdomains', segment: 'tenant', domain: 'google.com' } },
    { fixed: site, bound: { kind: 'startsWith', segment: 'at', text: '2' } },
  ];
  const scoped: readonly Omit<RangeCase, 'entity'>[] = [
    { condition: { fixed: {} }, within: acme },
    { condition: { fixed: acme }, within: acme },
    { condition: { fixed: { site: 'google.com' } }, within: acme },
    { condition: { fixed: { tenant: 'acme2' } }, within: acme },
    { condition: { fixed: { site: 'google.de' } }, within: site },
    { condition: { fixed: { site: 'MAPS.google.com.' } }, within: site },
  ];
  const all = [...conditions.map((condition) => ({ condition })), ...scoped];
  return all.map((each) => ({ entity: 'Event', ...each }));
}

const status = Object.assign(new Status(), {
  firmware: '1.2 ü',
  uptime: 2n ** 64n - 1n,
  level: 2,
  levels: [0, -1.5],
  counts: new Map([['a', -1]]),
  seen: noon,
  node: Object.assign(new Node(), { name: 'n', next: new Node() }),
});

/** New rows of `Value`: each property with its edges, and with what is refused. */
const written: Readonly<Record<string, readonly unknown[]>> = {
  text: ['', 'a', 'ü 😀 \0', '\ud800', 5],
  raw: [Uint8Array.of(), Uint8Array.of(0, 255), 'text'],
  flag: [true, false, 1],
  number: [0, -(2 ** 31), 2 ** 31 - 1, 2 ** 31, 'one'],
  natural: [0, 2 ** 32 - 1, -1, 2 ** 32],
  whole: [0n, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 63n],
  real: [0.1, -0, 5e-324, -1.7976931348623157e308, Infinity, 'one'],
  half: [0.5, -0.1, 3.4028234663852886e38, 1e-50, 1e300],
  moment: [new Date(0), noon, new Date(-1), new Date(253_402_300_799_999), 'noon'],
  day: ['2026-11-28', '0001-01-01', '9999-12-31'],
  data: [true, 'ü', 0, -1.5, [], {}, { a: [1, 'ü', null], b: { c: [[]] } }],
  renamed: ['now'],
  state: ['open', 'ajar'],
  votes: [0, 5, 3, 6, -1],
  code: ['ab', 'abcd', 'a', 'abcde', 'AB', ''],
  status: [status, new Status()],
  history: [
    [{ at: noon, value: 1 }],
    [evening, noon].map((at, i) => ({ at, value: i + 0.5 })),
    [{ at: new Date(-1), value: 1 }],
    [noon, noon].map((at, i) => ({ at, value: i + 0.5 })),
    [{ at: noon, value: 'one' }],
  ],
  texts: [
    new Map([
      ['', 'empty'],
      ['a#b', 'ü'],
    ]),
    new Map([['\ud800', 'x']]),
    new Map([['a', 5]]),
  ],
  ints: [new Map([-99_999, -1, 0, 99_999].map((key) => [key, key])), new Map([[100_000, 1]])],
  uints: [new Map([0, 5, 999].map((key) => [key, key > 0])), new Map([[-1, true]])],
  bigints: [new Map([-(10n ** 30n), -1n, 0n, 10n].map((key) => [key, String(key)]))],
  times: [
    new DateMap([
      [evening, 2.5],
      [noon, 1.5],
    ]),
    new DateMap([[new Date(-1), 1.5]]),
  ],
  levels: [
    new Map([
      ['LOW', 1n],
      ['HIGH', 2n],
    ]),
    new Map([['MEDIUM', 1n]]),
    new Map([['LOW', 2n ** 63n]]),
  ],
};

export function writeCases(): readonly object[] {
  const single = Object.entries(written).flatMap(([property, values]) =>
    values.map((value) => ({ id: property, [property]: value })),
  );
  return [
    ...single,
    { id: 'empty' },
    { id: 'two', number: 2 ** 31, flag: 1 },
    { id: 'rules', state: 'ajar', votes: 9 },
    { id: '\ud800', text: 'a' },
  ];
}

type ReadCase = { readonly key: string; readonly cells: readonly CellVector[] };

const key = Buffer.from('r').toString('hex');
const name = (text: string): string => Buffer.from(text).toString('hex');

/** Cells of `Value` that no write makes: of other programs, older declarations, and damaged ones. */
export function readCases(): readonly ReadCase[] {
  const columns: readonly (readonly [family: string, qualifier: string, ...values: string[]])[] = [
    ['m', 'text', 'ff', 'eda080', ''],
    ['m', 'flag', '01', '02', '', '0001'],
    ['m', 'number', '01', '0000000080000000', 'ffffffff80000000', '7fffffff', ''],
    ['m', 'natural', 'ffffffffffffffff', '00000000ffffffff', '0000000100000000'],
    ['m', 'whole', '00', '8000000000000000', '000000000000000001'],
    ['m', 'real', '', '7ff0000000000000', '3fb99999', '8000000000000000'],
    ['m', 'half', '3f000000', '3dcccccd', '3fb999999999999a', 'ff800000'],
    ['m', 'moment', '0000000000000001', '00', '7fffffffffffffff', 'fffffffffffffc18'],
    ['m', 'day', name('yesterday'), name('2026-02-30'), name('2024-02-29'), name('2026-2-1')],
    ['m', 'data', name('{'), name('[1, 2]'), name('NaN'), '', name('"\\ud800"'), 'ff'],
    ['m', 'before', name('earlier')],
    ['m', 'state', name('ajar'), name('closed')],
    ['m', 'votes', '0000000000000009'],
    ['m', 'status', '', '0a', '09010203'],
    ['v', 'history', '010203'],
    ['texts', 'a', 'ff', name('x')],
    ['ints', '00001', '00'],
    ['ints', 'one', '0000000000000001'],
    ['times', 'noon', '3ff0000000000000'],
    ['levels', 'MEDIUM', '0000000000000001'],
    ['c', 'hits', '0000000000000007', '07'],
    ['sums', 'reads', '0000000000000008', '7fffffffffffffff'],
  ];
  const single = columns.flatMap(([family, qualifier, ...values]) =>
    values.map((value): ReadCase => ({ key, cells: [[family, name(qualifier), value]] })),
  );
  const ms = noon.getTime();
  return [
    ...single,
    { key, cells: [['texts', 'ff', name('x')]] },
    { key, cells: [['levels', 'ff', '0000000000000001']] },
    // The new name first, and the newest cell of each.
    {
      key,
      cells: [
        ['m', name('before'), name('earlier')],
        ['m', name('renamed'), name('older'), ms - 2],
        ['m', name('renamed'), name('newer'), ms - 1],
      ],
    },
    { key, cells: [['m', name('unknown'), '00']] },
  ];
}
