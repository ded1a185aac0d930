/** The declaration of an entity as literals of the runtime: its key, and its columns. */
import type { ColumnData, EntityData, RuleData, SegmentData } from '../entity-data.js';
import { portablePattern } from '../pattern.js';
import { bytes, goCall, composite, text } from './layout.js';
import { type GoNames, goMessageName } from './names.js';
import { goLiteral } from './types.js';

/** `newKey(...)`. */
export function goKeySource({ name, key }: EntityData): string {
  const format = typeof key.format === 'string' ? key.format : key.format.delimiter;
  const { shards } = key;
  return goCall(
    'newKey',
    [text(name), text(format), String(shards?.count ?? 0), texts(shards?.by) ?? 'nil'],
    key.parts.map((part) =>
      part.kind === 'literal' ? `literal(${text(part.text)})` : segmentSource(part.segment),
    ),
  );
}

function texts(values: readonly string[] | undefined): string | undefined {
  return values === undefined || values.length === 0
    ? undefined
    : `[]string{${values.map(text).join(', ')}}`;
}

/** Kinds with a number of digits. */
const withWidth = new Set(['int', 'uint', 'bigint', 'decimal', 'reversedId']);

/** `segment{...}` with what is not zero. */
function segmentSource(segment: SegmentData): string {
  const { kind, max, floor, unit, maxLength, rules } = segment;
  const flag = (value: boolean): string | undefined => (value ? 'true' : undefined);
  const digits = (value: number | undefined): string | undefined =>
    value ? String(value) : undefined;
  return composite('segment', [
    ['property', text(segment.property)],
    ['kind', text(kind)],
    ['encoding', text(segment.encoding)],
    ['desc', flag(segment.descending)],
    ['nullable', flag(segment.nullable)],
    ['width', withWidth.has(kind) ? digits(segment.width) : undefined],
    ['max', max === undefined ? undefined : text(String(max))],
    ['scale', digits(segment.scale)],
    ['members', texts(segment.members)],
    ['ordinal', flag(segment.byOrdinal)],
    ['unit', unit === 'ms' ? undefined : text(unit)],
    ['floor', floor === undefined ? undefined : text(String(floor))],
    ['long', flag(segment.reverseFromLong)],
    ['day', flag(segment.dayOnly)],
    ['noDashes', flag(!segment.dashes)],
    ['maxLength', digits(maxLength)],
    ['normalize', flag(segment.normalize)],
    ['lower', flag(segment.lower)],
    ['rules', rules && rulesSource(rules, '')],
  ]);
}

function rulesSource(rules: RuleData, scalar: string): string | undefined {
  const { oneOf, minLength, maxLength, pattern, min, max } = rules;
  const length = (value: number | undefined): string | undefined =>
    value ? String(value) : undefined;
  const limit = (value: number | bigint | undefined): string | undefined =>
    value === undefined ? undefined : text(String(value));
  const expression = pattern && new RegExp(pattern.source, pattern.flags);
  const portable = expression && portablePattern(expression);
  const source = composite('&rules', [
    ['oneOf', oneOf && `[]any{${oneOf.map((each) => goLiteral(each, scalar)).join(', ')}}`],
    ['minLength', length(minLength)],
    ['maxLength', length(maxLength)],
    ['pattern', portable === undefined ? undefined : `expression(${text(portable)})`],
    ['declared', portable === undefined ? undefined : text(String(expression))],
    ['min', limit(min)],
    ['max', limit(max)],
  ]);
  return source === '&rules{}' ? undefined : source;
}

/** `newEntity(...)`. */
export function goEntitySource(entity: EntityData, names: GoNames): string {
  const { marker, cellTime, expiry, maxAges, existsBy } = entity;
  const cell = (at: typeof marker): string | undefined =>
    at && `&cell{${text(at.family)}, ${bytes(at.qualifier)}}`;
  const ages = maxAges.map(
    ({ family, micros, rule }) => `${text(family)}: {${micros}, ${text(rule)}}`,
  );
  const timeProperty = expiry?.property ?? cellTime;
  const given = composite('options', [
    ['marker', cell(marker)],
    ['exists', cell(existsBy)],
    ['cellTime', cellTime === undefined ? undefined : valueAt(entity, cellTime)],
    ['expiry', expiry && valueAt(entity, expiry.property)],
    ['timeProperty', timeProperty === undefined ? undefined : text(timeProperty)],
    ['expiryMicros', expiry?.ageMicros ? String(expiry.ageMicros) : undefined],
    ['maxAges', ages.length === 0 ? undefined : `map[string]maxAge{${ages.join(', ')}}`],
  ]);
  return goCall('newEntity', [names.keyVariable, given], entity.columns.map(columnSource));
}

function valueAt(entity: EntityData, property: string): string {
  return `valueAt(${propertyIndex(entity, property)})`;
}

/** The index of a property's value: segments, then columns. */
export function propertyIndex({ key, columns }: EntityData, property: string): number {
  const segments = key.parts.flatMap((part) => (part.kind === 'segment' ? [part.segment] : []));
  return [...segments, ...columns].findIndex((each) => each.property === property);
}

function columnSource(column: ColumnData): string {
  const { value, kind, qualifiers, rules } = column;
  const scalar = value.kind === 'scalar' ? value.scalar : '';
  return composite('column', [
    ['kind', kind === 'column' ? undefined : text(kind)],
    ['property', text(column.property)],
    ['family', text(column.family)],
    ['qualifier', kind === 'map' ? undefined : bytes(column.qualifier)],
    ['codec', codecSource(column)],
    [
      'alsoReads',
      column.alsoReads.length === 0
        ? undefined
        : `[]string{${column.alsoReads.map(bytes).join(', ')}}`,
    ],
    ['initial', column.default === undefined ? undefined : goLiteral(column.default, scalar)],
    ['required', column.required ? 'true' : undefined],
    ['aggregate', column.aggregate ? 'true' : undefined],
    ['keys', qualifiers && `qualifiers(${segmentSource(qualifiers)})`],
    ['rules', rules && rulesSource(rules, scalar)],
  ]);
}

function codecSource({ value, version }: ColumnData): string {
  if (value.kind === 'message') {
    const name = value.package === '' ? value.message : `${value.package}.${value.message}`;
    const packed = `packed[${goMessageName(value.message)}](${text(name)})`;
    const codec = value.hasTimes ? `timed(${packed})` : packed;
    if (version === undefined) return codec;
    return `versioned(${codec}, ${text(version.field)}, ${version.number}, ${version.current})`;
  }
  return `scalar(${text(value.kind === 'custom' ? 'bytes' : value.scalar)})`;
}
