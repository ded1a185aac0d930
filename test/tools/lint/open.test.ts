/** `open` warns of findings: in development, once per process, and never more. */
import {
  column,
  defineEntity,
  maxVersions,
  open,
  type OpenOptions,
  rowKey,
} from '../../../src/index.js';
import { lint } from '../../../src/tools/index.js';

type AnyClass = new () => object;

function entity(first: 'at' | 'device', lint?: object): AnyClass {
  const segments = { at: 'timestamp', device: { kind: 'string', maxLength: 20 } };
  return defineEntity(class Log {}, {
    table: 't',
    families: { m: { gc: maxVersions(1) } },
    key: rowKey(first, first === 'at' ? 'device' : 'at'),
    segments,
    columns: { v: column('m', 'string') },
    lint,
  } as never);
}

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
  const messages = await opened(mode, [entity('at'), entity('at')]);
  expect(messages).toEqual([
    expect.stringMatching(
      /^error K01 Log\.at: the key starts with 'at'[^]*rowsmith lint --explain/,
    ),
  ]);
});

// It was reported to applications, which had to change a schema that worked.
test('advice on a design is left to the command: a key without maxLength is not mentioned', async () => {
  const unbounded = defineEntity(class Note {}, {
    table: 't',
    families: { m: { gc: maxVersions(1) } },
    key: rowKey('id'),
    segments: { id: { kind: 'string' } },
    columns: { v: column('m', 'string') },
  } as never) as AnyClass;
  const { findings } = lint([unbounded]);
  expect(findings.map(({ rule, level }) => [rule, level])).toEqual([['K08', 'warning']]);
  expect(await opened('development', [unbounded])).toEqual([]);
  // It does not count as the warning of the process.
  expect(await opened('development', [entity('at')])).toHaveLength(1);
});

test.each(['production', 'test'])('never if NODE_ENV is %s', async (mode) => {
  expect(await opened(mode, [entity('at')])).toEqual([]);
});

test('not without findings of level warning, and not with lint: false', async () => {
  expect(await opened('development', [entity('device')])).toEqual([]);
  expect(await opened('development', [entity('at')], { lint: false })).toEqual([]);
  // Neither counts as the warning of the process.
  expect(await opened('development', [entity('at')])).toHaveLength(1);
});

test('a wrong suppression is a warning: the entities can be used', async () => {
  const ignore = [{ rule: 'K99', reason: 'unknown' }];
  expect(await opened('development', [entity('device', { ignore })])).toEqual([
    expect.stringContaining('lint failed'),
  ]);
});

test('lint that is neither true nor false is rejected', async () => {
  const entities = [entity('at') as never];
  await expect(open('memory:', { entities, lint: 'off' as never })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { property: 'lint' },
  });
});
