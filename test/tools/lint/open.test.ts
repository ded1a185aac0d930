/** `open` warns of what loses data or fails: in development, once per process, and never more. */
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import {
  column,
  columnMap,
  defineEntity,
  maxAge,
  maxVersions,
  open,
  type OpenOptions,
  rowKey,
  versions,
} from '../../../src/index.js';
import { lint } from '../../../src/tools/index.js';

type AnyClass = new () => object;

function entity(schema: Record<string, unknown> = {}): AnyClass {
  return defineEntity(class Log {}, {
    table: 't',
    families: { m: { gc: maxVersions(1) } },
    key: rowKey('device', 'at'),
    segments: { at: 'timestamp', device: { kind: 'string', maxLength: 20 } },
    columns: { v: column('m', 'string') },
    ...schema,
  } as never);
}

/** Its history is deleted as it is written. */
const losing = (lint?: object): AnyClass =>
  entity({ columns: { v: versions('m', 'string') }, lint });
/** New rows are written at one end of the table: slow under load, and nothing is lost. */
const hot = (): AnyClass => entity({ key: rowKey('at', 'device') });

const warned = Symbol.for('rowsmith.lintWarned');
const environment = process.env.NODE_ENV;
const forget = (): void => {
  delete (process as never as Record<symbol, unknown>)[warned];
};
let emitted: jest.SpyInstance;
beforeEach(() => {
  // Jest gives tests a separate process object, on which `warning` events do not arrive.
  emitted = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  forget();
});
afterEach(() => {
  emitted.mockRestore();
  process.env.NODE_ENV = environment;
  forget();
});

/** The warnings of opening the entities one after the other. */
async function opened(
  mode: string | undefined,
  entities: readonly AnyClass[],
  options: Partial<OpenOptions> = {},
): Promise<string[]> {
  if (mode === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = mode;
  for (const each of entities) {
    const db = await open('memory:', { entities: [each as never], ...options });
    await db.close();
  }
  const expected = { type: 'RowsmithWarning', code: 'ROWSMITH_LINT' };
  return emitted.mock.calls.map(([message, settings]) => {
    expect(settings).toEqual(expected);
    return message as string;
  });
}

test.each([undefined, 'development'])('once, if NODE_ENV is %s', async (mode) => {
  const messages = await opened(mode, [losing(), losing()]);
  expect(messages).toEqual([
    expect.stringMatching(/^error F02 Log\.v: 'v' reads the history[^]*rowsmith lint --explain/),
  ]);
});

test.each<[string, AnyClass]>([
  ['a history that is deleted', losing()],
  [
    'an age that is shorter than values are needed',
    entity({
      families: { m: { gc: maxAge('7d') } },
      lint: { expect: { v: { keep: '30d' } } },
    }),
  ],
  [
    'cells that expire by a due date',
    entity({
      families: { m: { gc: maxAge('7d') } },
      columns: { dueAt: column('m', 'timestamp') },
      cellTimestamp: 'dueAt',
    }),
  ],
  ['values that are rejected', entity({ lint: { expect: { v: { maxBytes: 101 * 1024 ** 2 } } } })],
  [
    'rows that cannot be read',
    entity({
      columns: { v: column('m', 'bytes'), w: column('m', 'bytes'), x: column('m', 'bytes') },
      lint: {
        expect: Object.fromEntries(['v', 'w', 'x'].map((v) => [v, { maxBytes: 90 * 1024 ** 2 }])),
      },
    }),
  ],
])('of %s', async (_what, each) => {
  const [expected] = lint([each]).findings.filter(({ level }) => level === 'error');
  expect(await opened('development', [each])).toEqual([
    expect.stringContaining(`${expected.rule} Log.${expected.property}: ${expected.problem}`),
  ]);
});

// Applications had to change a schema that worked, or turn the warnings off that mattered.
test.each<[string, AnyClass, readonly string[]]>([
  ['a hot range', hot(), ['K01 error']],
  [
    'a key without maxLength',
    entity({ key: rowKey('id'), segments: { id: { kind: 'string' } } }),
    ['K08 warning'],
  ],
  ['a map without a bound', entity({ columns: { v: columnMap('m', 'string') } }), ['F07 warning']],
  [
    'a large value',
    entity({ lint: { expect: { v: { maxBytes: 20 * 1024 ** 2 } } } }),
    ['F13 warning'],
  ],
  [
    'a rule that is ignored without need',
    entity({ lint: { ignore: [{ rule: 'K04', reason: 'x' }] } }),
    ['L01 warning'],
  ],
])('what is slow, large or hard to use is left to the command: %s', async (_what, each, all) => {
  expect(lint([each]).findings.map(({ rule, level }) => `${rule} ${level}`)).toEqual(all);
  expect(await opened('development', [each])).toEqual([]);
  // It does not count as the warning of the process.
  expect(await opened('development', [losing()])).toHaveLength(1);
});

test.each(['production', 'test'])('never if NODE_ENV is %s', async (mode) => {
  expect(await opened(mode, [losing()])).toEqual([]);
});

test('not with lint: false, and not if the entity ignores the rule', async () => {
  expect(await opened('development', [losing()], { lint: false })).toEqual([]);
  const ignore = [{ rule: 'F02', property: 'v', reason: 'read before the next write' }];
  expect(await opened('development', [losing({ ignore })])).toEqual([]);
  // Neither counts as the warning of the process.
  expect(await opened('development', [losing()])).toHaveLength(1);
});

test('a rule that throws is a warning: the entities can be used', async () => {
  const storage = {
    getTargetValidationMetadatas: () => {
      throw new Error('no metadata');
    },
  };
  const global = globalThis as { classValidatorMetadataStorage?: unknown };
  global.classValidatorMetadataStorage = storage;
  try {
    expect(await opened('development', [entity()])).toEqual([
      expect.stringContaining('lint failed: no metadata'),
    ]);
  } finally {
    delete global.classValidatorMetadataStorage;
  }
});

test('rules that open does not apply are not loaded', () => {
  const at = join(__dirname, '../../../src/tools/lint/at-open.ts');
  const { metafile } = buildSync({
    entryPoints: [at],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    packages: 'external',
  });
  const files = Object.keys(metafile.inputs).filter((path) => path.includes('src/tools/'));
  expect(files.map((path) => path.replace(/.*src\/tools\/lint\//, '')).sort()).toEqual([
    'at-open.ts',
    'finding.ts',
    'rule.ts',
    'rules/growth.ts',
    'rules/retention.ts',
    'subject/byte-bounds.ts',
    'subject/names/times.ts',
    'subject/names/words.ts',
    'subject/subject.ts',
    'subject/validation-rules.ts',
    'subject/versions-kept.ts',
  ]);
});

test('lint that is neither true nor false is rejected', async () => {
  const entities = [entity() as never];
  await expect(open('memory:', { entities, lint: 'off' as never })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { property: 'lint' },
  });
});
