/** Keys that grow by the time of their writes, not by the order of a bulk load. */
import { latin1Text } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { KeySample } from '../access-log.js';
import { decoderOf, segmentText } from '../key-names.js';
import type { EntityWindow } from './entity-traffic.js';
import { isTimeKind } from './segments.js';

/** How far a time in a text may be from the time of the write. */
const nearMs = 2 * 86_400_000;

/** Whether the segment that varies first, or the keys' beginning, has the time of the write. */
export function followsClock(
  model: EntityModel | undefined,
  segment: string | undefined,
  windows: readonly EntityWindow[],
): boolean {
  const kind = model?.segments.find(({ property }) => property === segment)?.type.kind;
  if (kind !== undefined && (isTimeKind(kind) || kind === 'ulid')) return true;
  const textOf = textsOf(model, segment);
  return windows.every(({ start, samples }) => {
    const texts = samples.filter((sample) => sample.kind === 'write').map(textOf);
    return texts.every((text) => hasTimeOf(text, start));
  });
}

function textsOf(
  model: EntityModel | undefined,
  segment: string | undefined,
): (sample: KeySample) => string {
  if (model === undefined || segment === undefined) return ({ key }) => latin1Text(key);
  const decode = decoderOf(model);
  return ({ key }) => segmentText(decode(key)?.[segment] ?? null);
}

/** Whether a text begins with about this time: an epoch's digits, a date, a UUID with a time. */
function hasTimeOf(text: string, at: number): boolean {
  return timesOf(text).some((time) => Math.abs(time - at) <= nearMs);
}

function timesOf(text: string): readonly number[] {
  const date = /^(\d{4})-?(\d\d)-?(\d\d)(?!\d)/.exec(text);
  if (date !== null) return [Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3]))];
  const uuid = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/.exec(text);
  if (uuid !== null) return [parseInt(uuid[1] + uuid[2], 16)];
  // Seconds, milliseconds or microseconds.
  const digits = /^\d+/.exec(text)?.[0] ?? '';
  const unit = { 10: 1000, 13: 1, 16: 1e-3 }[digits.length];
  return unit === undefined ? [] : [Number(digits) * unit];
}
