/** Finds the class that `() => Status` gives, or says why there is none. */
import { RowsmithError } from '../../errors.js';
import { isDeclared } from './class-record.js';
import { isCustomCodec } from './column-definition.js';
import type { Constructor, CustomCodec } from './declaration.js';

const CIRCULAR =
  'import it in a way that is complete when the model is built: break the circular import, or move the message to a file of its own';

/**
 * The message class or foreign codec; undefined after a report. `example` is how the declaration
 * should read.
 */
export function resolveMessage(
  source: unknown,
  example: string,
  report: (problem: string, fix: string) => void,
): Constructor | CustomCodec | undefined {
  if (source === undefined) {
    report(
      'the message is undefined',
      `give a function, because the class may be declared later or imported in a circle: ${example}`,
    );
    return undefined;
  }
  // An old-style constructor function that was declared is the class itself.
  if (typeof source === 'function' && isDeclared(source as Constructor))
    return source as Constructor;
  let given: unknown;
  try {
    given = (source as () => unknown)();
  } catch (error) {
    const { problem, fix, file } = error instanceof RowsmithError ? error.details : {};
    if (problem !== undefined && fix !== undefined)
      report(typeof file === 'string' ? `${file}: ${problem}` : problem, fix);
    else
      report(
        `asking for the message class fails: ${error instanceof Error ? error.message : String(error)}`,
        CIRCULAR,
      );
    return undefined;
  }
  if (given === undefined || given === null) {
    report(`the function for the message gives ${String(given)}`, CIRCULAR);
    return undefined;
  }
  if (typeof given === 'function' && (isDeclared(given as Constructor) || !isCustomCodec(given)))
    return given as Constructor;
  if (isCustomCodec(given)) return given;
  report(
    `the function for the message gives ${typeof given}, not a class`,
    `give the class: ${example}`,
  );
  return undefined;
}
