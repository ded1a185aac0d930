/**
 * What of a segment's declaration decides its bytes: the kind and the options that are not their
 * kind's default.
 */
import type { SegmentType } from '../key/index.js';

/** Options left out mean these. */
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
/** Kinds that are written with as many digits as they are wide. */
const fixedDigits: readonly string[] = ['int', 'uint', 'decimal', 'reversedId'];
/** Digits where none are declared: those of a safe integer. */
const defaultWidth = 16;

/**
 * The kind and the options, each the way it works: a width is there although it was left out or
 * follows from `max`.
 */
export function segmentBytes({
  kind,
  ...options
}: SegmentType): { readonly kind: string } & Readonly<Record<string, unknown>> {
  const said = Object.entries(options).filter(
    ([name, value]) => value !== undefined && value !== defaults[name] && name !== 'width',
  );
  const width =
    options.width ??
    (fixedDigits.includes(kind)
      ? options.max === undefined
        ? defaultWidth
        : String(options.max).length
      : undefined);
  const sorted = [...said, ...(width === undefined ? [] : [['width', width] as const])].sort(
    ([a], [b]) => (a < b ? -1 : 1),
  );
  return { kind, ...Object.fromEntries(sorted) };
}
