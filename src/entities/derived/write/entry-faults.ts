/** The sentences of entries that cannot be written. */
import type { FaultTexts } from '../../../base/index.js';

export const entryFaults = {
  unindexableValue: (problem: string, fix: undefined | string) => ({ problem, fix }),
} satisfies FaultTexts;
