/** Cases of docs/data-model.md, sections E to I: reads and filters. */
import type { FamilyChange } from '../../src/data/store/index.js';
import type { FidelityCase, Step } from './step.js';
import {
  block,
  bytes,
  chain,
  columns,
  family,
  hex,
  interleave,
  label,
  offset,
  pass,
  perColumn,
  perRow,
  put,
  qualifier,
  reads,
  readsRange,
  rowKey,
  set,
  sink,
  strip,
  times,
  value,
  values,
} from './steps.js';

const changes = (...list: FamilyChange[]): readonly [Step, undefined] => [
  { op: 'families', changes: list },
  undefined,
];
const five = ['r1', 'r2', 'r3', 'r4', 'r5'].map((key) => put(key, [set('a', 'q', key)]));
const row = (key: string) => `${key}{a:q@1000=${key}}`;
const grid = { f1: {}, f2: {}, f3: {} };
const gridRow = put(
  'r',
  ['f1', 'f2', 'f3'].flatMap((name) => [set(name, 'x', '1'), set(name, 'y', '2')]),
);
const g = [
  put('r1', [set('a', 'p', '1'), set('a', 'q', '2'), set('b', 'q', '3', 2000), set('b', 'q', '4')]),
  put('r2', [set('a', 'p', '9')]),
];
const r1 = 'r1{a:p@1000=1 a:q@1000=2 b:q@2000=3 b:q@1000=4}';
const r2 = 'r2{a:p@1000=9}';
const h = [
  put('\x00\xff\n', [set('a', '\xc3\xa9', '\xff\xfe')]),
  put('line1\nline2', [set('a', 'q', 'v1\nv2')]),
  put('caf\xc3\xa9', [set('a', 'caf\xc3\xa9', '\xc3\xa9')]),
];
const [k1, k2, k3] = [
  '\x00\xff\n{a:\xc3\xa9@1000=\xff\xfe}',
  'line1\nline2{a:q@1000=v1\nv2}',
  'caf\xc3\xa9{a:caf\xc3\xa9@1000=\xc3\xa9}',
];
const i = [
  put('r', [
    set('a', '', 'v'),
    set('a', 'a', 'va'),
    set('a', 'b', 'vb'),
    set('a', 'c', 'vc'),
    ...[1000, 2000, 3000].map((time) => set('a', 'ts', `${time}`, time)),
    set('b', 'b', 'other'),
  ]),
];
const i1 = 'a:@1000=v';
const deep = (filters: number) =>
  Array.from({ length: filters - 1 }).reduce<ReturnType<typeof chain>>(
    (inner) => interleave(inner, block),
    pass,
  );
const rejected = (filter: Parameters<typeof reads>[1]) => reads('INVALID_ARGUMENT', filter);

