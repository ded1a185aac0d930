/** Entities without decorators. */
import type { SegmentKind, SegmentOptions, SegmentValues } from '../key/index.js';
import type { AccessPatterns, PatternFault } from './declaration/access-pattern.js';
import { recordOn } from './declaration/class-record.js';
import type { CheckCopies } from './declaration/copies.js';
import type { CheckIndexes } from './declaration/index-types.js';
import type { ColumnDefinition } from './declaration/column-definition.js';
import type { Constructor, EntityOptions, SegmentDeclaration } from './declaration/declaration.js';
import { noDesignType, markDefined } from './declaration/define-message.js';
import { defineToJson } from './json/to-json-method.js';
import type { CheckRollups } from './declaration/rollups.js';
import type { EntityError, KeyFault, KeyParts, Segments } from './declaration/key-types.js';

/** The segment kinds whose values have type T. */
export type SegmentKindFor<T> = {
  [S in SegmentKind]: Exclude<T, null> extends SegmentValues[S] ? S : never;
}[SegmentKind];
/** A segment: its kind, or its kind with options. */
export type SegmentDefinition<T> =
  SegmentKindFor<T> | ({ readonly kind: SegmentKindFor<T> } & SegmentOptions);

/** The options of `@Entity`, the key, and every mapped property. */
export interface EntityDefinition<
  E,
  K extends KeyParts,
  P = unknown,
  D = unknown,
  X = unknown,
  Y = unknown,
> extends EntityOptions {
  /** `rowKey('tenant', 'device', 'at')`. */
  readonly key: K & ([KeyFault<E, K>] extends [never] ? unknown : EntityError<KeyFault<E, K>>);
  /** The kind of each segment. */
  readonly segments: { readonly [P in Segments<K>[number] & keyof E]: SegmentDefinition<E[P]> };
  /** Columns by property: column(), packed(), columnMap(), versions(), counter(). */
  readonly columns?: { readonly [P in keyof E]?: ColumnDefinition<NonNullable<E[P]>> };
  /** `accessPatterns({ ... })`. */
  readonly patterns?: P &
    AccessPatterns &
    ([PatternFault<E, K, P>] extends [never] ? unknown : EntityError<PatternFault<E, K, P>>);
  /** `rollups({ ... })`. */
  readonly rollups?: D & CheckRollups<E, K, D>;
  /** `indexes({ ... })`. */
  readonly indexes?: X & CheckIndexes<E, X>;
  /** `copies({ ... })`. */
  readonly copies?: Y & CheckCopies<E, Y>;
}

/**
 * Declares a class as an entity, like `@Entity`, `@Segment` and the column decorators. Returns the
 * class, typed with its key: use the returned class.
 * @example
 * const Reading = defineEntity(class Reading { device = ''; temperature = 0 }, {
 *   table: 'telemetry', families: { m: {} }, key: rowKey('device'),
 *   segments: { device: 'string' }, columns: { temperature: column('m', 'double') },
 * });
 */
export function defineEntity<
  C extends Constructor,
  const K extends KeyParts,
  const P = unknown,
  const D = unknown,
  const X = unknown,
  const Y = unknown,
>(
  entityClass: C,
  definition: EntityDefinition<InstanceType<C>, K, P, D, X, Y>,
): C & {
  readonly key: K;
  readonly patterns: P;
  readonly rollups: D;
  readonly indexes: X;
  readonly copies: Y;
} {
  markDefined(entityClass, 'defineEntity');
  const {
    key,
    segments,
    columns = {},
    patterns,
    rollups,
    indexes,
    copies,
    ...options
  } = definition;
  const record = recordOn(entityClass);
  record.entity = options;
  for (const [name, value] of Object.entries({ key, patterns, rollups, indexes, copies })) {
    if (value !== undefined)
      Object.defineProperty(entityClass, name, { value, enumerable: true, configurable: true });
  }
  for (const [property, segment] of Object.entries<SegmentInput>(segments))
    record.segments.push(segmentDeclaration(property, segment));
  for (const [property, each] of Object.entries<ColumnDefinition | undefined>(columns)) {
    if (each !== undefined)
      record.columns.push({ ...each.declaration, property, designType: noDesignType });
  }
  defineToJson(entityClass);
  return entityClass as C & {
    readonly key: K;
    readonly patterns: P;
    readonly rollups: D;
    readonly indexes: X;
    readonly copies: Y;
  };
}

type SegmentInput = SegmentKind | ({ readonly kind: SegmentKind } & SegmentOptions);

function segmentDeclaration(property: string, segment: SegmentInput): SegmentDeclaration {
  if (typeof segment === 'string')
    return { property, type: segment, options: {}, designType: noDesignType };
  const { kind, ...options } = segment;
  return { property, type: kind, options, designType: noDesignType };
}
