/** Checks options that come from JavaScript. */
import type { FaultTexts } from './faults.js';
import { invalidArgument, type ErrorDetails } from './errors.js';
import { nearestName } from './text/nearest-name.js';
import { wrongObject } from './properties.js';
import { quotedList, valueText } from './text/text.js';

/**
 * Throws INVALID_ARGUMENT for an option that does not exist: a misspelt one would be ignored, and a
 * write would be made without its condition. `call` names the function in the error, such as
 * `save()`. Undefined and null are no options.
 */
export function checkOptions(
  call: string,
  options: unknown,
  known: readonly string[],
  details: ErrorDetails = {},
): void {
  if (options === undefined || options === null) return;
  const wrong = wrongObject(options);
  if (wrong !== undefined)
    throw invalidArgument(
      'options',
      faults.wrongOptions(call, wrong.given, wrong.fix ?? `write { ${known[0]}: ... }`),
      details,
    );
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    let fix = `use ${quotedList(known)}`;
    if (nearest !== undefined) fix = `did you mean '${nearest}'?`;
    throw invalidArgument(name, faults.unknownOption(call, name, fix), details);
  }
  const given = options as Readonly<Record<string, unknown>>;
  checkSignal(given.signal, details);
  for (const name of callbacks) checkCallback(name, given[name], details);
}

/** Options of many calls; options such as `onForeignRow` also take words. */
const callbacks = ['onProgress', 'onFailure', 'onFinding', 'onDifference'] as const;

function checkCallback(name: string, value: unknown, details: ErrorDetails): void {
  if (value === undefined || typeof value === 'function') return;
  throw invalidArgument(name, faults.notAFunction(name, valueText(value)), details);
}

/**
 * Throws INVALID_ARGUMENT for a value that is neither undefined nor an AbortSignal: it would fail
 * only after a write was sent.
 */
export function checkSignal(signal: unknown, details: ErrorDetails = {}): void {
  if (signal === undefined || isSignal(signal)) return;
  throw invalidArgument('signal', faults.wrongSignal(valueText(signal)), details);
}

/** By its methods: signals of other realms and of polyfills are accepted. */
function isSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { throwIfAborted, addEventListener } = value as Partial<AbortSignal>;
  return typeof throwIfAborted === 'function' && typeof addEventListener === 'function';
}

const faults = {
  wrongOptions: (call: string, given: string, fix: string) => ({
    problem: `${call} takes an object of options, not ${given}`,
    fix,
  }),
  unknownOption: (call: string, name: string, fix: string) => ({
    problem: `${call} has no option '${name}'`,
    fix,
  }),
  notAFunction: (name: string, given: string) => ({
    problem: `${name} is ${given}`,
    fix: 'give a function, or leave it out',
  }),
  wrongSignal: (given: string) => ({
    problem: `the signal is ${given}`,
    fix: 'give the signal of an AbortController, or leave it out',
  }),
} satisfies FaultTexts;
