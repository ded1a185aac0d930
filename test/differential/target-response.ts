/** Responses in one form for all targets: gRPC status codes, rows as text. */
import type { FamilySchema, GcRule, Row, SampledKey } from '../../src/data/store/index.js';
import { minClockTimestamp, farFuture } from './operation.js';

/** An error is represented by its code only. */
export type TargetResponse =
  | { readonly code: number }
  | { readonly rows: readonly PlainRow[] }
  | { readonly matched: boolean }
  /** A code for each row of MutateRows. */
  | { readonly statuses: readonly number[] }
  /**
   * Samples differ from engine to engine, so only their properties are compared: `valid` or what is
   * wrong with them, and whether they count any bytes.
   */
  | { readonly samples: string; readonly hasBytes: boolean }
  | SchemaResponse
  | { readonly done: true };

/** The families of a table, with their garbage collection rules as text. */
export interface SchemaResponse {
  readonly families: Readonly<
    Record<string, { readonly gc?: string; readonly aggregate?: string }>
  >;
  readonly protected: boolean;
}

export interface PlainRow {
  readonly key: string;
  readonly cells: readonly PlainCell[];
}

export interface PlainCell {
  readonly family: string;
  readonly qualifier: string;
  /** `now` if it was set by the clock of the target. */
  readonly timestamp: string;
  readonly value: string;
  readonly labels: readonly string[];
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** Rows as a response. */
export function plainRows(rows: readonly Row[]): PlainRow[] {
  return rows.map(({ key, cells }) => ({
    key: latin1(key),
    cells: cells.map(({ family, qualifier, timestamp, value, labels = [] }) => ({
      family,
      qualifier: latin1(qualifier),
      value: latin1(value),
      labels,
      timestamp:
        timestamp >= BigInt(minClockTimestamp) && timestamp < BigInt(farFuture)
          ? 'now'
          : `${timestamp}`,
    })),
  }));
}

/** Samples without an error. */
export const validSamples = 'valid';
/** An error in samples. */
export const emptyKeyNotLast = 'the empty key is not the last';

/**
 * Samples as a response (bigtable.proto, SampleRowKeysResponse: in ascending order, and the empty
 * key is the end of the table).
 */
export function samplesResponse(samples: readonly SampledKey[]): TargetResponse {
  const errors = samples.flatMap((sample, at) =>
    sampleErrors(sample, samples[at - 1], at === samples.length - 1),
  );
  if (samples.length === 0) errors.push('there are no samples');
  return {
    samples: errors[0] ?? validSamples,
    hasBytes: (samples.at(-1)?.offsetBytes ?? 0) > 0,
  };
}

function sampleErrors(
  { key, offsetBytes }: SampledKey,
  previous: SampledKey | undefined,
  isLast: boolean,
): string[] {
  if (key.length === 0 && !isLast) return [emptyKeyNotLast];
  if (key.length > 0 && isLast) return ['the end of the table is missing'];
  if (offsetBytes < (previous?.offsetBytes ?? 0)) return ['offsets decrease'];
  if (previous !== undefined && key.length > 0 && Buffer.compare(previous.key, key) >= 0)
    return ['keys do not increase'];
  return [];
}

/** The schema of a table as a response. */
export function schemaResponse(
  families: Iterable<readonly [string, FamilySchema]>,
  isProtected: boolean,
): SchemaResponse {
  const sorted = [...families].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    families: Object.fromEntries(
      sorted.map(([name, { gc, aggregate }]) => [name, { gc: gc && ruleText(gc), aggregate }]),
    ),
    protected: isProtected,
  };
}

function ruleText(rule: GcRule): string {
  switch (rule.kind) {
    case 'maxVersions':
      return `${rule.versions} versions`;
    case 'maxAge':
      return `${rule.micros} us`;
    default:
      return `${rule.kind} of (${rule.rules.map(ruleText).join(', ')})`;
  }
}

const texts = new WeakMap<TargetResponse, string>();

/** Text that is equal if and only if the responses are. */
export function canonical(response: TargetResponse): string {
  let text = texts.get(response);
  if (text === undefined) texts.set(response, (text = JSON.stringify(response)));
  return text;
}

/** The response in human-readable form. */
export function responseText(response: TargetResponse): string {
  if (!('rows' in response)) return JSON.stringify(response);
  if (response.rows.length === 0) return 'no rows';
  return response.rows
    .map(({ key, cells }) => `${shortened(key)} {${cells.map(cellText).join(' ')}}`)
    .join('\n    ');
}

function cellText({ family, qualifier, timestamp, value, labels }: PlainCell): string {
  const suffix = labels.map((label) => `[${label}]`).join('');
  return `${family}:${shortened(qualifier)}@${timestamp}=${shortened(value)}${suffix}`;
}

function shortened(text: string): string {
  if (text.length <= 40) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, 20))}...${text.length} bytes`;
}
