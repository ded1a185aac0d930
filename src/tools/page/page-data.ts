/** The data of a page, as small as they must be: browser/data.js reads them. */
import type { HeatMap, MarkedFinding } from './heat-map.js';
import type { HeatBucket, HeatTable } from './heat-table.js';
import { halved } from './halve.js';

/** Characters of a key or a segment that a page shows. */
const maxText = 160;

/** The maps as JSON of at most so many bytes: maps that are too large are halved, largest first. */
export function packMaps(maps: readonly HeatMap[], maxBytes: number): string {
  const fitting = [...maps];
  const packed = fitting.map(packMap);
  const size = (): number => packed.reduce((sum, each) => sum + each.length + 1, 1);
  while (size() > maxBytes) {
    const largest = packed.reduce(
      (most, each, i) => (each.length > packed[most].length ? i : most),
      0,
    );
    const smaller = halved(fitting[largest]);
    if (smaller === fitting[largest]) break;
    fitting[largest] = smaller;
    packed[largest] = packMap(smaller);
  }
  return `[${packed.join()}]`;
}

/** One map as JSON, in ASCII: each character is a byte. */
function packMap({ name, about, unjudged, table, findings }: HeatMap): string {
  const { start, columnMs, columns, buckets, values } = table;
  const entities = entitiesOf(table);
  const names = entities.map((entity) => entity.name);
  const json = JSON.stringify({
    name,
    about,
    unjudged,
    start,
    columnMs,
    columns,
    entities,
    keys: buckets.map((bucket) => packKey(bucket, names)),
    // Operations are reads and writes.
    values: [values.reads, values.writes, values.bytes].map(packNumbers),
    findings: findings.map(packFinding),
  });
  return json.replace(/[<\u007f-\uffff]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${code}`;
  });
}

interface PackedEntity {
  readonly name: string;
  readonly segments: readonly string[];
}

/** Entities with the names of their segments, which their keys do not repeat. */
function entitiesOf({ buckets }: HeatTable): readonly PackedEntity[] {
  const found = new Map<string, readonly string[]>();
  for (const { entity, segments } of buckets) {
    if (entity === undefined) continue;
    const names = segments.map(([name]) => name);
    if (names.length >= (found.get(entity)?.length ?? 0)) found.set(entity, names);
  }
  return [...found].map(([name, segments]) => ({ name, segments }));
}

/** The entity, the sampled rows, and the segments; keys without any have a negative number. */
function packKey(
  { key, entity, segments, rows }: HeatBucket,
  entities: readonly string[],
): readonly (string | number)[] {
  if (entity === undefined) return [-1, rows, cut(key)];
  if (segments.length === 0) return [-2 - entities.indexOf(entity), rows, cut(key)];
  return [entities.indexOf(entity), rows, ...segments.map(([, text]) => cut(text))];
}

/** Both ends of a long text: either may tell it apart. */
function cut(text: string): string {
  if (text.length <= maxText) return text;
  return `${text.slice(0, maxText / 2)}…${text.slice(-maxText / 2)}`;
}

/** Kinds of findings about single rows. */
const ofRows: readonly string[] = ['hotRow', 'largeRow'];

function packFinding(finding: MarkedFinding): object {
  const { kind, level, table, entity, segment, key, fix, marks } = finding;
  const subject = [entity ?? table, segment].filter((part) => part !== undefined).join('.');
  const problem =
    key === undefined ? finding.problem : finding.problem.replace(key, () => cut(key));
  const rows = ofRows.includes(kind) ? [...new Set(marks.map(([, , bucket]) => bucket))] : [];
  return { kind, level, subject, problem, fix, marks, rows };
}

/**
 * Whole numbers as base64 of LEB128: n + 1 for a number n above 0, and for a run of zeros a 0 and
 * its length. Most cells of a heat map are 0.
 */
export function packNumbers(numbers: readonly number[]): string {
  // A number takes eight bytes at most.
  const bytes = Buffer.allocUnsafe(8 * numbers.length + 16);
  let length = 0;
  const add = (value: number): void => {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[length++] = (rest % 0x80) | 0x80;
    bytes[length++] = rest;
  };
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i] > 0) {
      add(numbers[i] + 1);
      continue;
    }
    const start = i;
    while (i + 1 < numbers.length && numbers[i + 1] === 0) i++;
    add(0);
    add(i - start + 1);
  }
  return bytes.toString('base64', 0, length);
}
