/** The key ranges of an access pattern under a design, by the planner of queries. */
import type { KeyRanges, SegmentBound } from '../../key/index.js';
import type { PatternModel } from '../../model/index.js';
import { rangesOf } from '../../query/index.js';
import type { Numbers } from '../population/population.js';
import type { EntityLoad, ReadKind, SegmentLoad } from '../workload/entity-load.js';

/** What a call of a pattern reads. */
export interface PlannedRead {
  readonly ranges: KeyRanges;
  /** Leading segments whose values the ranges fix. */
  readonly fixed: readonly string[];
  /** The bounded segment, if the ranges bound it. */
  readonly bound: string | undefined;
  /** Conditions that no range expresses: rows are read and left out. */
  readonly filters: readonly string[];
  /** No condition narrows the ranges. */
  readonly scans: boolean;
}

/**
 * Plans a call of a pattern with the values of a row. In the declared design every condition is
 * part of the ranges; in others those that do not follow the order of the key filter rows.
 */
export function planRead(
  { model, segments }: EntityLoad,
  kind: ReadKind,
  numbers: Numbers,
  at: number,
): PlannedRead {
  const pattern = kind.pattern!;
  const fixed: Record<string, unknown> = {};
  const left = new Set(pattern.prefix);
  let bound: SegmentBound | undefined;
  for (const [i, segment] of segments.entries()) {
    const { property } = segment;
    if (!left.delete(property)) {
      if (pattern.bound?.segment === property)
        bound = boundOf(pattern, kind, segment, numbers[i], at);
      break;
    }
    fixed[property] = valueOf(segment, numbers[i], at);
  }
  const names = Object.keys(fixed);
  const filters = [...left];
  if (pattern.bound !== undefined && bound === undefined) filters.push(pattern.bound.segment);
  const key = { depth: names.length, prefixes: [fixed], bound };
  return {
    ranges: rangesOf(model, { key }),
    fixed: names,
    bound: bound?.segment,
    filters,
    scans: names.length === 0 && bound === undefined,
  };
}

function valueOf(segment: SegmentLoad, n: number | undefined, at: number): unknown {
  if (segment.kind === 'numbered') return segment.value(n!);
  if (segment.kind === 'time') return segment.value(Math.floor(at), 0);
  return segment.value(0);
}

function boundOf(
  { bound }: PatternModel,
  { spanMs, values }: ReadKind,
  segment: SegmentLoad,
  n: number | undefined,
  at: number,
): SegmentBound | undefined {
  const { property } = segment;
  const first = valueAt(segment, n, at, 0);
  switch (bound?.kind) {
    case 'startsWith': {
      const text = String(first);
      return { kind: 'startsWith', segment: property, text: text.slice(0, -1) };
    }
    case 'subdomains':
      return { kind: 'subdomains', segment: property, domain: String(first) };
    default: {
      const isTime = segment.kind === 'time';
      const low = valueAt(segment, n, at, isTime ? -spanMs : 0);
      const high = valueAt(segment, n, at, isTime ? 0 : values);
      const from = { value: low, inclusive: true };
      const to = { value: high, inclusive: false };
      if (bound?.kind === 'since') return { kind: 'between', segment: property, from };
      if (bound?.kind === 'until')
        return { kind: 'between', segment: property, to: isTime ? { ...to, value: low } : to };
      return { kind: 'between', segment: property, from, to };
    }
  }
}

/** The value some steps further: milliseconds of times, otherwise numbers. */
function valueAt(segment: SegmentLoad, n: number | undefined, at: number, step: number): unknown {
  if (segment.kind === 'time') return segment.value(Math.floor(at + step), 0);
  if (segment.kind === 'sequential') return segment.value(step);
  return segment.value(Math.min(n! + step, segment.draws.cardinality - 1));
}
