/** Levels, suppressions with reasons, unused suppressions, and wrong options of `lint`. */
import { transformSync } from 'esbuild';
import type { Fault, RowsmithError } from '../../../src/base/index.js';
import * as rowsmith from '../../../src/index.js';
import { column, defineEntity, rowKey } from '../../../src/index.js';
import { lint as lintNow, type LintOptions } from '../../../src/tools/lint/index.js';

type Loose = Record<string, any>;
type AnyClass = new () => object;

/** An entity with the findings K01 at, K12 tenant and F03 m. */
function entity(lint?: unknown): AnyClass {
  return defineEntity(
    class Log {
      at!: Date;
      tenant!: string;
      v?: string;
    },
    {
      table: 't',
      families: { m: {} },
      key: rowKey('at', 'tenant'),
      segments: { at: 'timestamp', tenant: { kind: 'string', maxLength: 20 } },
      columns: { v: column('m', 'string') },
      lint: lint as never,
    },
  );
}

function found(entityClass: AnyClass, options?: LintOptions): string[] {
  return lintNow([entityClass], options).findings.map(
    ({ rule, level, property, family }) => `${rule} ${level} ${property ?? family ?? '-'}`,
  );
}

function errorOf(action: () => unknown): RowsmithError {
  try {
    action();
  } catch (error) {
    return error as RowsmithError;
  }
  throw new Error('nothing was thrown');
}

function faults(action: () => unknown): string[] {
  const { code, details } = errorOf(action);
  expect(code).toBe('INVALID_DECLARATION');
  return details.faults!.map(({ entity: name, property = '-', problem, fix }: Fault) =>
    [name, property, problem, fix].join(' | '),
  );
}

test('a finding names the rule, the entity, the property, the reason, the fix and the source', () => {
  expect(lintNow([entity()]).findings[0]).toEqual({
    rule: 'K01',
    level: 'error',
    entity: 'Log',
    property: 'at',
    family: undefined,
    problem: "the key starts with 'at', a time: all new rows are written at one end of the table",
    reason: expect.stringContaining('one node takes every write'),
    fix: expect.stringContaining("rowKey('tenant', 'at')"),
    source: 'https://cloud.google.com/bigtable/docs/schema-design#row-keys-avoid',
  });
});

test('levels of rules', () => {
  expect(found(entity())).toEqual(['K01 error at', 'K12 warning tenant', 'F03 info m']);
  expect(found(entity(), { rules: { K01: 'off', K12: 'info', F03: 'error' } })).toEqual([
    'K12 info tenant',
    'F03 error m',
  ]);
});

describe('suppressions', () => {
  const reason = 'written once a day';

  test('of an entity, of a property, and with the reason in the result', () => {
    const ignore = [
      { rule: 'K01', reason },
      { rule: 'K12', property: 'tenant', reason: 'known' },
    ];
    const { findings, suppressed } = lintNow([entity({ ignore })]);
    expect(findings.map(({ rule }) => rule)).toEqual(['F03']);
    expect(suppressed.map(({ rule, property, ignored }) => [rule, property, ignored])).toEqual([
      ['K01', 'at', reason],
      ['K12', 'tenant', 'known'],
    ]);
  });

  test('what ignores nothing is reported, also if it is on another property', () => {
    const ignore = [
      { rule: 'K12', property: 'at', reason },
      { rule: 'K02', reason },
    ];
    const all = ['K01 error at', 'K12 warning tenant', 'F03 info m'];
    expect(found(entity({ ignore }))).toEqual([...all, 'L01 warning at', 'L01 warning -']);
    expect(found(entity({ ignore }), { rules: { L01: 'off' } })).toEqual(all);
    // A rule that is off finds nothing, which does not show that ignoring it is unnecessary.
    expect(found(entity({ ignore }), { rules: { K02: 'off', K12: 'off' } })).toEqual([
      'K01 error at',
      'F03 info m',
    ]);
  });

  test('a rule that does not exist is an error with the nearest name', () => {
    expect(faults(() => lintNow([entity({ ignore: [{ rule: 'K0l', reason }] })]))).toEqual([
      expect.stringMatching(/^Log \| - \| lint has no rule 'K0l' \| did you mean 'K01'\?$/),
    ]);
    const ignore = [{ rule: 'k12', property: 'tenant', reason }];
    expect(faults(() => lintNow([entity({ ignore })]))).toEqual([
      "Log | tenant | lint has no rule 'k12' | did you mean 'K12'?",
    ]);
  });

  test.each<[string, unknown, string]>([
    ['an empty reason', { ignore: [{ rule: 'K01', reason: ' ' }] }, 'without a reason'],
    ['no reason', { ignore: [{ rule: 'K01' }] }, 'without a reason'],
    ['no rule', { ignore: [{ reason }] }, 'lint ignores undefined'],
    ['a list of ids', { ignore: ['K01'] }, 'lint.ignore is not a list of rules'],
    ['an unknown property', { ignore: [{ rule: 'K01', property: 'att', reason }] }, "'att'"],
    ['an unknown option', { ignored: [] }, "lint has no option 'ignored'"],
    ['no object', 'K01', 'lint is the string "K01"'],
  ])('%s', (_name, declared, text) => {
    expect(faults(() => lintNow([entity(declared)]))).toEqual([expect.stringContaining(text)]);
  });
});

