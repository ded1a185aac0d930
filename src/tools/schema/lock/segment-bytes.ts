/** The part of a segment's declaration that determines its bytes. */
import type { SegmentType } from '../../../data/key/index.js';

/** The defaults of options. */
const defaults: Readonly<Record<string, unknown>> = {
  order: 'asc',
  nullable: false,
  lower: false,
  by: 'name',
  unit: 'ms',
  reverseFrom: 'nines',
  precision: 'ms',
  dashes: true,
};
/** Kinds that are encoded with a fixed number of digits. */
const fixedDigits: readonly string[] = ['int', 'uint', 'decimal', 'reversedId'];
/** The default number of digits: as many as the largest safe integer. */
const defaultWidth = 16;

/**
 * The kind and the options of a segment, sorted by name, without defaults. The effective width is
 * included, even if it is the default or follows from `max`.
 */
export function segmentBytes({
  kind,
  ...options
}: SegmentType): { readonly kind: string } & Readonly<Record<string, unknown>> {
  const entries = Object.entries(options).filter(
    ([name, value]) => value !== undefined && value !== defaults[name] && name !== 'width',
  );
  const width = options.width ?? impliedWidth(kind, options.max);
  if (width !== undefined) entries.push(['width', width]);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return { kind, ...Object.fromEntries(entries) };
}

function impliedWidth(kind: string, max: SegmentType['max']): number | undefined {
  if (!fixedDigits.includes(kind)) return undefined;
  if (max === undefined) return defaultWidth;
  return String(max).length;
}
