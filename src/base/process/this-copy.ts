/**
 * The copy of the package that this code belongs to. A program may load several: the ESM and the
 * CommonJS build, and one in each bundle.
 */
import type { FaultTexts, ProblemText } from '../faults.js';
import { RowsmithError } from '../errors.js';

/** The version of the package. A test compares it with package.json, which bundles do not have. */
export const packageVersion = '0.1.0';

/** A copy of the package, as other copies see it. */
export interface PackageCopy {
  readonly version: string;
  /** The file with its code. */
  readonly file: () => string;
}

/** This copy. */
export const thisCopy: PackageCopy = Object.freeze({ version: packageVersion, file: codeFile });

/**
 * Throws VERSION_MISMATCH if `other` has another version: what it declared or opened may have
 * another form. `problem` is what came from it, such as `Reading was declared with`.
 */
export function assertSameVersion(other: PackageCopy | undefined, { problem }: ProblemText): void {
  if (other?.version === packageVersion) return;
  const versions = [other?.version ?? 'unknown', packageVersion];
  const files = [other?.file() ?? 'unknown file', codeFile()];
  throw new RowsmithError('VERSION_MISMATCH', {
    ...faults.versionMismatch(problem, versions[0], files[0], versions[1], files[1]),
    versions,
    files,
  });
}

/** The file that holds the code of this function, taken from a stack because of bundlers. */
function codeFile(): string {
  const limit = Error.stackTraceLimit;
  Reflect.set(Error, 'stackTraceLimit', 1);
  const { stack } = new Error();
  Reflect.set(Error, 'stackTraceLimit', limit);
  // Programs may replace Error.prepareStackTrace, and a stack is anything then.
  const found = /(?:\(|at )([^()\n]+):\d+:\d+\)?$/m.exec(String(stack));
  return found?.[1] ?? 'unknown file';
}

const faults = {
  versionMismatch: (
    problem: string,
    version: string,
    file: string,
    versionText: string,
    fileText: string,
  ) => ({
    problem: `${problem} version ${version} (${file}), and this is version ${versionText} (${fileText})`,
    fix: 'install one version: npm ls rowsmith shows who depends on which, and npm dedupe merges them',
  }),
} satisfies FaultTexts;
