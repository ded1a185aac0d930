/** The declaration of an entity as calls of the runtime: its key, and its columns. */
import type { ColumnData, EntityData, PartData, RuleData, SegmentData } from '../entity-data.js';
import { portablePattern } from '../pattern.js';
import { bytes, javaCall, chain, type JavaSource, text } from './layout.js';
import type { MessageClasses } from './messages.js';
import { javaConstant, ruleLiteral } from './types.js';

type Calls = Parameters<typeof chain>[1];

/** `new Rows.Keys(...)`. */
export function keysSource({ name, key }: EntityData): JavaSource {
  const format = typeof key.format === 'string' ? key.format : key.format.delimiter;
  const head = javaCall('new Rows.Keys', [text(name), text(format), ...key.parts.map(partSource)]);
  if (key.shards === undefined) return head;
  const { count, by } = key.shards;
  return chain(head, [javaCall('shards', [String(count), ...by.map(text)])]);
}

function partSource(part: PartData): JavaSource {
  if (part.kind === 'literal') return javaCall('Rows.literal', [text(part.text)]);
  return segmentSource(part.segment);
}

/** `Rows.segment(...)` with the options that are not the defaults of the runtime. */
function segmentSource(segment: SegmentData): JavaSource {
  const links: Calls[number][] = [];
  const add = (isGiven: boolean, option: string, ...items: JavaSource[]): void => {
    if (isGiven) links.push(javaCall(option, items));
  };
  const { max, maxLength, floor, unordered, rules } = segment;
  add(segment.descending, 'descending');
  add(segment.nullable, 'nullable');
  add(segment.width !== 16, 'width', String(segment.width));
  add(max !== undefined, 'max', ruleLiteral(max ?? 0));
  add(segment.scale !== 0, 'scale', String(segment.scale));
  add(segment.members.length > 0, 'members', ...segment.members.map(text));
  add(segment.byOrdinal, 'ordinal');
  add(segment.unit !== 'ms', 'unit', text(segment.unit));
  add(floor !== undefined, 'floor', text(String(floor)));
  add(segment.reverseFromLong, 'fromLong');
  add(segment.dayOnly, 'day');
  add(!segment.dashes, 'withoutDashes');
  add(maxLength !== undefined, 'maxLength', String(maxLength));
  add(segment.normalize, 'normalize');
  add(segment.lower, 'lower');
  add(unordered !== undefined, 'unordered', text(unordered ?? ''));
  const ruled = rules && rulesSource(rules);
  if (ruled !== undefined) add(true, 'rules', ruled);
  const items = [segment.property, segment.kind, segment.encoding].map(text);
  return chain(javaCall('Rows.segment', items), links);
}

function rulesSource(rules: RuleData): JavaSource | undefined {
  const links: Calls[number][] = [];
  const { oneOf, minLength, maxLength, pattern, min, max } = rules;
  if (oneOf !== undefined) links.push(javaCall('oneOf', oneOf.map(ruleLiteral)));
  if (minLength !== undefined) links.push(javaCall('minLength', [String(minLength)]));
  if (maxLength !== undefined) links.push(javaCall('maxLength', [String(maxLength)]));
  const patterns = pattern && patternSource(pattern);
  if (patterns !== undefined) links.push(javaCall('pattern', patterns));
  if (min !== undefined) links.push(javaCall('min', [ruleLiteral(min)]));
  if (max !== undefined) links.push(javaCall('max', [ruleLiteral(max)]));
  return links.length === 0 ? undefined : chain(javaCall('Rows.rules', []), links);
}

function patternSource({
  source,
  flags,
}: NonNullable<RuleData['pattern']>): readonly JavaSource[] | undefined {
  const pattern = new RegExp(source, flags);
  const portable = portablePattern(pattern);
  if (portable === undefined) return undefined;
  // `$` of Java is also before a line break at the end, and `[` and `&&` mean more in its classes.
  const java = portable.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\$/g, (found) => {
    if (found === '$') return '\\z';
    return found.startsWith('[') ? `[${found.slice(1, -1).replace(/[&[]/g, '\\$&')}]` : found;
  });
  return [text(java), text(String(pattern))];
}

/** `new Rows.Entity(...)`. */
export function recordSource(entity: EntityData, messages: MessageClasses): JavaSource {
  const { marker, cellTime, expiry, maxAges, existsBy } = entity;
  const links: Calls[number][] = [];
  const cell = (name: string, at: typeof marker): void => {
    if (at !== undefined) links.push(javaCall(name, [text(at.family), bytes(at.qualifier)]));
  };
  cell('marker', marker);
  if (cellTime !== undefined) links.push(javaCall('cellTime', [text(cellTime)]));
  if (expiry !== undefined)
    links.push(javaCall('expiry', [text(expiry.property), `${expiry.ageMicros}L`]));
  for (const { family, micros, rule } of maxAges)
    links.push(javaCall('maxAge', [text(family), `${micros}L`, text(rule)]));
  cell('exists', existsBy);
  const columns = entity.columns.map((column) => columnSource(column, messages));
  return chain(javaCall('new Rows.Entity', ['KEYS', ...columns]), links);
}

function columnSource(column: ColumnData, messages: MessageClasses): JavaSource {
  const { kind, qualifiers, rules } = column;
  const links: Calls[number][] = [];
  if (column.alsoReads.length > 0) links.push(javaCall('alsoReads', column.alsoReads.map(bytes)));
  const initial = javaConstant(column);
  if (initial !== undefined) links.push(javaCall('defaultValue', [initial]));
  if (column.required) links.push(javaCall('required', []));
  if (column.aggregate) links.push(javaCall('aggregate', []));
  const ruled = rules && rulesSource(rules);
  if (ruled !== undefined) links.push(javaCall('rules', [ruled]));
  const where = kind === 'map' ? segmentSource(qualifiers!) : bytes(column.qualifier);
  const items = [text(column.property), text(column.family), where, codecSource(column, messages)];
  return chain(javaCall(`Rows.${kind}`, items), links);
}

function codecSource({ value, version }: ColumnData, messages: MessageClasses): JavaSource {
  if (value.kind !== 'message')
    return javaCall('Rows.scalar', [text(value.kind === 'custom' ? 'bytes' : value.scalar)]);
  const { source, binary } = messages(value);
  const packed =
    source === undefined
      ? javaCall('Rows.unpackagedMessage', [text(binary)])
      : javaCall('Rows.message', [`${source}.getDefaultInstance()`]);
  const codec = value.hasTimes ? javaCall('Rows.timed', [packed]) : packed;
  if (version === undefined) return codec;
  const { field, number, current } = version;
  return javaCall('Rows.versioned', [codec, text(field), String(number), String(current)]);
}
