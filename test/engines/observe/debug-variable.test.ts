/** `DEBUG` turns the log on, as the package `debug` reads it. */
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { observationOf } from '../../../src/engines/observe/observation.js';
import { withStages } from '../../../src/data/store/index.js';
import { set } from '../conformance.js';

const before = process.env.DEBUG;
afterEach(() => {
  if (before === undefined) delete process.env.DEBUG;
  else process.env.DEBUG = before;
  jest.restoreAllMocks();
});

/** Lines on standard error while one row is written. */
async function linesWith(debug: string): Promise<readonly string[]> {
  const lines: string[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  process.env.DEBUG = debug;
  const engine = await openMemoryEngine({});
  await engine.createTable({ name: 't', families: new Map([['f', {}]]) });
  const observation = await observationOf(undefined, 'rowsmith');
  await withStages(engine, [observation?.('Row')]).mutateRow('t', {
    key: new Uint8Array([1]),
    mutations: [set('f', 'q', 'v')],
  });
  await engine.close();
  return lines;
}

test.each(['rowsmith', '*', 'row*', 'rowsmith*', 'rowsmith:*', 'express:*,rowsmith', 'a rows*'])(
  'DEBUG=%s',
  async (debug) => {
    expect(await linesWith(debug)).toEqual([expect.stringMatching(/^rowsmith .*\n$/)]);
  },
);

test.each(['', 'express', 'ows*', 'rowsmith2', 'rowsmiths*', 'rowsmit', '*,-rowsmith', '* -row*'])(
  'not with DEBUG=%s',
  async (debug) => {
    expect(await linesWith(debug)).toEqual([]);
  },
);
