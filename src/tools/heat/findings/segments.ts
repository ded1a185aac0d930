/** Which segments of a key vary, and what to change about one. */
import { countText } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { SegmentKind } from '../../../data/key/index.js';
import type { KeySample } from '../access-log.js';
import { decoderOf, segmentText } from '../key-names.js';

/** The values of the key's leading segments in some samples. */
export interface LeadingValues {
  /** The first segment with more than one value; undefined if no entity decodes the keys. */
  readonly segment: string | undefined;
  /** Its values with the number of samples, most first. */
  readonly values: readonly { readonly text: string; readonly samples: number }[];
}

/** The first segment that varies. */
export function leadingValues(
  model: EntityModel | undefined,
  samples: readonly KeySample[],
): LeadingValues {
  if (model === undefined) return { segment: undefined, values: [] };
  const decode = decoderOf(model);
  const rows = samples.map(({ key }) => decode(key) ?? {});
  for (const { property } of model.segments) {
    const counts = new Map<string, number>();
    for (const values of rows) {
      const text = segmentText(values[property]);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    if (counts.size < 2) continue;
    const values = [...counts].map(([text, count]) => ({ text, samples: count }));
    return { segment: property, values: values.sort((a, b) => b.samples - a.samples) };
  }
  return { segment: model.segments.at(-1)?.property, values: [] };
}

const timeKinds: readonly SegmentKind[] = ['timestamp', 'micros', 'isoDate'];
const sequenceKinds: readonly SegmentKind[] = ['uint', 'int', 'bigint'];

/** Whether segments of a kind are times. */
export function isTimeKind(kind: SegmentKind): boolean {
  return timeKinds.includes(kind);
}

/** How to spread writes when their keys grow with this segment. */
export function spreadAdvice(model: EntityModel | undefined, segment: string | undefined): string {
  const found = model?.segments.find(({ property }) => property === segment);
  if (model === undefined || found === undefined)
    return 'begin the key with a value that differs between simultaneous writes, not with a time or a sequence';
  const { kind } = found.type;
  const others = model.segments
    .filter(({ property, type }) => property !== segment && !timeKinds.includes(type.kind))
    .map(({ property }) => `'${property}'`);
  const first = others.length === 0 ? 'a segment with many values' : others.join(' or ');
  if (timeKinds.includes(kind))
    return `put ${first} before '${segment}' in the key, or give the key shards (a prefix of a hash)`;
  if (sequenceKinds.includes(kind))
    return `declare '${segment}' as reversedId, or put ${first} before it`;
  if (kind === 'uuid' || kind === 'ulid')
    return `use random UUIDs (version 4) for '${segment}', or put ${first} before it`;
  return `put ${first} before '${segment}', or give the key shards (a prefix of a hash)`;
}

/** `'device' has 5 values`. */
export function valuesText({ segment, values }: LeadingValues): string | undefined {
  if (segment === undefined || values.length === 0) return undefined;
  return `'${segment}' has ${countText(values.length, 'value')}`;
}