describe('expectations', () => {
  test.each<[string, Loose, string]>([
    ['an unknown property', { tenat: {} }, "did you mean 'tenant'?"],
    ['an unknown name', { v: { maxbytes: 1 } }, "did you mean 'maxBytes'?"],
    ['no values', { v: { values: 0 } }, 'values is the number 0'],
    ['half a byte', { v: { maxBytes: 0.5 } }, 'maxBytes is the number 0.5'],
    ['text for entries', { v: { maxEntries: '9' } }, 'maxEntries is the string "9"'],
    ['an unknown update', { v: { updates: 'often' } }, "give 'frequent' or 'append'"],
    ['a duration in words', { v: { keep: '30 days' } }, "give a duration such as '30d'"],
    ['text for a flag', { v: { sequential: 'yes' } }, 'give true or false'],
    ['no object', { v: 5 }, 'lint.expect is the number 5'],
  ])('%s', (_name, expect_, text) => {
    expect(faults(() => lintNow([entity({ expect: expect_ })]))).toEqual([
      expect.stringContaining(text),
    ]);
  });

  test('no list', () => {
    expect(faults(() => lintNow([entity({ expect: [] })]))).toEqual([
      expect.stringContaining('lint.expect is not an object'),
    ]);
  });
});

describe('wrong options', () => {
  test.each<[string, unknown, string, string]>([
    ['an unknown rule', { rules: { K00: 'off' } }, "no rule 'K00'", "did you mean 'K01'?"],
    ['an id in lower case', { rules: { f03: 'off' } }, "no rule 'f03'", "did you mean 'F03'?"],
    ['another name', { rules: { hotspots: 'off' } }, "no rule 'hotspots'", 'the rules are K01,'],
    ['an unknown level', { rules: { K01: 'fatal' } }, 'level of K01', "'off', 'info'"],
    ['no object', { rules: ['K01'] }, 'rules is an array', "rules: { K05: 'off' }"],
    ['no nodes', { nodes: 0 }, 'nodes is the number 0', '1 to 1,000'],
    ['text for a flag', { multiCluster: 'no' }, 'multiCluster is', 'true or false'],
  ])('%s', (_name, options, problem, fix) => {
    const { code, details } = errorOf(() => lintNow([entity()], options as LintOptions));
    expect(code).toBe('INVALID_ARGUMENT');
    expect(details.problem).toContain(problem);
    expect(details.fix).toContain(fix);
  });

  test('an unknown option', () => {
    const { code } = errorOf(() => lintNow([entity()], { rule: {} } as LintOptions));
    expect(code).toBe('INVALID_ARGUMENT');
  });
});

/** Compiles and runs TypeScript with legacy or standard decorators; returns its exports. */
function evaluate(source: string, legacy: boolean): Record<string, AnyClass> {
  const { code } = transformSync(source, {
    loader: 'ts',
    format: 'cjs',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: legacy ? { experimentalDecorators: true } : {} },
  });
  const module = { exports: {} as Record<string, AnyClass> };
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function('module', 'exports', 'require', code)(module, module.exports, () => rowsmith);
  return module.exports;
}

describe.each([
  ['legacy', true],
  ['standard', false],
])('@LintIgnore with %s decorators', (_name, legacy) => {
  const imports = `import { Column, Entity, LintIgnore, Segment, maxVersions, rowKey } from 'rowsmith';`;
  const base = `${imports}
    class Base {
      @LintIgnore('K01', 'one process writes') @Segment('timestamp') at!: Date;
      @Segment('string', { maxLength: 20 }) tenant!: string;
      @Column('m', 'string') v?: string;
    }
    const options = { table: 't', families: { m: { gc: maxVersions(1) } } };
    @LintIgnore('K12', 'read by time') @Entity(options)
    class Log extends Base { static readonly key = rowKey('at', 'tenant'); }
    @Entity(options)
    class Derived extends Log { static readonly key = rowKey('at', 'tenant'); }
    export { Log, Derived };`;

  test('on a property and on a class; a property passes it on, a class does not', () => {
    const { Log, Derived } = evaluate(base, legacy);
    expect(found(Log)).toEqual([]);
    expect(lintNow([Log]).suppressed.map(({ ignored }) => ignored)).toEqual([
      'one process writes',
      'read by time',
    ]);
    expect(found(Derived)).toEqual(['K12 warning tenant']);
  });

  test('an empty reason, and a decorator in the wrong place', () => {
    const wrong = evaluate(
      `${imports}
      @Entity({ table: 't', families: { m: { gc: maxVersions(1) } } })
      class Wrong {
        static readonly key = rowKey('at');
        @LintIgnore('K01', '') @Segment('timestamp') at!: Date;
        @LintIgnore('K01', 'a reason') other?: string;
        @LintIgnore('K01', 'a reason') static readonly place = 1;
        @Column('m', 'string') v?: string;
      }
      export { Wrong };`,
      legacy,
    ).Wrong;
    expect(faults(() => lintNow([wrong])).map((fault) => fault.split(' | ').slice(1, 3))).toEqual([
      ['place', expect.stringMatching(/^@LintIgnore is on a static (member|field)$/)],
      ['at', 'lint ignores rule K01 without a reason'],
      ['-', "lint.ignore names 'other', which is no segment or column"],
    ]);
  });
});

test('entities that are used otherwise are not affected by what lint is for', async () => {
  const Log = entity({ ignore: [{ rule: 'K99', reason: 'unknown' }] });
  const db = await rowsmith.open('memory:', { entities: [Log as never] });
  await db.close();
});
