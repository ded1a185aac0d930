/** Keys and rules as data for other languages. */
import { type KeyFormat, segmentField, type SegmentType } from '../../../data/key/index.js';
import type { EntityModel, ValueRules } from '../../../entities/model/index.js';
import type { KeyData, PartData, RuleData, SegmentData } from './entity-data.js';

/** The key of a model. */
export function keyData({ key: { spec }, segments }: EntityModel): KeyData {
  const last = spec.parts.at(-1);
  const parts = spec.parts.map((part): PartData => {
    if (part.kind === 'literal') return { kind: 'literal', text: part.text };
    const rules = segments.find(({ property }) => property === part.name)?.rules;
    const segment = segmentData(part.name, part.type, spec.format, rules);
    return {
      kind: 'segment',
      segment: { ...segment, unordered: unorderedReason(part.type, spec.format, part === last) },
    };
  });
  return {
    format: typeof spec.format === 'string' ? spec.format : { delimiter: spec.format.delimiter },
    parts,
    shards: spec.shards && { count: spec.shards.count, by: spec.shards.by },
  };
}

/** A segment, or the qualifiers of a column map, with the defaults of its kind. */
export function segmentData(
  property: string,
  type: SegmentType,
  format: KeyFormat,
  rules: ValueRules | undefined,
): SegmentData {
  const field = segmentField(type, format);
  return {
    property,
    kind: type.kind,
    encoding: field.encoding,
    descending: type.order === 'desc',
    nullable: type.nullable === true,
    width: widthOf(type),
    max: type.max,
    scale: type.scale ?? 0,
    members: type.values ?? [],
    byOrdinal: type.by === 'ordinal',
    unit: type.unit ?? 'ms',
    floor: type.floor,
    reverseFromLong: type.reverseFrom === 'long',
    dayOnly: type.precision === 'day',
    dashes: type.dashes ?? true,
    maxLength: type.maxLength,
    normalize: type.normalize !== undefined,
    lower: type.lower === true,
    unordered: field.noRanges,
    startsWith: field.startsWith !== undefined,
    rules: rules && ruleData(rules),
  };
}

function widthOf({ kind, width, max }: SegmentType): number {
  if (width !== undefined) return width;
  if (kind === 'bigint') return 0;
  return max === undefined ? 16 : String(max).length;
}

/** The reason for which key ranges refuse a bound; src/data/key/codec/key-ranges.ts has it too. */
function unorderedReason(type: SegmentType, format: KeyFormat, last: boolean): string | undefined {
  const field = segmentField(type, format);
  if (field.noRanges !== undefined) return field.noRanges;
  if (typeof format === 'string' || last || field.prefixFree) return undefined;
  if (field.minByte > format.delimiter.charCodeAt(0)) return undefined;
  return 'values of this segment may sort differently before the delimiter, which is not escaped';
}

/** The rules of values. */
export function ruleData(rules: ValueRules): RuleData {
  const { pattern } = rules;
  return {
    oneOf: rules.oneOf as RuleData['oneOf'],
    minLength: rules.minLength,
    maxLength: rules.maxLength,
    pattern: pattern && { source: pattern.source, flags: pattern.flags },
    min: rules.min,
    max: rules.max,
  };
}
