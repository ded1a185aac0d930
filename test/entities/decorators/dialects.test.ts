/** Decorators of 2018-09, as swc emits them for JavaScript and Next.js without the setting. */
import { transformSync } from '@swc/core';
import * as decorators from '../../../decorators/index.js';
import { rowKey } from '../../../src/entities/model/index.js';

function evaluate(source: string): void {
  const { code } = transformSync(source, {
    configFile: false,
    swcrc: false,
    jsc: { parser: { syntax: 'ecmascript', decorators: true }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function('exports', 'require', code)({}, () => ({ ...decorators, rowKey }));
}

const fix = expect.stringContaining(
  'set "experimentalDecorators": true in compilerOptions of tsconfig.json',
);

test.each([
  ['@Column', 'title', "class Note { @Column('m', 'string') title; }"],
  ['@Segment', 'id', "class Note { @Segment('string') id; }"],
  ['@Column', 'shared', "class Note { @Column('m', 'string') static shared = 1; }"],
  ['@Column', 'edit', "class Note { @Column('m', 'string') edit() {} }"],
  ['@Field', 'text', "class Body { @Field(1, 'string') text; }"],
  ['@LintIgnore', 'id', "class Note { @LintIgnore('K05', 'few rows') id; }"],
  ['@Entity', undefined, "@Entity({ table: 't', families: {} }) class Note {}"],
  ['@Message', undefined, '@Message() class Body {}'],
])('%s of %s names the setting', (decorator, property, declaration) => {
  const source = `import { ${decorator.slice(1)} } from 'rowsmith'; ${declaration}`;
  expect(() => evaluate(source)).toThrow(
    expect.objectContaining({
      code: 'INVALID_DECLARATION',
      details: {
        property,
        problem: expect.stringContaining(
          `${decorator} was compiled as a decorator of the proposal of 2018-09`,
        ),
        fix,
      },
    }),
  );
});

test.each([
  ['a decorator without parentheses', () => (decorators.Column as any)('m')(undefined)],
  ['a class decorator of nothing', () => (decorators.Entity as any)({ table: 't' })()],
  ['a class decorator of text', () => (decorators.Message as any)('x.Y')('text')],
])('%s is no call that a compiler makes', (_what, call) => {
  expect(call).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({
        problem: expect.stringContaining('as no compiler of decorators does'),
        fix,
      }),
    }),
  );
});

test('a class with decorators that were left out is told which setting to change', () => {
  class Note {
    static readonly key = rowKey('id');
  }
  expect(
    () => decorators && require('../../../src/entities/model/index.js').buildModel(Note),
  ).toThrow(
    expect.objectContaining({
      details: {
        faults: [
          {
            entity: 'Note',
            property: undefined,
            problem: 'the class has a row key, and no decorator of it was run',
            fix: expect.stringContaining('"experimentalDecorators": true'),
          },
        ],
      },
    }),
  );
});
