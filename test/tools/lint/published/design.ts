/**
 * Designs of row keys, families and tables, each written after one that was published: what the
 * source recommends, or what it warns of. One design is one line of the tables in this folder.
 */
import { entity, type AnyClass, type Loose } from '../support/findings.js';

/** A published design, as entities. */
export interface Design {
  /** The rule that has to find the fault; undefined for designs that the source recommends. */
  readonly rule?: string | undefined;
  readonly name: string;
  /** Where it was published. */
  readonly source: string;
  readonly entities: readonly AnyClass[];
}

/** The segments of the key in order; a number is the maximum length of a text. */
export type Segments = Readonly<Record<string, Loose | number>>;

export const time = { kind: 'timestamp' };
export const newestFirst = { kind: 'timestamp', order: 'desc' };
export const day = { kind: 'isoDate', precision: 'day' };
export const hour = { kind: 'timestamp', floor: 'hour' };
export const number = { kind: 'uint' };
export const long = { kind: 'bigint', width: 19 };
export const uuid = { kind: 'uuid' };
export const domain = { kind: 'domain' };

/** One entity: its segments, what replaces the default table, family and column, and its name. */
export function design(segments: Segments, { name = 'E', ...change }: Loose = {}): AnyClass {
  const types = Object.entries(segments).map(([property, type]) => [
    property,
    typeof type === 'number' ? { kind: 'string', maxLength: type } : type,
  ]);
  return entity({ segments: Object.fromEntries(types), ...change }, name as string);
}

/** What a source recommends. */
export function good(name: string, source: string, segments: Segments, change?: Loose): Design {
  return { name, source, entities: [design(segments, change)] };
}

/** What a source warns of, and the rule that has to find it. */
export function bad(
  rule: string,
  name: string,
  source: string,
  segments: Segments,
  change?: Loose,
): Design {
  return { rule, name, source, entities: [design(segments, change)] };
}

/** Tables with these names and one shape. */
export function badTables(
  rule: string,
  name: string,
  source: string,
  tables: readonly string[],
  segments: Segments,
): Design {
  const entities = tables.map((table, i) => design(segments, { table, name: `Table${i}` }));
  return { rule, name, source, entities };
}
