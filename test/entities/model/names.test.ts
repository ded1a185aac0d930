/** Names of entities and messages: declared, or from their classes, never from a minifier. */
import { transformSync } from 'esbuild';
import * as rowsmith from '../../../src/index.js';
import {
  buildModel,
  column,
  defineEntity,
  defineMessage,
  describeEntity,
  entityName,
  field,
  packed,
  rowKey,
} from '../../../src/entities/model/index.js';
import type { RowsmithError } from '../../../src/base/index.js';

/** An entity with a class of this name. */
function entity(
  className: string,
  name?: unknown,
  columns: object = { title: column('m', 'string') },
) {
  return defineEntity(
    { [className]: class {} }[className] as new () => any,
    {
      name: name as string,
      table: 'notes',
      families: { m: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns,
    } as never,
  );
}

function faultsOf(build: () => unknown): string[] {
  try {
    build();
    return [];
  } catch (error) {
    return (error as RowsmithError).details.faults!.map(
      (fault) => `${fault.entity}: ${fault.problem} | ${fault.fix}`,
    );
  }
}

test('a declared name replaces the name of the class everywhere', () => {
  const Note = entity('ku', 'Note');
  expect(entityName(Note)).toBe('Note');
  expect(buildModel(Note).name).toBe('Note');
  expect(describeEntity(Note).entity).toBe('Note');
});

test.each([
  '',
  'a',
  'A',
  'ku',
  '$e',
  'Ao',
  'abc',
  '_a1',
  'i18',
  'Note2',
  'Note10',
  'Note$1',
  '_Note',
])('%j is asked for a name', (name) => {
  expect(faultsOf(() => buildModel(entity(name)))).toEqual([
    expect.stringMatching(
      /and its name is stored and compared \| declare one: name: 'Reading' in its options$/,
    ),
  ]);
  expect(faultsOf(() => buildModel(entity(name, 'Note')))).toEqual([]);
});

test.each(['Row', 'Ad1', 'note', 'Note', 'URL', 'Event2026', 'OrderV2'])('%j is a name', (name) => {
  expect(faultsOf(() => buildModel(entity(name)))).toEqual([]);
});

test.each([7, '', 'a b', 'a.b', 'a/b', '1a', {}, null])('a declared name %j is a fault', (name) => {
  expect(faultsOf(() => buildModel(entity('Note', name)))).toEqual([
    expect.stringMatching(
      /: its name is .+ \| name it with letters, digits, _ and \$: name: 'Reading'$/,
    ),
  ]);
});

test('a message without a name is asked for one', () => {
  const message = (className: string, name?: string) =>
    defineMessage({ [className]: class {} }[className] as new () => any, {
      name,
      fields: { text: field(1, 'string') },
    });
  const using = (body: new () => any) => entity('Note', undefined, { body: packed('m', body) });
  expect(faultsOf(() => buildModel(using(message('ku'))))).toEqual([
    "ku: 'ku' looks like a name that a minifier has chosen for the class, and its name is stored " +
      "and compared | declare one: @Message('telemetry.Status')",
  ]);
  expect(faultsOf(() => buildModel(using(message('ku', 'notes.Body'))))).toEqual([]);
  expect(faultsOf(() => buildModel(using(message('Body'))))).toEqual([]);
});

test('names that are stored do not come from a real minifier', async () => {
  const source = `
    import { Column, Entity, Segment, indexOn, indexes, rowKey } from 'rowsmith';
    @Entity({ NAME table: 'notes', families: { m: {} } })
    export class Note {
      static readonly key = rowKey('id');
      static readonly indexes = indexes({ byTitle: indexOn('title') });
      @Segment('string') id!: string;
      @Column('m', 'string') title?: string;
    }`;
  const evaluate = (name: string): new () => any => {
    const { code } = transformSync(
      `${source.replace('NAME', name)}; globalThis.minifiedNote = Note;`,
      {
        loader: 'ts',
        format: 'cjs',
        minify: true,
        tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
      },
    );
    // oxlint-disable-next-line typescript/no-implied-eval
    new Function('exports', 'module', 'require', code)({}, {}, () => rowsmith);
    return (globalThis as any).minifiedNote;
  };
  const unnamed = evaluate('');
  expect(unnamed.name).not.toBe('Note');
  await expect(rowsmith.open('memory:', { entities: [unnamed as never] })).rejects.toMatchObject({
    code: 'INVALID_DECLARATION',
    details: { faults: [{ fix: "declare one: name: 'Reading' in its options" }] },
  });
  const named = evaluate("name: 'Note',");
  await using db = await rowsmith.open('memory:', { entities: [named as never] });
  expect((await db.derived.list()).map((each) => each.entity)).toEqual(['Note']);
});

test.each(['esm', 'cjs'] as const)(
  'names that are stored do not come from esbuild, which renames without minifying (%s)',
  async (format) => {
    const compiled = (name: string): string =>
      transformSync(
        `const Note = defineEntity(class Note { id!: string }, { ${name}
           table: 'notes', families: { m: {} }, key: rowKey('id'), segments: { id: 'string' },
           columns: { title: column('m', 'string') },
         }); globalThis.renamedNote = Note;`,
        { loader: 'ts', format },
      ).code;
    const evaluate = (name: string): new () => any => {
      // oxlint-disable-next-line typescript/no-implied-eval
      const run = new Function('defineEntity', 'rowKey', 'column', compiled(name));
      run(defineEntity, rowKey, column);
      return (globalThis as any).renamedNote;
    };
    const unnamed = evaluate('');
    expect(unnamed.name).toBe('Note2');
    expect(faultsOf(() => buildModel(unnamed))).toEqual([
      "Note2: 'Note2' looks like a name that a bundler has chosen for the class, and its name is " +
        "stored and compared | declare one: name: 'Reading' in its options",
    ]);
    expect(buildModel(evaluate("name: 'Note',")).name).toBe('Note');
  },
);
