/** Resolves the message of a column or field: `() => Status`. */
import { RowsmithError, type FaultText, type FaultTexts } from '../../../../base/index.js';
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
  report: (fault: FaultText) => void,
): Constructor | CustomCodec | undefined {
  if (source === undefined) {
    report(faults.undefinedMessage(example));
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
    report(faults.notResolved(resolved));
    return undefined;
  }
  if (
    typeof resolved === 'function' &&
    (isDeclared(resolved as Constructor) || !isCustomCodec(resolved))
  )
    return resolved as Constructor;
  if (isCustomCodec(resolved)) return resolved;
  report(faults.notAClass(typeof resolved, example));
  return undefined;
}

function reportFailure(error: unknown, report: (fault: FaultText) => void): void {
  if (error instanceof RowsmithError) {
    const { problem, fix, file } = error.details;
    if (problem !== undefined && fix !== undefined) {
      report({ problem: typeof file === 'string' ? `${file}: ${problem}` : problem, fix });
      return;
    }
  }
  const text = error instanceof Error ? error.message : String(error);
  report(faults.throwingFunction(text));
}

const faults = {
  undefinedMessage: (example: string) => ({
    problem: 'the message is undefined',
    fix: `pass a function, because the class may be declared later or be part of an import cycle: ${example}`,
  }),
  notResolved: (resolved: undefined | null) => ({
    problem: `the function for the message returns ${String(resolved)}`,
    fix: importFix,
  }),
  notAClass: (resolved: string, example: string) => ({
    problem: `the function for the message returns ${resolved}, not a class`,
    fix: `return the class: ${example}`,
  }),
  throwingFunction: (text: string) => ({
    problem: `the function for the message throws: ${text}`,
    fix: importFix,
  }),
} satisfies FaultTexts;
