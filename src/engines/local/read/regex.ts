/**
 * Regular expressions of filters: RE2 syntax over bytes, matching the whole of them, in time linear
 * in their number. Bytes are matched as latin1 text, which has one character for each; re2js, a
 * port of RE2, is loaded when the first pattern needs it.
 */
import { invalidArgument } from '../../../errors.js';
import type { RE2JS } from 're2js';
import { compareSlices } from '../../../bytes/index.js';
import type { Filter } from '../../../store/index.js';
import { plainText, withoutAnyByte } from './regex-syntax.js';

/** Whether `[start, end)` of the bytes matches. */
export type ByteMatcher = (bytes: Uint8Array, start: number, end: number) => boolean;

/**
 * RE2's own bound for a compiled program: 8 MiB, of which two thirds for the program, a quarter of
 * that for its 16-byte instructions (re2.cc, compile.cc).
 */
const mostInstructions = 87_381;

let compiler: typeof RE2JS | undefined;

/** The bytes of a pattern, as latin1 text. */
export function patternText(pattern: Uint8Array | string): string {
  return (
    typeof pattern === 'string'
      ? Buffer.from(pattern, 'utf8')
      : Buffer.from(pattern.buffer, pattern.byteOffset, pattern.length)
  ).toString('latin1');
}

/**
 * Loads what the filter's patterns need; undefined when that is nothing, or there already. The
 * filter has been checked.
 */
export function loadRegex(filter: Filter | undefined): Promise<void> | undefined {
  if (filter === undefined || compiler !== undefined || !needsRegex(filter)) return undefined;
  return import('re2js').then((loaded) => void (compiler = loaded.RE2JS));
}

/** The pattern as a function; INVALID_ARGUMENT when it is none. */
export function compilePattern(pattern: Uint8Array | string): ByteMatcher {
  const text = patternText(pattern);
  const plain = plainText(text);
  if (plain !== undefined) {
    const wanted = Buffer.from(plain, 'latin1');
    return (bytes, start, end) =>
      end - start === wanted.length &&
      compareSlices(bytes, start, end, wanted, 0, wanted.length) === 0;
  }
  const compiled = compile(text);
  return (bytes, start, end) =>
    compiled.testExact(
      Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'),
    );
}

function compile(text: string): RE2JS {
  try {
    const compiled = compiler!.compile(withoutAnyByte(text));
    if (compiled.programSize() <= mostInstructions) return compiled;
  } catch (cause) {
    throw invalidArgument(
      'filter',
      cause instanceof Error ? cause.message : String(cause),
      'write it in the syntax of RE2 (github.com/google/re2/wiki/Syntax)',
      { pattern: text },
    );
  }
  throw invalidArgument(
    'filter',
    'the regular expression is too large',
    'repeat less, or split it over several filters',
    { pattern: text },
  );
}

function needsRegex(filter: Filter): boolean {
  switch (filter.kind) {
    case 'rowKeyRegex':
    case 'familyRegex':
    case 'qualifierRegex':
    case 'valueRegex':
      return plainText(patternText(filter.pattern)) === undefined;
    case 'chain':
    case 'interleave':
      return filter.filters.some(needsRegex);
    case 'condition':
      return [filter.predicate, filter.onTrue, filter.onFalse].some(
        (inner) => inner !== undefined && needsRegex(inner),
      );
    default:
      return false;
  }
}
