/* The data of a page: maps with numbers as arrays. page-data.ts packs them. */
import { numberText, timeText, unpackNumbers, valueText } from './numbers.js';

export const metricNames = ['operations', 'reads', 'writes', 'bytes'];

/** The data of embedded JSON. The value of a bucket is at column * buckets + bucket. */
export function readData(json) {
  const data = JSON.parse(json);
  return { ...data, maps: data.maps.map(readMap) };
}

function readMap({ keys, entities, values: packed, ...map }) {
  const buckets = keys.map(([entity, rows, ...texts]) => {
    const isWhole = entity >= 0;
    return bucketOf(entities[isWhole ? entity : -2 - entity], rows, texts, isWhole);
  });
  const count = map.columns * buckets.length;
  const [reads, writes, bytes] = packed.map((text) => unpackNumbers(text, count));
  const operations = reads.map((each, index) => each + writes[index]);
  return { ...map, buckets, values: { operations, reads, writes, bytes } };
}

/** Segments that a scan leaves open have no text; keys that are not decoded are one. */
function bucketOf(entity, rows, texts, isDecoded) {
  if (!isDecoded) return { rows, entity: entity?.name, key: texts[0], segments: [] };
  const segments = texts.map((text, i) => [entity.segments[i], text]);
  return { rows, entity: entity.name, key: texts.join('#'), segments };
}

/** `device=a, at=...`, or the bytes of the key. */
function keyText(bucket) {
  if (bucket.segments.length === 0) return bucket.key;
  return bucket.segments.map(([name, value]) => `${name}=${value}`).join(', ');
}

/** What is known of a cell, in lines. */
export function cellText(map, { column, bucket }, totals) {
  const { start, columnMs, buckets, values } = map;
  const index = column * buckets.length + bucket;
  const range = buckets[bucket];
  const next = buckets[bucket + 1];
  const counts = ['operations', 'reads', 'writes']
    .map((name) => `${numberText(values[name][index])} ${name}`)
    .concat(valueText('bytes', values.bytes[index]));
  const rows = `${numberText(range.rows)} sampled ${range.rows === 1 ? 'row' : 'rows'}`;
  return [
    `${timeText(start + column * columnMs, columnMs)} UTC`,
    `${range.entity === undefined ? '' : `${range.entity}: `}${keyText(range)}`,
    next === undefined ? `to the end (${rows})` : `to ${keyText(next)} (${rows})`,
    counts.join(', '),
    `all times: ${numberText(totals.keys[bucket])} operations; ` +
      `all keys: ${numberText(totals.columns[column])} operations`,
  ].join('\n');
}
