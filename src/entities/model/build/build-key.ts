/** Checks the row key of an entity and compiles its codec. */
import {
  literalText,
  maxRowKeyBytes,
  quotedList,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import {
  buildKeyCodec,
  type KeyCodec,
  type KeyPart,
  type SegmentType,
  type ShardSpec,
} from '../../../data/key/index.js';
import { encodingOptions, segmentRules } from './build-rules.js';
import { duplicates, type Report } from './shared/build-context.js';
import type {
  ClassDeclaration,
  Constructor,
  KeyLiteral,
  SegmentDeclaration,
} from '../declaration/declaration.js';
import {
  contradiction,
  impliedSegments,
  inferKind,
  segmentDesignTypes,
} from '../declaration/design-type.js';
import { isOptions } from '../declaration/given-options.js';
import { deepFreeze } from './shared/freeze.js';
import type { SegmentModel } from '../model.js';
import { isRowKeyDeclaration } from '../declaration/keys/row-key.js';

const keyExample = "static readonly key = rowKey('tenant', 'device', 'at')";

interface KeyModel {
  readonly key: KeyCodec;
  readonly segments: readonly SegmentModel[];
}

/** The checked key and its segments in key order; undefined if a fault was reported. */
export function buildKey(
  entityClass: Constructor,
  name: string,
  declaration: ClassDeclaration,
  report: Report,
): KeyModel | undefined {
  const types = new Map<string, SegmentType>();
  for (const segment of declaration.segments) {
    const type = segmentType(segment, report);
    if (type !== undefined) types.set(segment.property, type);
  }
  for (const property of duplicates(declaration.segments.map((segment) => segment.property)))
    report(property, faults.segmentTwice);
  const parts = keyParts(entityClass, report);
  if (parts === undefined || !checkNames(parts, declaration, report)) return undefined;
  const spec: KeyPart[] = [];
  for (const part of parts) {
    if (typeof part !== 'string') spec.push({ kind: 'literal', text: part.literal });
    else if (types.has(part)) spec.push({ kind: 'segment', name: part, type: types.get(part)! });
    else return undefined;
  }
  return compile(name, spec, declaration, report);
}

function compile(
  entity: string,
  parts: readonly KeyPart[],
  declaration: ClassDeclaration,
  report: Report,
): KeyModel | undefined {
  const { keyFormat = 'text', shards } = declaration.entity ?? {};
  const spec = { format: keyFormat, parts, shards: isOptions(shards) ? copyOf(shards) : undefined };
  const built = buildKeyCodec(deepFreeze(spec), entity);
  if ('faults' in built) {
    for (const { segment, problem, fix } of built.faults) report(segment, { problem, fix });
    return undefined;
  }
  const key = built.codec;
  if (Number.isFinite(key.maxLength) && key.maxLength > maxRowKeyBytes) {
    report('key', faults.keyTooLong(key.maxLength));
  }
  const segments = parts
    .filter((part) => part.kind === 'segment')
    .map(({ name, type }): SegmentModel => {
      const segment = declaration.segments.find(({ property }) => property === name)!;
      return { property: name, type, ...segmentRules(segment, type.kind, report) };
    });
  return { key, segments: deepFreeze(segments) };
}

/** The model is frozen, what the application has declared is not. */
function copyOf({ count, by }: ShardSpec): ShardSpec {
  return { count, by: Array.isArray(by) ? [...(by as string[])] : by };
}

function keyParts(
  entityClass: Constructor,
  report: Report,
): readonly (string | KeyLiteral)[] | undefined {
  const key = (entityClass as { readonly key?: unknown }).key;
  if (key === undefined) {
    report('key', faults.noKey);
    return undefined;
  }
  if (!isRowKeyDeclaration(key)) {
    report('key', faults.notAKey);
    return undefined;
  }
  if (key.every(isKeyPart)) return key;
  report('key', faults.wrongPart);
  return undefined;
}

function isKeyPart(part: unknown): boolean {
  if (typeof part === 'string') return true;
  return (
    typeof part === 'object' &&
    part !== null &&
    typeof (part as Partial<KeyLiteral>).literal === 'string'
  );
}

function checkNames(
  parts: readonly (string | KeyLiteral)[],
  declaration: ClassDeclaration,
  report: Report,
): boolean {
  const names = parts.filter((part) => typeof part === 'string');
  const segments = declaration.segments.map((segment) => segment.property);
  const twice = duplicates(names);
  const unknown = names.filter((name, i) => !segments.includes(name) && names.indexOf(name) === i);
  const unused = segments.filter(
    (segment, i) => !names.includes(segment) && segments.indexOf(segment) === i,
  );
  if (names.length === 0) report('key', faults.noSegment);
  for (const name of twice) report('key', faults.namedTwice(name));
  for (const name of unknown) {
    report('key', faults.unknownSegment(name, segments.length, segments));
  }
  for (const segment of unused) report(segment, faults.segmentOutsideKey(segment));
  return names.length > 0 && twice.length + unknown.length === 0;
}

function segmentType(
  { property, type, options, designType }: SegmentDeclaration,
  report: Report,
): SegmentType | undefined {
  if (isOptions(type)) {
    report(property, faults.optionsWithoutKind);
    return undefined;
  }
  const kind =
    type ?? inferKind(designType, impliedSegments, (named) => `@Segment('${named}')`, 'uint');
  if (typeof kind === 'object' && 'problem' in kind) {
    report(property, { problem: kind.problem, fix: kind.fix });
    return undefined;
  }
  if (typeof kind !== 'string' || !Object.hasOwn(segmentDesignTypes, kind)) {
    report(property, faults.unknownKind(kind));
    return undefined;
  }
  const finding = contradiction(designType, segmentDesignTypes[kind], `'${kind}'`);
  if (finding !== undefined) report(property, { problem: finding.problem, fix: finding.fix });
  if (isOptions(options)) return { kind, ...encodingOptions(options) };
  report(property, faults.wrongOptions(valueText(options), kind));
  return undefined;
}

const faults = {
  segmentTwice: { problem: 'the segment is declared twice', fix: 'keep one @Segment on it' },
  keyTooLong: (maxLength: number) => ({
    problem: `the key can have up to ${maxLength} bytes, and Bigtable allows ${maxRowKeyBytes}`,
    fix: 'lower maxLength: a UTF-16 unit of text takes up to three bytes',
  }),
  noKey: { problem: 'the class has no row key', fix: `add ${keyExample}` },
  notAKey: { problem: 'the key was not created with rowKey', fix: `write ${keyExample}` },
  wrongPart: {
    problem: 'a part of the key is neither a name nor a literal',
    fix: `name properties, or use literal('text'): ${keyExample}`,
  },
  noSegment: {
    problem: 'the key has no segment',
    fix: `name at least one property: ${keyExample}`,
  },
  namedTwice: (name: string) => ({
    problem: `the key names '${name}' twice`,
    fix: 'name each segment once',
  }),
  unknownSegment: (name: string, length: number, segments: readonly string[]) => ({
    problem: `the key names '${name}', which is not a segment`,
    fix:
      length === 0
        ? `put @Segment() on ${name}`
        : `put @Segment() on ${name}, or name one of ${quotedList(segments)}`,
  }),
  segmentOutsideKey: (segment: string) => ({
    problem: 'the segment is not in the key',
    fix: `add '${segment}' to rowKey(...), or make it a column`,
  }),
  optionsWithoutKind: {
    problem: 'the segment has options and no kind',
    fix: "name the kind: @Segment('string', { maxLength: 40 }), or { kind: 'string', maxLength: 40 } in defineEntity",
  },
  unknownKind: (kind: string) => ({
    problem: `${literalText(kind)} is not a segment kind`,
    fix: `use one of ${quotedList(Object.keys(segmentDesignTypes))}`,
  }),
  wrongOptions: (given: string, kind: string) => ({
    problem: `the options of @Segment are ${given}`,
    fix: `leave them out, or give an object: @Segment('${kind}', { order: 'desc' })`,
  }),
} satisfies FaultTexts;
