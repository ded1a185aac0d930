/** Checks the row key of an entity and compiles its codec. */
import { quotedList, maxRowKeyBytes } from '../../base/index.js';
import { buildKeyCodec, type KeyCodec, type KeyPart, type SegmentType } from '../../key/index.js';
import { repeated, type Report } from './build-context.js';
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
  segmentDesigns,
} from '../declaration/design-type.js';
import { deepFreeze } from './freeze.js';
import type { SegmentModel } from '../model.js';
import { isRowKey } from '../declaration/row-key.js';

const EXAMPLE = "static readonly key = rowKey('tenant', 'device', 'at')";

/** The checked key and its segments in key order; undefined after a report. */
export function buildKey(
  entityClass: Constructor,
  said: ClassDeclaration,
  report: Report,
): { readonly key: KeyCodec; readonly segments: readonly SegmentModel[] } | undefined {
  const types = new Map<string, SegmentType>();
  for (const segment of said.segments) {
    const type = segmentType(segment, report);
    if (type !== undefined) types.set(segment.property, type);
  }
  for (const property of repeated(said.segments.map((segment) => segment.property)))
    report(property, 'the segment is declared twice', 'keep one @Segment on it');
  const parts = keyParts(entityClass, report);
  if (parts === undefined || !checkNames(parts, said, report)) return undefined;
  const spec: KeyPart[] = [];
  for (const part of parts) {
    if (typeof part !== 'string') spec.push({ kind: 'literal', text: part.literal });
    else if (types.has(part)) spec.push({ kind: 'segment', name: part, type: types.get(part)! });
    else return undefined;
  }
  return compile(entityClass.name, spec, said, report);
}

function compile(
  entity: string,
  parts: readonly KeyPart[],
  said: ClassDeclaration,
  report: Report,
): { readonly key: KeyCodec; readonly segments: readonly SegmentModel[] } | undefined {
  const { keyFormat = 'text', shards } = said.entity ?? {};
  const built = buildKeyCodec(
    deepFreeze({
      format: keyFormat,
      parts,
      ...(shards === undefined ? {} : { shards: { count: shards.count, by: [...shards.by] } }),
    }),
    entity,
  );
  if ('faults' in built) {
    for (const { segment, problem, fix } of built.faults) report(segment, problem, fix);
    return undefined;
  }
  const key = built.codec;
  if (Number.isFinite(key.maxLength) && key.maxLength > maxRowKeyBytes) {
    report(
      'key',
      `the longest key that the limits of its segments allow takes ${key.maxLength} bytes, and Bigtable takes ${maxRowKeyBytes}`,
      'lower maxLength: a UTF-16 unit of text takes up to three bytes',
    );
  }
  const segments = parts.flatMap((part) =>
    part.kind === 'segment' ? [{ property: part.name, type: part.type }] : [],
  );
  return { key, segments: deepFreeze(segments) };
}

function keyParts(
  entityClass: Constructor,
  report: Report,
): readonly (string | KeyLiteral)[] | undefined {
  const key = (entityClass as { readonly key?: unknown }).key;
  if (isRowKey(key)) {
    if (
      key.every(
        (part) =>
          typeof part === 'string' ||
          (typeof part === 'object' && part !== null && typeof part.literal === 'string'),
      )
    )
      return key;
    report(
      'key',
      'a part of the key is neither a name nor a literal',
      `name properties, or use literal('text'): ${EXAMPLE}`,
    );
    return undefined;
  }
  if (key === undefined) report('key', 'the class has no row key', `add ${EXAMPLE}`);
  else report('key', 'the key does not come from rowKey', `write ${EXAMPLE}`);
  return undefined;
}

function checkNames(
  parts: readonly (string | KeyLiteral)[],
  said: ClassDeclaration,
  report: Report,
): boolean {
  const names = parts.filter((part) => typeof part === 'string');
  const segments = said.segments.map((segment) => segment.property);
  const twice = repeated(names);
  const unknown = names.filter((name, i) => !segments.includes(name) && names.indexOf(name) === i);
  const unused = segments.filter(
    (segment, i) => !names.includes(segment) && segments.indexOf(segment) === i,
  );
  if (names.length === 0) report('key', 'the key has no segment', `name at least one: ${EXAMPLE}`);
  for (const name of twice)
    report('key', `the key names '${name}' twice`, 'name each segment once');
  for (const name of unknown) {
    report(
      'key',
      `the key names '${name}', which is no segment`,
      segments.length === 0
        ? `put @Segment() on ${name}`
        : `put @Segment() on ${name}, or name one of ${quotedList(segments)}`,
    );
  }
  for (const segment of unused)
    report(
      segment,
      'the segment is not in the key',
      `add '${segment}' to rowKey(...) at its place, or make it a column`,
    );
  return names.length > 0 && twice.length + unknown.length === 0;
}

function segmentType(
  { property, type, options, designType }: SegmentDeclaration,
  report: Report,
): SegmentType | undefined {
  const kind =
    type ?? inferKind(designType, impliedSegments, (named) => `@Segment('${named}')`, 'uint');
  if (typeof kind !== 'string') {
    report(property, kind.problem, kind.fix);
    return undefined;
  }
  if (!Object.hasOwn(segmentDesigns, kind)) {
    report(
      property,
      `${JSON.stringify(kind)} is not a kind of segment`,
      `use one of ${quotedList(Object.keys(segmentDesigns))}`,
    );
    return undefined;
  }
  const finding = contradiction(designType, segmentDesigns[kind], `'${kind}'`);
  if (finding !== undefined) report(property, finding.problem, finding.fix);
  return { kind, ...options };
}