/** Sections E to I. */
export const readCases: readonly FidelityCase[] = [
  {
    id: 'E1',
    title: 'families come in the order of creation, then qualifiers, then timestamps, newest first',
    families: { zeta: {}, alpha: {}, mid: {} },
    emulatorDifference:
      'random order of families that one request creates; data.proto leaves it open',
    steps: [
      put('r', [
        set('zeta', 'q', '1'),
        set('mid', 'b', '2'),
        set('mid', 'a', '3'),
        set('mid', 'a', '4', 2000),
        set('alpha', 'q', '5'),
      ]),
      reads(['r{alpha:q@1000=5 mid:a@2000=4 mid:a@1000=3 mid:b@1000=2 zeta:q@1000=1}']),
    ],
  },
  {
    id: 'E1b',
    title: 'families created later come last, also after a drop; a new rule keeps the order',
    families: { m: {}, z: {} },
    emulatorDifference:
      'families of one request in the order of its modifications (E1: production)',
    steps: [
      changes({ kind: 'create', family: 'b', schema: {} }),
      changes(
        { kind: 'create', family: 'c', schema: {} },
        { kind: 'create', family: 'a', schema: {} },
      ),
      changes({ kind: 'drop', family: 'm' }),
      changes({ kind: 'create', family: 'm', schema: {} }),
      changes({ kind: 'update', family: 'b', gc: { kind: 'maxVersions', versions: 1 } }),
      put(
        'r',
        ['a', 'b', 'c', 'm', 'z'].map((family) => set(family, 'q', '1')),
      ),
      reads(['r{z:q@1000=1 b:q@1000=1 a:q@1000=1 c:q@1000=1 m:q@1000=1}']),
      reads(['r{z:q@1000=1 b:q@1000=1}'], perRow(2)),
    ],
  },
  {
    id: 'E3',
    title: 'an empty row range returns no rows',
    steps: [
      ...five,
      readsRange([], { range: [bytes('r2'), bytes('r2')] }),
      readsRange([row('r4'), row('r5')], { range: [bytes('r4')] }),
    ],
  },
  {
    id: 'E4',
    title: 'the limit counts filtered rows',
    emulatorDifference: 'a negative limit returns no rows',
    steps: [
      ...five,
      readsRange([row('r4')], { filter: rowKey('r[45]'), limit: 1 }),
      readsRange('INVALID_ARGUMENT', { limit: -1 }),
    ],
  },
  {
    id: 'E5',
    title: 'reversed reads return rows in descending order; the order of cells does not change',
    steps: [
      ...five,
      put('r2', [set('a', 'p', 'x'), set('a', 'q', 'new', 2000)]),
      readsRange([row('r5'), row('r4')], { reversed: true, limit: 2 }),
      readsRange(['r2{a:p@1000=x a:q@2000=new a:q@1000=r2}', row('r1')], {
        reversed: true,
        range: [bytes(''), bytes('r3')],
      }),
    ],
  },

  {
    id: 'F1',
    title: 'the first cells of each row',
    families: grid,
    emulatorDifference: 'families in random order, as in E1',
    steps: [gridRow, reads(['r{f1:x@1000=1 f1:y@1000=2 f2:x@1000=1}'], perRow(3))],
  },
  {
    id: 'F2',
    title: 'cells after an offset',
    families: grid,
    emulatorDifference: 'families in random order, as in E1',
    steps: [
      gridRow,
      reads(['r{f3:x@1000=1 f3:y@1000=2}'], offset(4)),
      reads(
        ['r{f1:x@1000=1 f1:y@1000=2 f2:x@1000=1 f2:y@1000=2 f3:x@1000=1 f3:y@1000=2}'],
        offset(0),
      ),
    ],
  },
  {
    id: 'F4',
    title: 'an offset beyond the row hides it; invalid counts are rejected',
    families: grid,
    emulatorDifference: 'a negative offset crashes the process',
    steps: [
      gridRow,
      reads([], offset(6)),
      rejected(perRow(0)),
      rejected(perColumn(0)),
      rejected(perRow(-1)),
      rejected(offset(-1)),
    ],
  },
  {
    id: 'F5',
    title: 'the newest cells of each column',
    steps: [
      put(
        'r',
        [1000, 2000, 3000].flatMap((time) => [set('a', 'p', 'v', time), set('a', 'q', 'v', time)]),
      ),
      reads(['r{a:p@3000=v a:p@2000=v a:q@3000=v a:q@2000=v}'], perColumn(2)),
    ],
  },

  {
    id: 'G1',
    title: 'a missing branch passes no cells',
    steps: [
      ...g,
      reads([], { kind: 'condition', predicate: block, onTrue: pass }),
      reads([], { kind: 'condition', predicate: pass, onFalse: pass }),
    ],
  },
  {
    id: 'G2',
    title: 'a condition is evaluated for each row',
    steps: [
      ...g,
      reads(['r1{a:p@1000= a:q@1000= b:q@2000= b:q@1000=}', r2], {
        kind: 'condition',
        predicate: family('b'),
        onTrue: strip,
        onFalse: pass,
      }),
    ],
  },
  {
    id: 'G3',
    title: 'a condition without a branch is rejected',
    emulatorDifference: 'returns nothing',
    steps: [rejected({ kind: 'condition', predicate: pass })],
  },
  {
    id: 'G4',
    title: 'an interleave keeps duplicates, adjacent to each other',
    steps: [
      ...g,
      reads(
        [
          'r1{a:p@1000=1 a:p@1000=1 a:q@1000=2 a:q@1000=2 b:q@2000=3 b:q@2000=3 b:q@1000=4 b:q@1000=4}',
          'r2{a:p@1000=9 a:p@1000=9}',
        ],
        interleave(pass, pass),
      ),
      reads(['r2{a:p@1000=9 a:p@1000=}'], chain(rowKey('r2'), interleave(pass, strip))),
    ],
  },
  {
    id: 'G4b',
    title: 'an interleave sorts cells, and later filters count each copy',
    emulatorDifference: 'families in random order, as in E1',
    steps: [
      ...g,
      reads(
        ['r1{a:q@1000=2 b:q@2000=3 b:q@1000=4}'],
        interleave(family('b'), chain(family('a'), qualifier('q'))),
      ),
      reads(
        ['r1{a:p@1000=1 a:p@1000=1}', 'r2{a:p@1000=9 a:p@1000=9}'],
        chain(interleave(pass, pass), perRow(2)),
      ),
    ],
  },
  {
    id: 'G8',
    title: 'cells in a sink bypass the filters that follow',
    emulatorDifference: 'ignores sink (data.proto, RowFilter.sink)',
    steps: [
      g[0],
      reads(
        ['r1{a:p@1000=1 a:p@1000=1[foo] a:q@1000=2[foo]}'],
        chain(family('a'), interleave(pass, chain(label('foo'), sink)), qualifier('p')),
      ),
      reads([r1], chain(sink, block)),
      rejected({ kind: 'condition', predicate: pass, onTrue: sink }),
    ],
  },
  {
    id: 'G9',
    title: 'labels have a syntax, and a cell has at most one',
    emulatorDifference: 'checks neither (data.proto, apply_label_transformer)',
    steps: [
      g[1],
      ...['Foo_1', 'a'.repeat(16), 'A', ''].map((text) => rejected(label(text))),
      rejected(chain(label('a'), label('b'))),
      rejected(chain(label('a'), interleave(pass, label('b')))),
      reads(['r2{a:p@1000=9[a] a:p@1000=9[b]}'], interleave(label('a'), label('b'))),
      reads(['r2{a:p@1000=[a]}'], chain(label('a'), strip)),
    ],
  },
  {
    id: 'G12',
    title: 'filters nest at most 20 deep',
    emulatorDifference: 'enforces no limit (data.proto, RowFilter)',
    steps: [g[1], reads([r2], deep(20)), rejected(deep(21))],
  },
  {
    id: 'G13',
    title: 'a bitmask passes values of its length with all of its bits',
    emulatorDifference: 'returns everything (data.proto, ValueBitmask)',
    steps: [
      put('r', [set('a', '1', 'a'), set('a', '2', 'b'), set('a', '3', 'aa'), set('a', '4', 'q')]),
      reads(['r{a:1@1000=a a:4@1000=q}'], { kind: 'valueBitmask', mask: hex('61') }),
    ],
  },
  {
    id: 'G14',
    title: 'a filter of an unknown kind is rejected',
    emulatorDifference: 'passes some cells',
    steps: [rejected({ kind: 'magic' } as never)],
  },

  {
    id: 'H1',
    title: '. matches any byte except the newline',
    steps: [
      ...h,
      reads([k3], rowKey('.*')),
      reads([k1, k3, k2], rowKey('\\C*')),
      reads([k1, k3, k2], rowKey('(?s).*')),
    ],
  },
  {
    id: 'H2',
    title: 'bytes can be escaped or literal',
    steps: [...h, reads([k1], rowKey('\\x00\\xff\\n')), reads([k1], rowKey('\x00\xff\n'))],
  },
  {
    id: 'H3',
    title: 'a character outside ASCII is matched by its UTF-8 bytes',
    steps: [
      ...h,
      reads([], qualifier('caf.')),
      reads([k3], qualifier('caf..')),
      reads([k3], qualifier('caf\xc3\xa9')),
    ],
  },
  {
    id: 'H4',
    title: 'the whole value must match',
    steps: [...h, reads([], value('v1')), reads([k2], value('v1\nv2'))],
  },
  {
    id: 'H5',
    title: 'an empty pattern matches the empty qualifier, and is rejected for row keys',
    steps: [
      put('r', [set('a', '', '1'), set('a', 'q', '2')]),
      reads(['r{a:@1000=1}'], qualifier('')),
      rejected(rowKey('')),
    ],
  },
  {
    id: 'H6',
    title: 'syntax that RE2 does not support is rejected',
    emulatorDifference: 'checks patterns only if there is a row',
    steps: ['[', '(?=x)', '(a)\\1', '(?<=x)a', 'a++', '\\Z', '\\h', 'a{1001}'].map((pattern) =>
      rejected(rowKey(pattern)),
    ),
  },
  {
    id: 'H7',
    title: "a family pattern with ':' is rejected",
    emulatorDifference: 'accepts it (data.proto, family_name_regex_filter)',
    steps: [rejected(family('a:b'))],
  },

  {
    id: 'I1',
    title: 'column ranges',
    steps: [
      ...i,
      reads(['r{a:a@1000=va a:b@1000=vb}'], columns('[a,c)')),
      reads(
        ['r{a:b@1000=vb a:c@1000=vc a:ts@3000=3000 a:ts@2000=2000 a:ts@1000=1000}'],
        columns('(a,)'),
      ),
      reads(['r{a:a@1000=va}'], columns('("",a]')),
      reads([`r{${i1}}`], columns('(,""]')),
      reads([], columns('(,"")')),
      reads(['r{b:b@1000=other}'], columns('(,)', 'b')),
    ],
  },
  {
    id: 'I2',
    title: 'a column range that is inverted or has no family is rejected',
    emulatorDifference: 'returns nothing',
    steps: [rejected(columns('[c,a)')), rejected(columns('(,)', ''))],
  },
  {
    id: 'I3',
    title: 'timestamp ranges',
    emulatorDifference:
      'accepts fractions of a millisecond (java-bigtable 98: Bigtable rejects them; google-cloud-go 9149: it accepts them)',
    steps: [
      ...i,
      reads(['r{a:ts@2000=2000 a:ts@1000=1000}'], chain(qualifier('ts'), times(1000, 3000))),
      reads(['r{a:ts@3000=3000 a:ts@2000=2000}'], times(2000)),
      rejected(times(1500, 2500)),
      rejected(times(3000, 1000)),
    ],
  },
  {
    id: 'I4',
    title: 'value ranges compare bytes',
    emulatorDifference: 'returns nothing for an inverted range',
    steps: [
      put('r', [set('a', 'q', '1')]),
      reads(['r{a:q@1000=1}'], values('[1,5)')),
      reads([], values('[0,1)')),
      reads([], values('(1,5)')),
      reads(['r{a:q@1000=1}'], values('(0,1]')),
      rejected(values('[5,1]')),
    ],
  },
  {
    id: 'I5',
    title: 'an unknown family is an error if it is named, but not in a pattern',
    emulatorDifference: 'returns nothing (java-bigtable 32: Bigtable returns NOT_FOUND)',
    steps: [
      ...i,
      reads('FAMILY_NOT_FOUND', family('zz')),
      reads('FAMILY_NOT_FOUND', columns('(,)', 'zz')),
      reads('FAMILY_NOT_FOUND', { kind: 'families', families: ['zz'] }),
      reads([], family('z.*')),
    ],
  },
];
