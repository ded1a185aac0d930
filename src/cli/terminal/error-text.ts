/** Errors as text for people: where, what, why and how to fix it. */
import { relative, resolve } from 'node:path';
import { type ErrorDetails, type Fault, isRowsmithError, shellDetails } from '../../base/index.js';

/** The words of errors: the command line's, or the API's for programs that a user wrote. */
export type Words = 'shell' | 'api';

/**
 * Several lines, the later ones indented; a string as it is. Errors of other libraries keep their
 * stack.
 */
export function errorText(error: unknown, words: Words = 'shell'): string {
  if (!isRowsmithError(error)) return foreignErrorText(error);
  const details = words === 'shell' ? shellDetails(error) : error.details;
  const { problem, fix, faults = [] } = details;
  const headline = withPrefix(positionText(details), error.message);
  return [headline, problem, fix, ...faults.flatMap(faultLines)]
    .filter((line) => line !== undefined)
    .map((line) => line.replaceAll('\n', '\n  '))
    .join('\n  ');
}

function foreignErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.stack ?? error.message;
}

/** `src/reading.ts:3: Reading.at`, as far as the details say. */
function positionText({ entity, property, file, directory }: ErrorDetails): string {
  const path = [file, directory].find((each) => typeof each === 'string');
  const member = [entity, property].filter((part) => part !== undefined).join('.');
  // The folder of the command itself is not worth a mention.
  if (path === undefined || resolve(path) === resolve('')) return member;
  if (member === '') return shortPath(path);
  return `${shortPath(path)}: ${member}`;
}

function faultLines({ entity, property, file, problem, fix }: Fault): string[] {
  const member = [entity, property].filter(Boolean).join('.');
  const line = `${member}: ${problem}`;
  return [file === undefined ? line : `${shortPath(file)}: ${line}`, `  ${fix}`];
}

function withPrefix(prefix: string, text: string): string {
  if (prefix === '') return text;
  return `${prefix}: ${text}`;
}

/** The path relative to the working folder of the process, unless the absolute one is shorter. */
export function shortPath(path: string): string {
  const [, file = path, position = ''] = /^(.*?)((?::\d+){1,2})?$/.exec(path) ?? [];
  const short = relative('', file) || '.';
  return `${short.length < file.length ? short : file}${position}`;
}
