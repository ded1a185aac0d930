/**
 * What the declarations of a project use, as words. Parts of the shared file of each language are
 * marked with these words; see shared-file.ts.
 */
import type { ColumnData, EntityData, RuleData, SegmentData } from './entity-data.js';

/** The features of entities; `unsafeWriters` adds writers of rows that follow from other rows. */
export function featuresOf(
  entities: readonly EntityData[],
  unsafeWriters: boolean,
): ReadonlySet<string> {
  const found = entities.flatMap((entity) => entityFeatures(entity, unsafeWriters));
  return new Set(found.filter((each) => each !== false));
}

type Features = readonly (string | false)[];

function entityFeatures(entity: EntityData, unsafeWriters: boolean): Features {
  const { key, row, columns } = entity;
  const segments = key.parts.flatMap((part) => (part.kind === 'segment' ? [part.segment] : []));
  const isWritten = row.kind === 'entity' && (unsafeWriters || entity.unwritable.length === 0);
  return [
    typeof key.format === 'string' ? key.format : 'delimited',
    key.parts.some(({ kind }) => kind === 'literal') && 'literals',
    key.shards !== undefined && 'shards',
    segments.length > 1 && 'scopes',
    row.kind === 'rollup' && 'rollups',
    isWritten && 'writers',
    entity.marker !== undefined && 'marker',
    entity.cellTime !== undefined && 'cellTime',
    entity.expiry !== undefined && 'expiry',
    entity.maxAges.length > 0 && 'maxAges',
    entity.existsBy !== undefined && 'exists',
    ...segments.flatMap((segment) => [`key.${segment.kind}`, ...segmentFeatures(segment)]),
    ...columns.flatMap(columnFeatures),
  ];
}

function segmentFeatures(segment: SegmentData): Features {
  const { rules } = segment;
  return [
    segment.descending && 'descending',
    segment.nullable && 'nullable',
    segment.byOrdinal && 'ordinal',
    segment.floor !== undefined && 'floor',
    (segment.floor === 'hour' || segment.floor === 'day') && 'calendar',
    segment.unit !== 'ms' && 'units',
    segment.unit === 's' && segment.floor === undefined && 'seconds',
    segment.reverseFromLong && 'long',
    segment.dayOnly && 'day',
    segment.maxLength !== undefined && 'maxLength',
    segment.normalize && 'normalize',
    segment.lower && 'lower',
    segment.unordered !== undefined && 'unordered',
    segment.startsWith && 'startsWith',
    segment.max !== undefined && 'max',
    ...ruleFeatures(rules, 'keyRules'),
  ];
}

function columnFeatures(column: ColumnData): Features {
  const { value, qualifiers, kind, rules } = column;
  const keys = qualifiers === undefined ? [] : qualifierFeatures(qualifiers);
  return [
    kind,
    column.aggregate && 'aggregates',
    value.kind === 'message' && 'messages',
    value.kind === 'message' && value.hasTimes && 'times',
    column.version !== undefined && 'upgrades',
    value.kind === 'custom' && 'cell.bytes',
    value.kind === 'scalar' && `cell.${value.scalar}`,
    column.alsoReads.length > 0 && 'alsoReads',
    column.default !== undefined && 'defaults',
    column.required && 'required',
    ...ruleFeatures(rules, 'columnRules'),
    ...keys,
  ];
}

function qualifierFeatures(segment: SegmentData): Features {
  const { kind } = segment;
  // Strings are qualifiers as they are; other kinds are written as in text keys.
  return kind === 'string'
    ? ['map.string']
    : [`map.${kind}`, 'map.typed', `key.${kind}`, 'text', ...segmentFeatures(segment)];
}

function ruleFeatures(rules: RuleData | undefined, where: string): Features {
  if (rules === undefined) return [];
  const found = [
    rules.oneOf !== undefined && 'oneOf',
    (rules.minLength !== undefined || rules.maxLength !== undefined) && 'lengths',
    rules.pattern !== undefined && 'patterns',
    (rules.min !== undefined || rules.max !== undefined) && 'limits',
  ];
  return found.some(Boolean) ? ['rules', where, ...found] : [];
}
