/** Resolves the message of a column or field: `() => Status`. */
import { RowsmithError } from '../../../../base/index.js';
import { isDeclared } from '../class-record.js';
import { isCustomCodec } from '../columns/column-definition.js';
import type { Constructor, CustomCodec } from '../declaration.js';

const importFix =
  'import it in a way that is complete when the model is built: break the circular import, ' +
  'or move the message to a file of its own';

/**
 * The message class or custom codec; undefined after a report. `example` shows how to write the
 * declaration.
 */
export function resolveMessage(
  source: unknown,
  example: string,
  report: (problem: string, fix: string) => void,
): Constructor | CustomCodec | undefined {
  if (source === undefined) {
    report(
      'the message is undefined',
      `pass a function, because the class may be declared later or be part of an import cycle: ${example}`,
    );
    return undefined;
  }
  // A declared constructor function (not in class syntax) is the class itself.
  if (typeof source === 'function' && isDeclared(source as Constructor))
    return source as Constructor;
  let resolved: unknown;
  try {
    resolved = (source as () => unknown)();
  } catch (error) {
    reportFailure(error, report);
    return undefined;
  }
  if (resolved === undefined || resolved === null) {
    report(`the function for the message returns ${String(resolved)}`, importFix);
    return undefined;
  }
  if (
    typeof resolved === 'function' &&
    (isDeclared(resolved as Constructor) || !isCustomCodec(resolved))
  )
    return resolved as Constructor;
  if (isCustomCodec(resolved)) return resolved;
  report(
    `the function for the message returns ${typeof resolved}, not a class`,
    `return the class: ${example}`,
  );
  return undefined;
}

function reportFailure(error: unknown, report: (problem: string, fix: string) => void): void {
  if (error instanceof RowsmithError) {
    const { problem, fix, file } = error.details;
    if (problem !== undefined && fix !== undefined) {
      report(typeof file === 'string' ? `${file}: ${problem}` : problem, fix);
      return;
    }
  }
  const text = error instanceof Error ? error.message : String(error);
  report(`the function for the message throws: ${text}`, importFix);
}
