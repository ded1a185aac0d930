/** The canonical form of declarations: equal for one source compiled twice, else different. */
import {
  accessPatterns,
  buildModel,
  column,
  columnMap,
  copies,
  copyOf,
  counter,
  defineEntity,
  defineMessage,
  declarationDifferences,
  enumOf,
  field,
  indexOn,
  indexes,
  isEntityOf,
  maxVersions,
  packed,
  revision,
  rollups,
  rowKey,
  versions,
} from '../../../src/entities/model/index.js';

/** What a variant replaces in the declaration. */
type Change = (definition: Record<string, any>, message: Record<string, any>) => void;

/** A new class on each call, as a bundler compiles a file once for each bundle. */
function compile(change: Change = () => undefined): new () => any {
  const message: Record<string, any> = {
    name: 'notes.Body',
    fields: {
      text: field(1, 'string'),
      mode: field(2, enumOf({ NONE: 0, HTML: 1 }, 'notes.Mode')),
    },
  };
  class Body {
    text?: string;
    mode?: number;
  }
  class Author {
    id!: string;
    name?: string;
  }
  const author = defineEntity(Author, {
    table: 'authors',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: { name: column('m', 'string') },
  });
  class Note {
    tenant!: string;
    at!: Date;
    title?: string;
    authorId?: string;
    authorName?: string;
    size?: number;
    edits?: bigint;
    past?: readonly { at: Date; value: string }[];
    tags?: ReadonlyMap<string, string>;
    body?: Body;
    revision?: string;
  }
  const definition: Record<string, any> = {
    name: 'Note',
    table: 'notes',
    families: { m: { gc: maxVersions(1) }, p: { gc: maxVersions(9) }, t: {}, l: {} },
    key: rowKey('tenant', 'at'),
    shards: { count: 4, by: ['tenant'] },
    segments: {
      tenant: { kind: 'string', maxLength: 20 },
      at: { kind: 'timestamp', order: 'desc' },
    },
    marker: 'l',
    columns: {
      title: column('m', 'string', { qualifier: 't', alsoReads: 'title', default: 'none' }),
      authorId: column('m', 'string'),
      authorName: column('m', 'string'),
      size: column('m', 'double', { default: () => 1 }),
      edits: counter('m'),
      past: versions('p', 'string'),
      tags: columnMap('t', 'string'),
      revision: revision('m'),
    },
    patterns: accessPatterns({ latest: { prefix: ['tenant'], limit: 10 } } as never),
    indexes: indexes({ byTitle: indexOn('tenant', 'title'), byAuthor: indexOn('authorId') }),
    rollups: rollups({
      daily: {
        by: ['tenant', { time: 'at', every: '1d' }],
        values: { n: 'count' },
      },
    }),
    copies: copies({ authorName: copyOf(() => author, 'name', { id: 'authorId' }) } as never),
  };
  change(definition, message);
  definition.columns.body ??= packed('m', defineMessage(Body, message as never));
  return defineEntity(Note, definition as never);
}

const form = (change?: Change) => buildModel(compile(change));

test('one source compiled twice is one entity', () => {
  expect(declarationDifferences(form(), form())).toEqual([]);
  const Note = compile();
  const Other = compile();
  expect(isEntityOf(buildModel(Note), new Note())).toBe(true);
  expect(isEntityOf(buildModel(Note), new Other())).toBe(true);
  expect(isEntityOf(buildModel(Note), new (class extends Other {})())).toBe(true);
  expect(isEntityOf(buildModel(Note), { tenant: 'a' })).toBe(false);
  expect(isEntityOf(buildModel(Note), Object.create(null))).toBe(false);
  expect(isEntityOf(buildModel(Note), new Date())).toBe(false);
});

