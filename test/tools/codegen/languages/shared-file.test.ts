/**
 * The shared file of generated code, whatever texts the declarations have: what looks like a
 * comment, a quote or a name in them is no code. test/languages compiles and runs it.
 */
import { column, defineEntity, type EntityClass, literal, rowKey } from '../../../../src/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import { generators } from '../../../../src/tools/codegen/index.js';

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
