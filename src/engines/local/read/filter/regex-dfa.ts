/**
 * Matches a compiled regular expression in steps, so that a large value or an expensive pattern
 * does not block the event loop. re2js matches at once, and a program of 80,000 instructions takes
 * 10 ms for each byte. We use the DFA of its compiled pattern (as of 2.10), which it keeps to
 * itself. If a later version has none, patterns are matched at once.
 */
import type { RE2JS } from 're2js';

/** Counts work, in units of 5 to 50 ns. */
export interface WorkCounter {
  work: number;
}

/** A match in progress. Yields after some milliseconds; returns true when all bytes match. */
export type MatchSteps = Generator<void, boolean, void>;

/** A set of positions in the program, and the transitions from it that have been computed. */
interface DfaState {
  readonly nfaStates: readonly number[];
  readonly nextAnchored: readonly (DfaState | null)[] | null;
  readonly isMatch: boolean;
}

/** The members of re2js's DFA that are used here. */
interface Dfa {
  readonly failed: boolean;
  /** The class of each byte; bytes of one class have the same transitions. */
  readonly latin1Class: Int32Array;
  readonly numClasses: number;
  /** Bytes that cached states may take. */
  stateBudget: number;
  memBudget: number;
  start(input: { readonly context: () => number }, position: number): DfaState | null;
  step(state: DfaState, byteClass: number, byte: number, anchor: number): DfaState | null;
  resetCache(state: DfaState): DfaState | null;
}

interface Internals {
  readonly re2Input?: {
    readonly prog?: {
      numInst?: () => number;
      getInst?: (pc: number) => { readonly runes?: readonly number[] };
    };
    readonly dfa?: Dfa;
  };
}

/** Flags of re2js: the beginning of the text and of a line, both ends anchored, no more bytes. */
const beginOfText = 4 | 1;
const anchorBoth = 2;
const endOfText = -1;

/** Work after which a match yields. */
const maxStepWork = 4096;
/**
 * Memory for the states of one pattern, and for each of its instructions: a filter may have a
 * thousand patterns.
 */
const stateBytes = 512 * 1024;
const stateBytesPerInstruction = 32;

/** Ranges of characters in the program; collecting 500,000 of them takes 0.1 s. */
export function characterRanges(compiled: RE2JS): number {
  const { prog } = (compiled as unknown as Internals).re2Input ?? {};
  if (prog?.numInst === undefined || prog.getInst === undefined) return 0;
  let ranges = 0;
  for (let pc = 0; pc < prog.numInst(); pc++) ranges += (prog.getInst(pc).runes?.length ?? 0) / 2;
  return ranges;
}

/** Matches bytes against a pattern. */
export class RegexDfa implements WorkCounter {
  /** Work of all matches so far. */
  work = 0;
  readonly #dfa: Dfa | undefined;
  readonly #compiled: RE2JS;

  constructor(compiled: RE2JS) {
    this.#compiled = compiled;
    const dfa = (compiled as unknown as Internals).re2Input?.dfa;
    if (!isUsable(dfa)) return;
    this.#dfa = dfa;
    dfa.stateBudget = stateBytes + stateBytesPerInstruction * compiled.programSize();
    dfa.memBudget = dfa.stateBudget;
  }

  /** Matches all of `[start, end)`, and adds the work to the counter. */
  *steps(bytes: Uint8Array, start: number, end: number, counter: WorkCounter): MatchSteps {
    const dfa = this.#dfa;
    let state = dfa?.start({ context: () => beginOfText }, 0);
    if (dfa === undefined || state === undefined || state === null)
      return this.#atOnce(bytes, start, end, counter);
    const { latin1Class, numClasses } = dfa;
    let pending = 1;
    for (let at = start; at <= end; at++) {
      const atEnd = at === end;
      const byteClass = atEnd ? numClasses : latin1Class[bytes[at]];
      let next: DfaState | null = state.nextAnchored?.[byteClass] ?? null;
      if (next === null) {
        next = transition(dfa, state, byteClass, atEnd ? endOfText : bytes[at]);
        if (next === null) return this.#atOnce(bytes, start, end, counter);
        pending += 8 + ((state.nfaStates.length + next.nfaStates.length) >> 1);
      }
      state = next;
      if (state.nfaStates.length === 0 && !atEnd) {
        this.#count(pending, counter);
        return false;
      }
      if (++pending < maxStepWork) continue;
      this.#count(pending, counter);
      pending = 0;
      yield;
    }
    this.#count(pending, counter);
    return state.isMatch;
  }

  #count(work: number, counter: WorkCounter): void {
    this.work += work;
    counter.work += work;
  }

  #atOnce(bytes: Uint8Array, start: number, end: number, counter: WorkCounter): boolean {
    this.#count(end - start, counter);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
    return this.#compiled.testExact(text.toString('latin1'));
  }
}

function transition(dfa: Dfa, state: DfaState, byteClass: number, byte: number): DfaState | null {
  const next = dfa.step(state, byteClass, byte, anchorBoth);
  if (next !== null) return next;
  // The cached states have used up their memory.
  const restored = dfa.resetCache(state);
  if (restored === null) return null;
  return dfa.step(restored, byteClass, byte, anchorBoth);
}

function isUsable(dfa: Dfa | undefined): dfa is Dfa {
  return (
    dfa !== undefined &&
    !dfa.failed &&
    dfa.latin1Class instanceof Int32Array &&
    (['start', 'step', 'resetCache'] as const).every((name) => typeof dfa[name] === 'function')
  );
}
