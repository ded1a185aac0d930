/** Access patterns in the data dictionary. */
import { printable } from '../../../base/index.js';
import type { EntityModel, PatternModel } from '../../../entities/model/index.js';
import { codeSpan } from './markdown.js';
import { sampleValues } from './sample-values.js';

type SegmentBound = Parameters<EntityModel['key']['ranges']>[0]['bound'];

/** Name, arguments, ranges and purpose. The ranges are the key codec's, for sample values. */
export function patternRow(model: EntityModel, pattern: PatternModel): string[] {
  return [
    codeSpan(pattern.name),
    givenText(pattern),
    readsText(model, pattern),
    pattern.purpose ?? '',
  ];
}

function givenText({ prefix, bound }: PatternModel): string {
  const given = prefix.map(codeSpan);
  if (bound !== undefined) given.push(`${bound.kind} ${codeSpan(bound.segment)}`);
  if (given.length === 0) return 'nothing';
  return given.join(', ');
}

function readsText(model: EntityModel, pattern: PatternModel): string {
  const { scanAll, limit, reverse, select } = pattern;
  const reads = [scanAll ? 'every row' : rangeText(model, pattern)];
  if (reverse) reads.push('backwards');
  if (limit !== undefined) reads.push(`at most ${limit} row${limit === 1 ? '' : 's'}`);
  if (select !== undefined) reads.push(`only ${select.map(codeSpan).join(', ')}`);
  return reads.join('; ');
}

function rangeText(model: EntityModel, { prefix, bound }: PatternModel): string {
  const low = sampleValues(model, 0);
  const { perShard } = model.key.ranges({
    fixed: Object.fromEntries(prefix.map((name) => [name, low[name]])),
    bound: segmentBound(model, bound),
  });
  const [first = []] = perShard;
  const ranges = first
    .map(({ start, end }) => {
      const shownEnd = end === undefined ? 'last key' : printable(end);
      return codeSpan(`[${printable(start)} .. ${shownEnd})`);
    })
    .join(' and ');
  if (perShard.length === 1) return ranges;
  return `${ranges} in each of ${perShard.length} shards`;
}

/** The bound with sample values. */
function segmentBound(model: EntityModel, bound: PatternModel['bound']): SegmentBound {
  if (bound === undefined) return undefined;
  const { kind, segment } = bound;
  const low = sampleValues(model, 0)[segment];
  const from = { value: low, inclusive: true };
  const to = { value: sampleValues(model, 1)[segment], inclusive: false };
  switch (kind) {
    case 'startsWith':
      return { kind, segment, text: low as string };
    case 'subdomains':
      return { kind, segment, domain: low as string };
    case 'since':
      return { kind: 'between', segment, from };
    case 'until':
      return { kind: 'between', segment, to };
    case 'between':
      return { kind, segment, from, to };
  }
}
