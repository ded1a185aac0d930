/**
 * Regular expressions of filters: RE2 syntax over bytes, anchored at both ends, in linear time.
 * Bytes are matched as latin1 text, with one character for each byte. re2js, a port of RE2, is
 * loaded when the first pattern needs it.
 */
import { invalidArgument } from '../../../errors.js';
import type { RE2JS } from 're2js';
import { compareSlices } from '../../../bytes/index.js';
import type { Filter } from '../../../store/index.js';
import { plainText, withoutAnyByte } from './regex-syntax.js';

/** True when all of `[start, end)` matches. */
export type ByteMatcher = (bytes: Uint8Array, start: number, end: number) => boolean;

/**
 * RE2's limit of a compiled program: 8 MiB, two thirds of it for the program, and a quarter of that
 * for its 16-byte instructions (re2.cc, compile.cc).
 */
const maxInstructions = 87_381;

let compiler: typeof RE2JS | undefined;

/** The bytes of a pattern, as latin1 text. */
export function patternText(pattern: Uint8Array | string): string {
  if (typeof pattern === 'string') return Buffer.from(pattern, 'utf8').toString('latin1');
  return latin1Text(pattern, 0, pattern.length);
}

/**
 * Loads re2js. Undefined when the filter, which has been checked, does not need it, or it is
 * loaded.
 */
export function loadRegex(filter: Filter | undefined): Promise<void> | undefined {
  if (filter === undefined || compiler !== undefined || !needsRegex(filter)) return undefined;
  return import('re2js').then((loaded) => void (compiler = loaded.RE2JS));
}

/** Compiles a pattern; INVALID_ARGUMENT when it is invalid. Needs `loadRegex`. */
export function compilePattern(pattern: Uint8Array | string): ByteMatcher {
  const text = patternText(pattern);
  const plain = plainText(text);
  if (plain !== undefined) {
    const literal = Buffer.from(plain, 'latin1');
    return (bytes, start, end) =>
      end - start === literal.length &&
      compareSlices(bytes, start, end, literal, 0, literal.length) === 0;
  }
  const compiled = compile(text);
  return (bytes, start, end) => compiled.testExact(latin1Text(bytes, start, end));
}

function latin1Text(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

function compile(text: string): RE2JS {
  try {
    const compiled = compiler!.compile(withoutAnyByte(text));
    if (compiled.programSize() <= maxInstructions) return compiled;
  } catch (cause) {
    throw invalidArgument(
      'filter',
      cause instanceof Error ? cause.message : String(cause),
      'use the syntax of RE2 (github.com/google/re2/wiki/Syntax)',
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
