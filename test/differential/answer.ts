/** What a peer answers, in one form for all: status codes as gRPC numbers them, rows as text. */
import type { FamilySchema, GcRule, Row, SampledKey } from '../../src/store/index.js';
import { clockFrom, far } from './operation.js';

/** A refusal is its code alone. */
export type Answer =
  | { readonly code: number }
  | { readonly rows: readonly PlainRow[] }
  | { readonly matched: boolean }
  /** A code for each row of MutateRows. */
  | { readonly statuses: readonly number[] }
  /**
   * Samples differ from engine to engine: `as promised`, or what they break; and whether they tell
   * of any rows.
   */
  | { readonly sampled: string; readonly rowsBefore: boolean }
  | PlainSchema
  | { readonly done: true };

/** A table's families by name, with their rules as text. */
export interface PlainSchema {
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
  /** `now` where a peer's clock gave it. */
  readonly timestamp: string;
  readonly value: string;
  readonly labels: readonly string[];
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** Rows in the form of answers. */
export function plainRows(rows: readonly Row[]): PlainRow[] {
  return rows.map(({ key, cells }) => ({
    key: latin1(key),
    cells: cells.map(({ family, qualifier, timestamp, value, labels = [] }) => ({
      family,
      qualifier: latin1(qualifier),
      value: latin1(value),
      labels,
      timestamp: timestamp >= BigInt(clockFrom) && timestamp < BigInt(far) ? 'now' : `${timestamp}`,
    })),
  }));
}

/** Of samples: a key that is none stands before others. */
export const emptyKeyBefore = 'the empty key is not the last';

/**
 * Samples in the form of answers (bigtable.proto, SampleRowKeysResponse: in ascending order, and
 * the empty key is the end of the table).
 */
export function plainSamples(samples: readonly SampledKey[]): Answer {
  const broken = samples.flatMap(({ key, offsetBytes }, at) => {
    const before = samples[at - 1];
    if (key.length === 0 && at < samples.length - 1) return [emptyKeyBefore];
    if (key.length > 0 && at === samples.length - 1) return ['the end of the table is missing'];
    if (before === undefined) return offsetBytes < 0 ? ['bytes below zero'] : [];
    if (key.length > 0 && Buffer.compare(before.key, key) >= 0) return ['keys do not ascend'];
    return before.offsetBytes > offsetBytes ? ['bytes go down'] : [];
  });
  return {
    sampled: samples.length === 0 ? 'nothing is sampled' : (broken[0] ?? 'as promised'),
    rowsBefore: (samples.at(-1)?.offsetBytes ?? 0) > 0,
  };
}

/** A table in the form of answers. */
export function plainSchema(
  families: Iterable<readonly [string, FamilySchema]>,
  isProtected: boolean,
): PlainSchema {
  const sorted = [...families].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    families: Object.fromEntries(
      sorted.map(([name, { gc, aggregate }]) => [
        name,
        {
          ...(gc === undefined ? {} : { gc: ruleText(gc) }),
          ...(aggregate === undefined ? {} : { aggregate }),
        },
      ]),
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

const texts = new WeakMap<Answer, string>();

/** Text that is equal exactly where answers are. */
export function canonical(answer: Answer): string {
  let text = texts.get(answer);
  if (text === undefined) texts.set(answer, (text = JSON.stringify(answer)));
  return text;
}

/** The answer for a person. */
export function answerText(answer: Answer): string {
  if (!('rows' in answer)) return JSON.stringify(answer);
  if (answer.rows.length === 0) return 'no rows';
  const value = (text: string): string =>
    text.length > 40
      ? `${JSON.stringify(text.slice(0, 20))}...${text.length} bytes`
      : JSON.stringify(text);
  return answer.rows
    .map(
      ({ key, cells }) =>
        `${value(key)} {${cells.map((cell) => `${cell.family}:${value(cell.qualifier)}@${cell.timestamp}=${value(cell.value)}${cell.labels.map((label) => `[${label}]`).join('')}`).join(' ')}}`,
    )
    .join('\n    ');
}
