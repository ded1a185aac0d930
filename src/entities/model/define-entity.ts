/** Entities without decorators. */
import { valueText, type FaultTexts } from '../../base/index.js';
import type { SegmentKind, SegmentOptions, SegmentValues } from '../../data/key/index.js';
import type { AccessPatterns, PatternFault } from './declaration/keys/access-pattern.js';
import { recordOn } from './declaration/class-record.js';
import type { CheckCopies } from './declaration/derived/copies.js';
import type { CheckIndexes } from './declaration/derived/index-types.js';
import type { ColumnDefinition } from './declaration/columns/column-definition.js';
import type {
  ClassDeclaration,
  Constructor,
  EntityOptions,
  SegmentDeclaration,
} from './declaration/declaration.js';
import { isOptions, givenOptions } from './declaration/given-options.js';
import { noDesignType, markDefined } from './declaration/messages/define-message.js';
import { defineToJson } from './json/to-json-method.js';
import type { CheckRollups } from './declaration/derived/rollups.js';
import type { CheckSchema } from './declaration/keys/check-schema.js';
import type { StandardSchema } from './declaration/standard-schema.js';
import type { EntityError, KeyFault, KeyParts, Segments } from './declaration/keys/key-types.js';

/** The segment kinds with values of type T. */
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
  I = unknown,
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
  /** As `schema` of `@Entity`. */
  readonly schema?: StandardSchema<I> & CheckSchema<E, I>;
}

/** What defineEntity adds to a class. */
export interface Declared<K extends KeyParts, P, D, X, Y> {
  readonly key: K;
  readonly patterns: P;
  readonly rollups: D;
  readonly indexes: X;
  readonly copies: Y;
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
  I = unknown,
>(
  entityClass: C,
  definition: EntityDefinition<InstanceType<C>, K, P, D, X, Y, I>,
): C & Declared<K, P, D, X, Y> {
  markDefined(entityClass, 'defineEntity');
  const {
    key,
    segments,
    columns,
    patterns,
    rollups,
    indexes,
    copies,
    ...options
  }: Partial<EntityDefinition<InstanceType<C>, K, P, D, X, Y, I>> = givenOptions(definition);
  const record = recordOn(entityClass);
  // What is not an object is reported when the model is built.
  record.entity = (isOptions(definition) ? options : definition) as EntityOptions;
  for (const [name, value] of Object.entries({ key, patterns, rollups, indexes, copies })) {
    if (value !== undefined)
      Object.defineProperty(entityClass, name, { value, enumerable: true, configurable: true });
  }
  recordSegments(record, segments);
  recordColumns(record, columns);
  defineToJson(entityClass);
  return entityClass as C & Declared<K, P, D, X, Y>;
}

type Part = Readonly<Record<string, unknown>>;

/** Records the segments, whatever their kind is. */
function recordSegments(record: ClassDeclaration, segments: unknown): void {
  if (segments !== undefined && !isOptions(segments))
    record.malformed.push({
      property: undefined,
      ...faults.wrongSegments(valueText(segments)),
    });
  for (const [property, segment] of Object.entries(givenOptions(segments as Part | undefined))) {
    const { kind = segment, ...options } = givenOptions(segment as Part | undefined);
    record.segments.push(segmentDeclaration(property, kind, options));
  }
}

function segmentDeclaration(property: string, kind: unknown, options: object): SegmentDeclaration {
  return { property, type: kind as SegmentKind, options, designType: noDesignType };
}

/** Records the columns; a column that no helper made is a fault. */
function recordColumns(record: ClassDeclaration, columns: unknown): void {
  if (columns !== undefined && !isOptions(columns))
    record.malformed.push({
      property: undefined,
      ...faults.wrongColumns(valueText(columns)),
    });
  for (const [property, each] of Object.entries(givenOptions(columns as Part | undefined))) {
    const declaration = isOptions(each) ? (each as Partial<ColumnDefinition>).declaration : each;
    if (isOptions(declaration))
      record.columns.push({
        ...(declaration as unknown as ColumnDefinition['declaration']),
        property,
        designType: noDesignType,
      });
    else if (each !== undefined)
      record.malformed.push({
        property,
        ...faults.notAColumn(valueText(each), property, columnExample(each)),
      });
  }
}

/** The call that somebody may have meant who wrote an object. */
function columnExample(given: unknown): string {
  const { family, type } = givenOptions(given as { family?: unknown; type?: unknown } | undefined);
  const text = (value: unknown, otherwise: string): string =>
    typeof value === 'string' ? `'${value}'` : otherwise;
  return `column(${text(family, "'m'")}, ${text(type, "'string'")})`;
}

const faults = {
  wrongSegments: (given: string) => ({
    problem: `segments is ${given}`,
    fix: "give an object of kinds: segments: { tenant: 'string' }",
  }),
  wrongColumns: (given: string) => ({
    problem: `columns is ${given}`,
    fix: "give an object of columns: columns: { temperature: column('m', 'double') }",
  }),
  notAColumn: (given: string, property: string, columnExampleText: string) => ({
    problem: `the column is ${given}, which column() has not made`,
    fix: `write ${property}: ${columnExampleText}`,
  }),
} satisfies FaultTexts;
