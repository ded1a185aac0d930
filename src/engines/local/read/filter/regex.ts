/**
 * Regular expressions of filters: RE2 syntax over bytes, anchored at both ends, in linear time.
 * Bytes are matched as latin1 text, with one character for each byte. re2js, a port of RE2, is
 * loaded when the first pattern needs it.
 */
import { compareSlices, invalidArgument, type FaultTexts } from '../../../../base/index.js';
import type { RE2JS } from 're2js';
import type { Filter } from '../../../../data/store/index.js';
import { RegexDfa, characterRanges } from './regex-dfa.js';
import { plainText, withoutAnyByte } from './regex-syntax.js';

export interface Pattern {
  /** True when all of `[start, end)` matches. */
  readonly matches: (bytes: Uint8Array, start: number, end: number) => boolean;
  /** The same in steps; undefined for a literal, which needs none. */
  readonly dfa: RegexDfa | undefined;
  /** Instructions of the program; 0 for a literal. */
  readonly instructions: number;
}

/**
 * RE2's limit of a compiled program: 8 MiB, two thirds of it for the program, and a quarter of that
 * for its 16-byte instructions (re2.cc, compile.cc).
 */
const maxInstructions = 87_381;
/** Ranges of characters in a program. Collecting them takes 0.1 s. */
const maxCharacterRanges = 500_000;
/** Compiled patterns that are kept: a scan compiles its filter for every page, in up to 0.2 s. */
const maxCompiled = 32;

const compiledPatterns = new Map<string, Pattern>();

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
export function compilePattern(pattern: Uint8Array | string): Pattern {
  const text = patternText(pattern);
  const plain = plainText(text);
  if (plain !== undefined) {
    const literal = Buffer.from(plain, 'latin1');
    const matches: Pattern['matches'] = (bytes, start, end) =>
      end - start === literal.length &&
      compareSlices(bytes, start, end, literal, 0, literal.length) === 0;
    return { matches, dfa: undefined, instructions: 0 };
  }
  let compiled = compiledPatterns.get(text);
  if (compiled !== undefined) return compiled;
  compiled = compileProgram(text);
  for (const oldest of compiledPatterns.keys())
    if (compiledPatterns.size >= maxCompiled) compiledPatterns.delete(oldest);
  compiledPatterns.set(text, compiled);
  return compiled;
}

function compileProgram(text: string): Pattern {
  const compiled = compile(text);
  const dfa = new RegexDfa(compiled);
  const matches: Pattern['matches'] = (bytes, start, end) => {
    const steps = dfa.steps(bytes, start, end, { work: 0 });
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    return step.value;
  };
  return { matches, dfa, instructions: compiled.programSize() };
}

function latin1Text(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

function compile(text: string): RE2JS {
  try {
    const compiled = compiler!.compile(withoutAnyByte(text));
    if (
      compiled.programSize() <= maxInstructions &&
      characterRanges(compiled) <= maxCharacterRanges
    )
      return compiled;
  } catch (cause) {
    throw invalidArgument(
      'filter',
      faults.malformedRegex(cause instanceof Error ? cause.message : String(cause)),
      { pattern: text },
    );
  }
  throw invalidArgument('filter', faults.regexTooLarge, { pattern: text });
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

const faults = {
  malformedRegex: (text: string) => ({
    problem: text,
    fix: 'use the syntax of RE2 (github.com/google/re2/wiki/Syntax)',
  }),
  regexTooLarge: {
    problem: 'the regular expression is too large',
    fix: 'repeat less, or split it over several filters',
  },
} satisfies FaultTexts;
