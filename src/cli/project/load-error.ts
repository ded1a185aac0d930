/** Errors of modules that throw while they are loaded, with a position in the user's sources. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isRowsmithError, RowsmithError, type FaultTexts } from '../../base/index.js';

import { configError } from './config-fault.js';
import { stackPosition } from './source-position.js';

/** The error to throw for one that loading `files` threw; `sources` are the user's files. */
export function loadError(
  error: unknown,
  files: readonly string[],
  sources: readonly string[],
  folder: string,
): RowsmithError {
  const position = stackPosition(error, sources) ?? files[0];
  if (isRowsmithError(error)) {
    if (error.code === 'INVALID_CONFIG' || error.code === 'MISSING_PACKAGE') return error;
    return new RowsmithError(error.code, { file: position, ...error.details }, { cause: error });
  }
  const text = messageOf(error);
  if ((error as { readonly code?: unknown } | undefined)?.code === 'ERR_MODULE_NOT_FOUND') {
    const name = /'([^']+)'/.exec(text)?.[1] ?? 'the package';
    const importer = findSource(sources, (source) => {
      return source.includes(`'${name}'`) || source.includes(`"${name}"`);
    });
    const where = relative(process.cwd(), folder) || 'this folder';
    return configError(importer ?? position, faults.missingModule(text, name, where), error);
  }
  const problem = `it throws while it is loaded: ${text}`;
  // An error of the linker has no stack frame in the sources.
  const missingName = /does not provide an export named '([^']+)'/.exec(text)?.[1];
  if (missingName !== undefined) {
    const imported = new RegExp(`import[^;]*\\b${missingName.replaceAll('$', '\\$')}\\b`);
    const importer = findSource(sources, (source) => imported.test(source));
    return configError(importer ?? position, faults.missingExport(problem), error);
  }
  return configError(position, { problem, fix: throwFix(text) }, error);
}

function messageOf(error: unknown): string {
  const message = (error as { readonly message?: unknown } | undefined)?.message;
  if (typeof message !== 'string') return String(error);
  return message.replaceAll(/ imported from .*\.rowsmith-.*$/gm, '');
}

function findSource(
  sources: readonly string[],
  matches: (text: string) => boolean,
): string | undefined {
  return sources.find((source) => matches(readFileSync(source, 'utf8')));
}

/** A class used before its module has run: a ReferenceError, or undefined if it became a `var`. */
function throwFix(text: string): string {
  if (/before initialization|of undefined|undefined is not/.test(text))
    return (
      'in an import cycle a class is undefined until its module has run: ' +
      'give it as a function, @Packed(family, () => Message), or break the cycle'
    );
  return (
    'a module of entities must load by itself, without a database or settings that only the ' +
    'program has'
  );
}

const faults = {
  missingModule: (text: string, name: string, where: string) => ({
    problem: text,
    fix: `run npm install ${name}, in ${where}`,
  }),
  missingExport: (problem: string) => ({ problem, fix: 'correct the name in the import' }),
} satisfies FaultTexts;
