/** Names in generated Java. */
import { holderProperty, pascalCase, SafeNames, snakeCase } from '../names.js';
import type { EntityData } from '../entity-data.js';

/** Words of the language. */
const keywords = new Set(
  (
    'abstract assert boolean break byte case catch char class const continue default do double ' +
    'else enum extends false final finally float for goto if implements import instanceof int ' +
    'interface long native new null package private protected public return short static ' +
    'strictfp super switch synchronized this throw throws transient true try void volatile while'
  ).split(' '),
);

/** Methods of each object, and of generated records, which have the names of their components. */
const methods = [
  ...['clone', 'finalize', 'getClass', 'hashCode', 'notify', 'notifyAll', 'toString', 'wait'],
  ...['prefix', 'builder', 'toBuilder', 'com'],
];

/** The classes that generated classes and the runtime name. */
const classes = (
  'Arrays BigDecimal BigInteger Boolean Bound Builder Byte ByteBuffer ByteString Changes ' +
  'Character CharacterCodingException Class Codec CodedOutputStream Collections Collectors ' +
  'Column Comparable Comparator DateTimeException Deprecated Double End Enum Exception Field ' +
  'Float Function FunctionalInterface HashMap HashSet IOException IllegalStateException Instant ' +
  'Integer InvalidProtocolBufferException Iterable Key KeyRange KeySet Kind LinkedHashMap List ' +
  'Literal LocalDate Locale Long Map Matcher Math Message Mutation Normalizer Number Object ' +
  'Optional Override Part Pattern Place Prefix Qualifiers Query Range ReadModifyWriteRow Record ' +
  'ReflectiveOperationException Refused Row RowCell Rules RuntimeException Scalar Scope Segment ' +
  'Set Short Span String StringBuilder SuppressWarnings System TableId Text TimestampRange ' +
  'TreeSet UUID UncheckedIOException Unsigned Value Version Void'
).split(' ');

/** The names of one entity in Java. */
export interface JavaNames {
  readonly rowClass: string;
  /** By property, of segments and columns. */
  readonly properties: ReadonlyMap<string, string>;
  /** By name, of the values of a rollup. */
  readonly values: ReadonlyMap<string, string>;
}

/** The names of all entities, in their order. */
export function javaNames(entities: readonly EntityData[]): ReadonlyMap<EntityData, JavaNames> {
  const rowClasses = new SafeNames(new Set(classes));
  rowClasses.take('Rows');
  return new Map(
    entities.map((entity) => [
      entity,
      { rowClass: rowClasses.take(pascalCase(entity.name)), ...propertyNames(entity) },
    ]),
  );
}

function propertyNames({ key, columns, row }: EntityData) {
  // A name hides the package of a message, of which the first part is in scope too.
  const packages = columns.flatMap(({ value }) =>
    value.kind === 'message' ? [value.package.split('.')[0]] : [],
  );
  const names = new SafeNames(new Set([...keywords, ...methods, ...packages]));
  const segments = key.parts.flatMap((part) =>
    part.kind === 'segment' ? [part.segment.property] : [],
  );
  const take = (property: string): [string, string] => [
    property,
    names.take(property === holderProperty ? 'rowKey' : camelCase(property)),
  ];
  const values = row.kind === 'rollup' ? row.values.map(({ name }) => name) : [];
  const segmentNames = segments.map(take);
  const valueNames = values.map(take);
  if (row.kind === 'rollup') names.take('settled');
  return {
    properties: new Map([...segmentNames, ...columns.map(({ property }) => take(property))]),
    values: new Map(valueNames),
  };
}

/** `cpuLoad`. */
export function camelCase(name: string): string {
  const [first, ...rest] = snakeCase(name).split('_');
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Whether a name is a word of the language. */
export function isJavaWord(name: string): boolean {
  return keywords.has(name);
}
