/** Plans as functions of stored tables: classes, consequences, settings and ids. */
import {
  buildModels,
  column,
  defineEntity,
  maxAge,
  maxVersions,
  rowKey,
  storedModels,
  union,
} from '../../../../src/entities/model/index.js';
import { planSchema } from '../../../../src/entities/repository/schema-plan/schema-plan.js';
import type {
  FamilySchema,
  GcRule,
  TableSchema,
  TableUpdate,
} from '../../../../src/data/store/index.js';

const day = 86_400e6;

function modelsWith(gc: GcRule | undefined) {
  class Reading {
    id!: string;
    value?: string;
  }
  const Defined = defineEntity(Reading, {
    table: 'readings',
    families: { m: gc === undefined ? {} : { gc } },
    key: rowKey('id'),
    segments: { id: { kind: 'string' } },
    columns: { value: column('m', 'string') },
  });
  return storedModels(buildModels([Defined]));
}

interface Case {
  readonly stored?: Partial<TableSchema>;
  readonly families?: Readonly<Record<string, FamilySchema>>;
  readonly gc?: GcRule;
  readonly settings?: TableUpdate;
  readonly isLive?: boolean;
}

function plan({ stored, families = { m: {} }, gc, settings = {}, isLive = true }: Case) {
  const table = { name: 'readings', families: new Map(Object.entries(families)), ...stored };
  return planSchema([table], {
    models: modelsWith(gc),
    settings: new Map([['readings', settings]]),
    isLive,
  });
}
const shown = (one: Case): readonly string[] =>
  plan(one).steps.map(
    ({ safety, applies, change }) => `${safety} ${change.kind}${applies ? '' : ' not applied'}`,
  );

test.each<readonly [name: string, one: Case, expected: readonly string[]]>([
  ['nothing', {}, []],
  [
    'the same rule in other words',
    { families: { m: { gc: union(maxVersions(1), maxVersions(2)) } }, gc: maxVersions(1) },
    [],
  ],
  ['an empty rule for none', { families: { m: { gc: union() } } }, []],
  [
    'a tighter rule',
    { families: { m: { gc: maxAge('2d') } }, gc: maxAge('1d') },
    ['data-losing changeGc'],
  ],
  [
    'a union added',
    { families: { m: { gc: maxAge('2d') } }, gc: union(maxAge('2d'), maxVersions(1)) },
    ['data-losing changeGc'],
  ],
  [
    'a looser rule',
    { families: { m: { gc: maxAge('2d') } }, gc: maxAge('3d') },
    ['unsafe-live changeGc'],
  ],
  [
    'a looser rule, embedded',
    { families: { m: { gc: maxAge('2d') } }, gc: maxAge('3d'), isLive: false },
    ['safe changeGc'],
  ],
  ['a rule removed', { families: { m: { gc: maxAge('2d') } } }, ['unsafe-live changeGc']],
  [
    'a family that nobody declares',
    { families: { m: {}, old: {} } },
    ['destructive dropFamily not applied'],
  ],
  ['another kind', { families: { m: { aggregate: 'sum' } } }, ['impossible conflict not applied']],
  ['protection on', { settings: { deletionProtection: true } }, ['safe setOption']],
  [
    'protection off',
    { settings: { deletionProtection: false }, stored: { deletionProtection: true } },
    ['unsafe-live setOption'],
  ],
  [
    'protection as stored',
    { settings: { deletionProtection: true }, stored: { deletionProtection: true } },
    [],
  ],
  ['protection not declared', { stored: { deletionProtection: true } }, []],
  ['a change stream', { settings: { changeStreamMicros: day } }, ['safe setOption']],
  [
    'a longer one',
    { settings: { changeStreamMicros: 2 * day }, stored: { changeStreamMicros: day } },
    ['safe setOption'],
  ],
  [
    'a shorter one',
    { settings: { changeStreamMicros: day }, stored: { changeStreamMicros: 2 * day } },
    ['data-losing setOption'],
  ],
  [
    'none any more',
    { settings: { changeStreamMicros: null }, stored: { changeStreamMicros: day } },
    ['data-losing setOption'],
  ],
  ['none, as stored', { settings: { changeStreamMicros: null } }, []],
  [
    'one, embedded',
    { settings: { changeStreamMicros: day }, isLive: false },
    ['safe setOption not applied'],
  ],
  [
    'backups',
    { settings: { automatedBackup: { retentionMicros: 3 * day, frequencyMicros: day } } },
    ['safe setOption'],
  ],
  [
    'backups as stored',
    {
      settings: { automatedBackup: { retentionMicros: 3 * day, frequencyMicros: day } },
      stored: { automatedBackup: { retentionMicros: 3 * day, frequencyMicros: day } },
    },
    [],
  ],
  [
    'no backups any more',
    {
      settings: { automatedBackup: null },
      stored: { automatedBackup: { retentionMicros: 3 * day, frequencyMicros: day } },
    },
    ['unsafe-live setOption'],
  ],
  ['a key schema', { settings: { rowKeySchema: Buffer.from('a') } }, ['safe setOption']],
  [
    'a key schema as stored',
    { settings: { rowKeySchema: Buffer.from('a') }, stored: { rowKeySchema: Buffer.from('a') } },
    [],
  ],
  [
    'another key schema',
    { settings: { rowKeySchema: Buffer.from('a') }, stored: { rowKeySchema: Buffer.from('b') } },
    ['impossible setOption not applied'],
  ],
  [
    'no key schema any more',
    { settings: { rowKeySchema: null }, stored: { rowKeySchema: Buffer.from('b') } },
    ['unsafe-live setOption'],
  ],
])('%s', (_name, one, expected) => {
  expect(shown(one)).toEqual(expected);
  for (const { consequence } of plan(one).steps) expect(consequence).toMatch(/^[A-Z].*\.$/);
});

test('the id changes with the stored tables and with what is declared, and with nothing else', () => {
  const one: Case = {
    families: { m: { gc: union(maxAge('2d'), maxVersions(1)) } },
    gc: maxAge('1d'),
  };
  const { id } = plan(one);
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(plan(one).id).toBe(id);
  expect(plan({ ...one, families: { m: { gc: union(maxVersions(1), maxAge('2d')) } } }).id).toBe(
    id,
  );
  const others: readonly Case[] = [
    { ...one, gc: maxAge('12h') },
    { ...one, families: { m: { gc: maxAge('2d') } } },
    { ...one, families: { m: one.families!.m, x: {} } },
    { ...one, stored: { deletionProtection: true } },
    { ...one, stored: { rowKeySchema: Buffer.from('a') } },
    { ...one, settings: { changeStreamMicros: day } },
  ];
  for (const other of others) expect(plan(other).id).not.toBe(id);
});
