/**
 * Finds old rows that become the same new row, without holding their keys: one pass over the rows
 * keeps a digest of each new key, a second one reads the keys of equal digests.
 */
import { createHash } from 'node:crypto';
import { printable, RowsmithError, toHex, type FaultTexts } from '../../../base/index.js';
import type { MovedRow } from './moved-row.js';
import type { RowMover } from './row-mover.js';

/** Old rows that become one new row; their keys in printable form. */
export interface KeyCollision {
  readonly to: string;
  /** Up to 5 of the old keys. */
  readonly from: readonly string[];
}

/** Colliding rows: how many, and some of them. */
export interface KeyCollisions {
  /** Old rows that become the same row as another one. */
  readonly rows: number;
  readonly examples: readonly KeyCollision[];
}

/** No rows. */
export const noCollisions: KeyCollisions = Object.freeze({
  rows: 0,
  examples: Object.freeze([]),
});

const bucketCount = 256;
const maxExamples = 5;
const maxExampleKeys = 5;
/** Maximum number of new keys for which old keys are looked up: a bound for the second pass. */
const maxLookups = 1_000;

interface Bucket {
  digests: Float64Array;
  length: number;
}

/**
 * Digests of 56 bits: the first byte selects a bucket, the rest are a number in it. Takes 8 to 12
 * bytes per key.
 */
export class KeyDigests {
  readonly #buckets = Array.from({ length: bucketCount }, (): Bucket => ({
    digests: new Float64Array(64),
    length: 0,
  }));

  add(key: Uint8Array): void {
    const [index, digest] = digestOf(key);
    const bucket = this.#buckets[index];
    if (bucket.length === bucket.digests.length) {
      const grown = new Float64Array(Math.ceil(bucket.length * 1.5));
      grown.set(bucket.digests);
      bucket.digests = grown;
    }
    bucket.digests[bucket.length++] = digest;
  }

  /**
   * Sorts the digests, and returns digests that occur more than once. Nothing may be added after.
   */
  repeated(): RepeatedKeys {
    const repeated = new RepeatedKeys();
    this.#buckets.forEach(({ digests, length }, index) => {
      const sorted = digests.subarray(0, length).sort();
      for (let i = 0; i < length;) {
        let next = i + 1;
        while (next < length && sorted[next] === sorted[i]) next++;
        if (next - i > 1) repeated.add(index, sorted[i], next - i);
        i = next;
      }
    });
    return repeated;
  }
}

/** New keys that several old rows may become, and the old keys that are found for them. */
export class RepeatedKeys {
  readonly #digests = new Set<string>();
  readonly #found = new Map<string, { readonly to: Uint8Array; rows: number; from: string[] }>();
  #rows = 0;

  /** A digest that occurs `rows` times. */
  add(bucket: number, digest: number, rows: number): void {
    this.#rows += rows;
    if (this.#digests.size < maxLookups) this.#digests.add(`${bucket} ${digest}`);
  }

  get isEmpty(): boolean {
    return this.#digests.size === 0;
  }

  /** Notes the rows of the second pass that become one of the keys. */
  look(moved: readonly MovedRow[]): void {
    for (const { source, to } of moved) {
      if (to === undefined || !this.#digests.has(digestOf(to).join(' '))) continue;
      const key = toHex(to);
      const found = this.#found.get(key) ?? { to, rows: 0, from: [] };
      found.rows++;
      if (found.from.length < maxExampleKeys) found.from.push(printable(source.key));
      this.#found.set(key, found);
    }
  }

  /** The keys that several rows were found for: different keys can have the same digest. */
  collisions(): KeyCollisions {
    const exact = [...this.#found.values()].filter(({ rows }) => rows > 1);
    if (exact.length === 0) return noCollisions;
    let rows = this.#rows;
    // Counted exactly if every key was looked up.
    if (this.#digests.size < maxLookups) rows = exact.reduce((sum, each) => sum + each.rows, 0);
    const examples = exact
      .slice(0, maxExamples)
      .map(({ to, from }) => ({ to: printable(to), from }));
    return { rows, examples };
  }
}

function digestOf(key: Uint8Array): readonly [bucket: number, digest: number] {
  const digest = createHash('sha256').update(key).digest();
  return [digest[0], digest.readUIntBE(1, 6)];
}

/** The error of a migration that would move rows over each other. */
export function collisionError(
  { to: model }: RowMover,
  { rows, examples }: KeyCollisions,
  consequence: string,
): RowsmithError {
  const [{ to, from }] = examples;
  return new RowsmithError('FAILED_PRECONDITION', {
    entity: model.name,
    property: 'key',
    ...faults.collidingKeys(rows, from.join(' and '), to, consequence),
    key: to,
  });
}

const faults = {
  collidingKeys: (rows: number, list: string, to: string, consequence: string) => ({
    problem: `${rows} old rows would be moved over each other: ` + `${list} all become ${to}`,
    fix:
      'map each old key to a different new key, for example with the old id as the last segment of the ' +
      `new key, or merge these rows by hand before the migration; ${consequence}`,
  }),
} satisfies FaultTexts;
