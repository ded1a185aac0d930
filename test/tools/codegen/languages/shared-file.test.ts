/**
 * The shared file of generated code, whatever texts the declarations have: what looks like a
 * comment, a quote or a name in them is no code. test/languages compiles and runs it.
 */
import { column, defineEntity, type EntityClass, literal, rowKey } from '../../../../src/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import { generators } from '../../../../src/tools/codegen/index.js';
import { rowEntities } from '../../../languages/support/entities.js';

/** Of declarations that the compiler does not know. */
const declare = defineEntity as unknown as (made: object, options: object) => EntityClass;

const languages = ['python', 'go', 'java'];

/** The files of a language. */
function filesOf(
  language: string,
  entities: readonly EntityClass[],
): readonly { readonly path: string; readonly content: string }[] {
  const generator = generators.find(({ name }) => name === language)!;
  return generator.generate({ models: buildModels(entities) }) as {
    path: string;
    content: string;
  }[];
}

function sharedOf(language: string, ...entities: readonly EntityClass[]): string {
  return filesOf(language, entities).find(({ path }) => /runtime\.|Rows\.java/.test(path))!.content;
}

/** An entity with a text in each place where a declaration has texts. */
const withText = (text: string): EntityClass =>
  declare(class {}, {
    name: 'Ticket',
    table: 'tickets',
    families: { m: {}, c: {} },
    key: rowKey(literal('tickets') as never, 'id' as never),
    segments: { id: { kind: 'enum', values: [text, 'a'] } },
    columns: {
      state: column('m', 'string', { oneOf: [text, 'open'], default: 'open' }),
      title: column('m', 'string', { default: text, alsoReads: [text] }),
      until: column('m', 'timestamp'),
    },
  });

/** Names that some entity of `rowEntities` needs, and an entity of two texts does not. */
const unneeded: Readonly<Record<string, readonly string[]>> = {
  python: [
    ...['Scope', 'Packed', 'Qualifiers', 'Version', 'Literal', 'Expiry', 'increments', 'additions'],
    ...['scaled', 'mean', '_write_json', '_read_int64', '_datetime', '_integer_field'],
  ],
  go: [
    ...['Version', 'packed', 'qualifiers', 'literal', 'timeField', 'readJSON', 'writeMap'],
    ...['writeVersions', 'additions', 'increments', 'scaled', 'mean', 'refuseExpired'],
  ],
  java: ['Version', 'Scope', 'Digits', 'IntegerField', 'Constant', 'Qualifiers', 'Json', 'MaxAge'],
};

const plain = declare(class {}, {
  name: 'Plain',
  table: 'plain',
  families: { m: {} },
  key: rowKey('id' as never),
  segments: { id: 'string' },
  columns: { title: column('m', 'string') },
});

/** The names that a file declares. */
function declaredIn(source: string): readonly string[] {
  const declarations =
    /^ *(?:(?:public|private|static|final|abstract) )*(?:def|class|func(?: \(.*?\))?|type|record|interface|enum) (\w+)/gm;
  return [...source.matchAll(declarations)].map(([, name]) => name);
}

test.each(languages)(
  'an entity of two texts has no declaration that only other entities need, in %s',
  (language) => {
    const names = unneeded[language];
    expect(declaredIn(sharedOf(language, ...rowEntities))).toEqual(
      expect.arrayContaining([...names]),
    );
    expect(declaredIn(sharedOf(language, plain)).filter((name) => names.includes(name))).toEqual(
      [],
    );
  },
);

test('fields that stand together stay together', () => {
  const [python, , java] = languages.map((language) => sharedOf(language, ...rowEntities));
  expect(python).toContain('\n    low: int\n    high: int\n');
  expect(java).toContain('\n    private final String code;\n    private final String entity;\n');
});

describe.each(languages)('texts in declarations, in %s', (language) => {
  const expected = sharedOf(language, withText('plain'));
  test.each([
    '"""',
    '"',
    "'",
    `'"""`,
    `"'`,
    '`',
    '/*',
    '/**',
    '*/',
    '//',
    '#',
    '# "',
    '\\',
    '\\"',
    'b"',
    'Version versions Version(',
    'literal( uuid shards',
  ])('%j', (text) => {
    expect(sharedOf(language, withText(text))).toBe(expected);
  });
});