test.each<[string, Change, string]>([
  ['name', (d) => (d.name = 'Memo'), 'name: "Note" and "Memo"'],
  ['table', (d) => (d.table = 'memos'), 'table: "notes" and "memos"'],
  [
    'a rule',
    (d) => (d.families.m.gc = maxVersions(2)),
    'families.m.gc: "maxversions=1" and "maxversions=2"',
  ],
  ['a family', (d) => (d.families.x = {}), 'families.x: none and {"gc":"never"}'],
  ['key format', (d) => (d.keyFormat = 'ordered'), 'key.format: "text" and "ordered"'],
  ['shards', (d) => (d.shards.count = 8), 'key.shards.count: 4 and 8'],
  ['a segment', (d) => (d.segments.at.order = 'asc'), 'key.parts.1.type.order: "desc" and "asc"'],
  ['a limit', (d) => (d.segments.tenant.maxLength = 21), 'key.parts.0.type.maxLength: 20 and 21'],
  ['marker', (d) => delete d.marker, 'marker: "l" and none'],
  ['a column', (d) => (d.columns.more = column('m', 'bool')), 'columns.more: none and {'],
  [
    'its type',
    (d) => (d.columns.size = column('m', 'int64', { default: () => 1n })),
    'columns.size.type: "double" and "int64"',
  ],
  [
    'its family',
    (d) => (d.columns.authorId = column('l', 'string')),
    'columns.authorId.family: "m" and "l"',
  ],
  [
    'its qualifier',
    (d) =>
      (d.columns.title = column('m', 'string', {
        qualifier: 'T',
        alsoReads: 'title',
        default: 'none',
      })),
    'columns.title.qualifier: "t" and "T"',
  ],
  [
    'an earlier qualifier',
    (d) => (d.columns.title = column('m', 'string', { qualifier: 't', default: 'none' })),
    'columns.title.alsoReads.0: "title" and none',
  ],
  [
    'a default',
    (d) =>
      (d.columns.title = column('m', 'string', {
        qualifier: 't',
        alsoReads: 'title',
        default: 'new',
      })),
    'columns.title.default: "none" and "new"',
  ],
  [
    'a map',
    (d) => (d.columns.tags = columnMap('t', 'string', { qualifiers: 'int' })),
    'columns.tags.qualifiers.kind: "string" and "int"',
  ],
  ['a field', (_d, m) => (m.fields.text = field(3, 'string')), 'messages.notes.Body.1: {'],
  [
    'an enum',
    (_d, m) => (m.fields.mode = field(2, enumOf({ NONE: 0, HTML: 2 }, 'notes.Mode'))),
    'messages.notes.Body.2.values.HTML: 1 and 2',
  ],
  [
    'a message',
    (_d, m) => (m.name = 'notes.Text'),
    'columns.body.type: "message notes.Body" and "message notes.Text"',
  ],
  [
    'a codec',
    (d) =>
      (d.columns.body = packed('m', {
        encode: () => new Uint8Array(),
        decode: () => ({}),
      } as never)),
    'columns.body.type: "message notes.Body" and "custom codec"',
  ],
  [
    'a pattern',
    (d) => (d.patterns = accessPatterns({ latest: { prefix: ['tenant'], limit: 20 } } as never)),
    'patterns.latest.limit: 10 and 20',
  ],
  [
    'an index',
    (d) =>
      (d.indexes = indexes({
        byTitle: indexOn('tenant', 'title').including('size'),
        byAuthor: indexOn('authorId'),
      })),
    'indexes.byTitle.covered.0: none and "size"',
  ],
  [
    'a rollup',
    (d) =>
      (d.rollups = rollups({
        daily: {
          by: ['tenant', { time: 'at', every: '2d' }],
          values: { n: 'count' },
        },
      })),
    'rollups.daily.width: 86400000 and 172800000',
  ],
  ['copies', (d) => delete d.copies, 'copies.authorName: {'],
  ['a time of cells', (d) => (d.cellTimestamp = 'at'), 'cellTimestamp: none and "at"'],
  [
    'a managed column',
    (d) => delete d.columns.revision,
    'managed: {"revision":"revision"} and none',
  ],
])('%s', (_what, change, difference) => {
  const differences = declarationDifferences(form(), form(change));
  expect(differences.join('\n')).toContain(difference);
  expect(declarationDifferences(form(change), form(change))).toEqual([]);
});

test('functions are not compared, but whether there are any', () => {
  const withDefault =
    (create: unknown): Change =>
    (d) =>
      (d.columns.size = column('m', 'double', { default: create as never }));
  expect(declarationDifferences(form(withDefault(() => 1)), form(withDefault(() => 2)))).toEqual(
    [],
  );
  expect(declarationDifferences(form(withDefault(0)), form(withDefault(-0)))).toEqual([
    'columns.size.default: 0 and "number -0"',
  ]);
  expect(declarationDifferences(form(withDefault(() => 1)), form(withDefault(1)))).toEqual([
    'columns.size.default: "a function" and 1',
  ]);
  const hooked = (hook: unknown) => {
    const Note = compile();
    Object.assign(Note, { beforeWrite: hook });
    return buildModel(Note);
  };
  expect(
    declarationDifferences(
      hooked(() => 1),
      hooked(() => 2),
    ),
  ).toEqual([]);
  expect(
    declarationDifferences(
      form(),
      hooked(() => 2),
    ),
  ).toEqual(['hooks.0: none and "beforeWrite"']);
});
