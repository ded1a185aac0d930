/** The reads of a workload: by key and by access pattern. */
import {
  dayMs,
  isRowsmithError,
  suggestionText,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import { maxAge, maxAgeOf, type EntityModel } from '../../../entities/model/index.js';
import { checkNames, numberIn, workloadError } from './check-values.js';
import type { ReadKind } from './entity-load.js';
import type { ReadLoad } from './workload.js';

const readOptions = ['share', 'span', 'values'];

/** The reads with shares that add up to 1; all by key if none is declared. */
export function readKinds(model: EntityModel, declared: unknown = { get: 1 }): readonly ReadKind[] {
  if (typeof declared !== 'object' || declared === null)
    throw workloadError(model, 'reads', faults.wrongReads(declared));
  const kinds = Object.entries(declared).map(([name, load]) =>
    readKind(model, name, load as number | ReadLoad),
  );
  const total = kinds.reduce((sum, { share }) => sum + share, 0);
  if (total > 0) return kinds.map((kind) => ({ ...kind, share: kind.share / total }));
  throw workloadError(model, 'reads', faults.zeroShares);
}

function readKind(model: EntityModel, name: string, load: number | ReadLoad): ReadKind {
  const pattern = model.patterns.find((each) => each.name === name);
  if (pattern === undefined && name !== 'get') {
    const names = ['get', ...model.patterns.map((each) => each.name)];
    throw workloadError(model, name, faults.unknownPattern(name, names));
  }
  const options: ReadLoad = typeof load === 'number' ? { share: load } : load;
  checkNames(model, name, options, readOptions);
  const { share, span = dayMs, values = 10 } = options;
  numberIn(model, name, share, { min: 0, max: 1e9, of: 'share' });
  numberIn(model, name, values, { min: 1, max: 1e12, of: 'values' });
  return { name, pattern, share, values, spanMs: milliseconds(model, name, span) };
}

function milliseconds(model: EntityModel, name: string, span: unknown): number {
  try {
    const ms = maxAgeOf(maxAge(span as number)) / 1000;
    if (ms > 0) return ms;
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
  }
  throw workloadError(model, name, faults.wrongSpan(span));
}

const faults = {
  wrongReads: (declared: unknown) => ({
    problem: `reads is ${valueText(declared)}`,
    fix: 'give the share of each access pattern: reads: { get: 0.2, latest: 0.8 }',
  }),
  zeroShares: {
    problem: 'the shares of the reads add up to 0',
    fix: 'give one of them a share above 0, or leave reads out',
  },
  unknownPattern: (name: string, names: readonly string[]) => ({
    problem: `there is no access pattern '${name}'`,
    fix: suggestionText(name, names, 'the reads are'),
  }),
  wrongSpan: (span: unknown) => ({
    problem: `span is ${valueText(span)}`,
    fix: "give a duration such as '1d', or milliseconds above 0",
  }),
} satisfies FaultTexts;
