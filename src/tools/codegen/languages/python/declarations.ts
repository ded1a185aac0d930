/** The declaration of an entity as calls of the runtime: its key, and its columns. */
import type { ColumnData, EntityData, PartData, RuleData, SegmentData } from '../entity-data.js';
import { portablePattern } from '../pattern.js';
import { bytes, call, named, type PythonSource, text, tuple } from './layout.js';
import type { PythonNames } from './names.js';
import { constant, scalarLiteral, messageClass } from './types.js';

/** `rt.Key(...)`. */
export function keySource({ name, key }: EntityData, names: PythonNames): PythonSource {
  const format = typeof key.format === 'string' ? key.format : key.format.delimiter;
  const items: PythonSource[] = [
    text(name),
    text(format),
    ...key.parts.map((part) => partSource(part, names)),
  ];
  if (key.shards !== undefined) {
    const by = tuple(key.shards.by.map(text));
    items.push(named('shards', call('rt.Shards', [String(key.shards.count), by])));
  }
  return call('rt.Key', items);
}

function partSource(part: PartData, names: PythonNames): PythonSource {
  if (part.kind === 'literal') return call('rt.Literal', [text(part.text)]);
  const { segment } = part;
  return segmentSource(segment, names.properties.get(segment.property)!);
}

/** `rt.Segment(...)` with the options that are not the defaults of the runtime. */
export function segmentSource(segment: SegmentData, name: string): PythonSource {
  const items: PythonSource[] = [
    named('property', text(segment.property)),
    named('name', text(name)),
    named('kind', text(segment.kind)),
    named('encoding', text(segment.encoding)),
  ];
  const add = (option: string, value: PythonSource | undefined): void => {
    if (value !== undefined) items.push(named(option, value));
  };
  const { max, maxLength, floor, unordered, rules } = segment;
  add('descending', segment.descending ? 'True' : undefined);
  add('nullable', segment.nullable ? 'True' : undefined);
  add('width', segment.width === 16 ? undefined : String(segment.width));
  add('max', max === undefined ? undefined : String(max));
  add('scale', segment.scale === 0 ? undefined : String(segment.scale));
  add('members', segment.members.length === 0 ? undefined : tuple(segment.members.map(text)));
  add('ordinal', segment.byOrdinal ? 'True' : undefined);
  add('unit', segment.unit === 'ms' ? undefined : text(segment.unit));
  if (floor !== undefined) add('floor', typeof floor === 'string' ? text(floor) : String(floor));
  add('long', segment.reverseFromLong ? 'True' : undefined);
  add('day', segment.dayOnly ? 'True' : undefined);
  add('dashes', segment.dashes ? undefined : 'False');
  add('max_length', maxLength === undefined ? undefined : String(maxLength));
  add('normalize', segment.normalize ? 'True' : undefined);
  add('lower', segment.lower ? 'True' : undefined);
  add('unordered', unordered === undefined ? undefined : text(unordered));
  add('rules', rules && rulesSource(rules, ''));
  return call('rt.Segment', items);
}

function rulesSource(rules: RuleData, scalar: string): PythonSource | undefined {
  const items: PythonSource[] = [];
  const { oneOf, minLength, maxLength, pattern, min, max } = rules;
  if (oneOf !== undefined)
    items.push(named('one_of', tuple(oneOf.map((each) => scalarLiteral(each, scalar)))));
  if (minLength !== undefined) items.push(named('min_length', String(minLength)));
  if (maxLength !== undefined) items.push(named('max_length', String(maxLength)));
  const source = pattern && patternSource(pattern);
  if (source !== undefined) items.push(named('pattern', source));
  if (min !== undefined) items.push(named('min', scalarLiteral(min, scalar)));
  if (max !== undefined) items.push(named('max', scalarLiteral(max, scalar)));
  return items.length === 0 ? undefined : call('rt.Rules', items);
}

function patternSource({
  source,
  flags,
}: NonNullable<RuleData['pattern']>): PythonSource | undefined {
  const pattern = new RegExp(source, flags);
  const portable = portablePattern(pattern);
  if (portable === undefined) return undefined;
  // `$` of Python is also before a line break at the end.
  const python = portable.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\$/g, (found) =>
    found === '$' ? '\\Z' : found,
  );
  return tuple([text(python), text(String(pattern))]);
}

/** `rt.Entity(...)`; `key` is the name of the key. */
export function entitySource(entity: EntityData, key: string, names: PythonNames): PythonSource {
  const columns = entity.columns.map((column) => columnSource(column, names));
  const items: PythonSource[] = [key, columns.length === 0 ? '()' : tuple(columns)];
  const { marker, cellTime, expiry, maxAges, existsBy } = entity;
  const cell = (name: string, at: typeof marker): void => {
    if (at !== undefined) items.push(named(name, tuple([text(at.family), bytes(at.qualifier)])));
  };
  cell('marker', marker);
  if (cellTime !== undefined) items.push(named('cell_time', text(names.properties.get(cellTime)!)));
  if (expiry !== undefined) {
    const name = text(names.properties.get(expiry.property)!);
    items.push(named('expiry', call('rt.Expiry', [name, String(expiry.ageMicros)])));
  }
  if (maxAges.length > 0) {
    const ages = maxAges.map(({ family, micros, rule }): PythonSource => ({
      before: `${text(family)}: `,
      open: '(',
      items: [String(micros), text(rule)],
      after: '',
    }));
    items.push(named('max_ages', { before: '', open: '{', items: ages, after: '' }));
  }
  cell('exists', existsBy);
  return call('rt.Entity', items);
}

function columnSource(column: ColumnData, names: PythonNames): PythonSource {
  const { value, kind, qualifiers, rules } = column;
  const items: PythonSource[] = [
    named('property', text(column.property)),
    named('name', text(names.properties.get(column.property)!)),
    named('family', text(column.family)),
    named('codec', codecSource(column)),
  ];
  if (kind !== 'map') items.push(named('qualifier', bytes(column.qualifier)));
  if (kind !== 'column') items.push(named('kind', text(kind)));
  if (column.alsoReads.length > 0)
    items.push(named('also_reads', tuple(column.alsoReads.map(bytes))));
  if (column.default !== undefined) items.push(named('default', constant(column)));
  if (column.required) items.push(named('required', 'True'));
  if (column.aggregate) items.push(named('aggregate', 'True'));
  if (qualifiers !== undefined)
    items.push(named('qualifiers', call('rt.Qualifiers', [segmentSource(qualifiers, 'key')])));
  const scalar = value.kind === 'scalar' ? value.scalar : '';
  const ruled = rules && rulesSource(rules, scalar);
  if (ruled !== undefined) items.push(named('rules', ruled));
  return call('rt.Column', items);
}

function codecSource({ value, version }: ColumnData): PythonSource {
  if (value.kind === 'message') {
    const times = value.hasTimes ? [named('times', 'True')] : [];
    if (version === undefined) return call('rt.Packed', [messageClass(value), ...times]);
    const { field, number, current } = version;
    const given = [messageClass(value), text(field), String(number), String(current)];
    return call('rt.Versioned', [...given, ...times]);
  }
  return call('rt.Scalar', [text(value.kind === 'custom' ? 'bytes' : value.scalar)]);
}
