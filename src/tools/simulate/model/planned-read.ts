/** The key ranges of an access pattern under a design, by the planner of queries. */
import type { KeyRanges, SegmentBound } from '../../../data/key/index.js';
import type { PatternModel } from '../../../entities/model/index.js';
import { rangesOf } from '../../../entities/query/index.js';
import type { Numbers } from '../population/population.js';
import type { EntityLoad, ReadKind, SegmentLoad } from '../workload/entity-load.js';

/** What a call of a pattern reads. */
export interface PlannedRead {
  readonly ranges: KeyRanges;
  /** Leading segments that the ranges fix. */
  readonly fixed: readonly string[];
  /** The bounded segment, if the ranges bound it. */
  readonly bound: string | undefined;
  /** Conditions that no range expresses: rows are read and left out. */
  readonly filters: readonly string[];
  /** No condition narrows the ranges. */
  readonly scans: boolean;
}

/** Where in the history of the table a call reads. */
export interface ReadInstant {
  /** Milliseconds since 1970 of the call. */
  readonly at: number;
  /** The number of the row in a sequence. */
  readonly sequence: number;
}

/**
 * Plans a call of a pattern with the values of a row. In the declared design every condition is
 * part of the ranges; in other plans the segments that do not follow the order of the key filter
 * rows.
 */
export function planRead(
  { model, segments }: EntityLoad,
  kind: ReadKind,
  numbers: Numbers,
  { at, sequence }: ReadInstant,
): PlannedRead {
  const pattern = kind.pattern!;
  const fixed: Record<string, unknown> = {};
  const left = new Set(pattern.prefix);
  let bound: SegmentBound | undefined;
  for (const [i, segment] of segments.entries()) {
    const { property } = segment;
    const n = numbers[i] ?? Math.floor(sequence);
    if (!left.delete(property)) {
      if (pattern.bound?.segment === property && hasOrder(model, property))
        bound = boundOf(pattern, kind, segment, n, at);
      break;
    }
    fixed[property] = valueOf(segment, n, at);
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

/** Whether the keys of this design sort by the values of the segment; reversed digits do not. */
function hasOrder({ segments }: EntityLoad['model'], property: string): boolean {
  const segment = segments.find((each) => each.property === property);
  return segment?.type.kind !== 'reversedId';
}

function valueOf(segment: SegmentLoad, n: number, at: number): unknown {
  return segment.kind === 'time' ? segment.value(Math.floor(at), 0) : segment.value(n);
}

/** The value of the bounded segment in a call of the pattern, as its method takes it. */
export function boundArgument(
  { bound }: PatternModel,
  { spanMs, values }: ReadKind,
  segment: SegmentLoad,
  n: number | undefined,
  at: number,
): unknown {
  const [low, high] =
    segment.kind === 'time'
      ? [segment.value(Math.floor(at - spanMs), 0), segment.value(Math.floor(at), 0)]
      : [0, values].map((step) => valueOfStep(segment, n, { step, values }));
  switch (bound?.kind) {
    case 'startsWith':
      return String(low).slice(0, -1);
    case 'subdomains':
    case 'since':
      return low;
    case 'until':
      return segment.kind === 'time' ? low : high;
    default:
      return { from: low, to: high };
  }
}

function boundOf(
  pattern: PatternModel,
  kind: ReadKind,
  segment: SegmentLoad,
  n: number,
  at: number,
): SegmentBound {
  const { property } = segment;
  const value = boundArgument(pattern, kind, segment, n, at);
  const between = { kind: 'between', segment: property } as const;
  switch (pattern.bound?.kind) {
    case 'startsWith':
      return { kind: 'startsWith', segment: property, text: value as string };
    case 'subdomains':
      return { kind: 'subdomains', segment: property, domain: value as string };
    case 'since':
      return { ...between, from: { value, inclusive: true } };
    case 'until':
      return { ...between, to: { value, inclusive: false } };
    default: {
      const { from, to } = value as { readonly from: unknown; readonly to: unknown };
      return {
        ...between,
        from: { value: from, inclusive: true },
        to: { value: to, inclusive: false },
      };
    }
  }
}

/** The value some numbers further. */
function valueOfStep(
  segment: Exclude<SegmentLoad, { readonly kind: 'time' }>,
  n: number | undefined,
  { step, values }: { readonly step: number; readonly values: number },
): unknown {
  if (segment.kind === 'sequential') return segment.value((n ?? 0) + step);
  const last = segment.draws.cardinality - 1;
  // Calls at the end of the values span as many as any other call.
  const first = Math.min(n!, Math.max(0, last - values));
  return segment.value(Math.min(first + step, last));
}
