/** The functions that a call runs, as V8 counts them. */
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ name: string, calls: number }} VisitedFunction */
/** @typedef {{ path: string, functions: VisitedFunction[] }} VisitedFile */

/**
 * What the third call of `prepare()` visits in the compiled modules of a folder. The first two load
 * and cache what is needed once; the second is counted as well, and discarded, because V8 compiles
 * functions again when counting starts.
 *
 * @param {string} folder @param {() => () => Promise<unknown>} prepare
 * @returns {Promise<VisitedFile[]>}
 */
export async function visitedBy(folder, prepare) {
  await prepare()();
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await prepare()();
    const call = prepare();
    // Resets the counts.
    await session.post('Profiler.takePreciseCoverage');
    await call();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.startsWith('file:'))
      .map(({ url, functions }) => ({
        path: relative(folder, fileURLToPath(url)).replace(/\.js$/, '.ts'),
        functions: functions.flatMap(visitedFunction),
      }))
      .filter(({ path, functions }) => /^(src|decorators)\//.test(path) && functions.length > 0)
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  } finally {
    session.disconnect();
  }
}

/**
 * Not the initializers of fields, which V8 counts apart from their constructors.
 *
 * @param {import('node:inspector').Profiler.FunctionCoverage} coverage
 */
function visitedFunction({ functionName, ranges: [{ count }] }) {
  if (count === 0 || functionName === '<instance_members_initializer>') return [];
  return [{ name: functionName === '' ? '(anonymous)' : functionName, calls: count }];
}
