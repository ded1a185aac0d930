/** Keys at which all writes meet. */
import { quotedList, type FaultTexts } from '../../../base/index.js';
import type { EntityModel, SegmentModel } from '../../../entities/model/index.js';
import {
  isBucket,
  isSpreading,
  rowKeyText,
  shardsInUse,
  writeFront,
  type WriteFront,
} from '../subject/key-shape.js';
import { type LintRule, type RuleFinding, sources } from '../rule.js';
import type { LintSubject } from '../subject/subject.js';

/** The front of the entity's own key, unless its shards already spread the writes. */
function ownFront(subject: LintSubject): WriteFront | undefined {
  if (!ownFronts.has(subject)) ownFronts.set(subject, computeOwnFront(subject));
  return ownFronts.get(subject);
}

/** Three rules look at the same front. */
const ownFronts = new WeakMap<LintSubject, WriteFront | undefined>();

function computeOwnFront(subject: LintSubject): WriteFront | undefined {
  const { segments, key } = subject.model;
  const { shards } = key.spec;
  if (shards !== undefined && shardsInUse(segments, subject, shards) === shards.count)
    return undefined;
  return writeFront(segments, subject, shards);
}

/** A segment with many values goes first; without one, a hash does. */
function spreadFix(subject: LintSubject, { segment, advance }: WriteFront): string {
  const { model } = subject;
  const { segments, key } = model;
  const spreading = segments.find((each) => isSpreading(each, subject));
  if (spreading === undefined)
    return advance.kind === 'sequence' && isNumber(segment)
      ? `reverse its digits: @Segment('reversedId') ${segment.property}`
      : shardFix(model, segment.property);
  const names = segments.map(({ property }) => property);
  const first = spreading.property;
  const order = rowKeyText(model, [first, ...names.filter((name) => name !== first)]);
  const sharding = `shards: { count: 16, by: ['${first}'] } if rows are read by time alone`;
  if (key.spec.shards !== undefined) return `hash '${first}' too: by: ['${first}']`;
  return `start the key with '${first}': ${order}; or use ${sharding}`;
}

/** A hash of what differs from row to row; a time bucket and few values do not. */
function shardFix({ segments, key }: EntityModel, property: string): string {
  const { by = [] } = key.spec.shards ?? {};
  const hashed = segments.findLast((each) => isDistinct(each) && !by.includes(each.property));
  const segment = `add a segment of many values before '${property}', such as the id of a device`;
  if (hashed !== undefined)
    return `${segment}, or spread the rows over shards: { count: 16, by: ['${hashed.property}'] }`;
  return segment;
}

const distinctKinds = new Set(['timestamp', 'micros', 'isoDate', 'ulid', 'uuid', 'bigint', 'uint']);

function isDistinct(segment: SegmentModel): boolean {
  const { kind, max } = segment.type;
  return distinctKinds.has(kind) && max === undefined && !isBucket(segment);
}

const isNumber = ({ type: { kind } }: SegmentModel): boolean => kind === 'uint' || kind === 'int';

const k01: LintRule = {
  id: 'K01',
  level: 'error',
  title: 'The key starts with a time',
  reason:
    'New rows are all written at one end of the table, so one node takes every write. Reversed ' +
    'times, ISO 8601 text, time buckets, ULIDs and UUIDs of version 1, 6 and 7 are times too.',
  source: sources.avoid,
  fix: 'Start with a segment of many values, such as the device, or shard the key.',
  check(subject) {
    const front = ownFront(subject);
    if (front === undefined || front.advance.kind !== 'time' || front.fronts > 1) return [];
    const { property } = front.segment;
    return [
      {
        property,
        ...faults.hotTableEnd(property, front.advance.text, spreadFix(subject, front)),
        level: front.advance.certain ? 'error' : 'warning',
      },
    ];
  },
};

const k02: LintRule = {
  id: 'K02',
  level: 'error',
  title: 'The key starts with a sequential id',
  reason:
    'Each new row follows the last one, so one node takes every insert, and serves the newest ' +
    'users, who are the most active.',
  source: sources.avoid,
  fix: "Reverse the digits with kind 'reversedId', which keeps point reads, or use random ids.",
  check(subject) {
    const front = ownFront(subject);
    if (front === undefined || front.advance.kind !== 'sequence' || front.fronts > 1) return [];
    const { property } = front.segment;
    return [
      {
        property,
        ...faults.sequentialKeys(property, front.advance.text, isNumber(front.segment)),
        level: front.advance.certain ? 'error' : 'warning',
      },
    ];
  },
};

const k03: LintRule = {
  id: 'K03',
  level: 'warning',
  title: 'Few leading values, and then a time or a sequence',
  reason:
    'Rows are added in one place for each value of the leading segments. With fewer places than ' +
    'nodes, some nodes take no writes. A name such as status or country counts as five values.',
  source: sources.rowKeys,
  fix: 'Start with a segment of more values, add one before the time, or shard the key.',
  check(subject, { nodes }) {
    const front = ownFront(subject);
    if (front === undefined || front.fronts <= 1 || front.fronts >= nodes) return [];
    const { segment, advance, before, counted } = front;
    const leading = before[0]?.property ?? segment.property;
    const names =
      before.length === 1
        ? `'${leading}' has`
        : `${quotedList(before.map(nameOf)) || 'the hashed segments'} have`;
    const fix = spreadFix(subject, front);
    const places = `before '${segment.property}', ${advance.text}`;
    if (!counted)
      return [
        {
          property: leading,
          ...faults.probablyFewPlaces(names, leading, places, nodes, fix),
          level: advance.certain ? 'warning' : 'info',
        },
      ];
    return [{ property: leading, ...faults.tooFewPlaces(names, front.fronts, places, nodes, fix) }];
  },
};

const nameOf = ({ property }: SegmentModel): string => property;

const k14: LintRule = {
  id: 'K14',
  level: 'warning',
  title: 'The number of shards, or what they hash, does not suit the reads',
  reason:
    'With fewer shards than nodes some nodes take no writes. With very many, or with a hash over ' +
    'segments that a query does not give, each query reads one range in every shard.',
  source: sources.timeSeries,
  fix: 'Use about one to three shards per node, and hash segments that the main query gives.',
  check({ model }, { nodes }) {
    const { shards } = model.key.spec;
    if (shards === undefined) return [];
    const { count, by } = shards;
    const findings: RuleFinding[] = [];
    if (count < nodes) findings.push(faults.tooFewShards(count, nodes, Math.max(16, nodes), by));
    if (count > 256) findings.push(faults.tooManyShards(count, by));
    for (const { name, prefix, scanAll } of model.patterns) {
      const missing = by.filter((segment) => !prefix.includes(segment));
      if (missing.length === 0 || scanAll) continue;
      findings.push({
        property: missing[0],
        ...faults.missingHashedSegments(name, missing, count),
      });
    }
    return findings;
  },
};

/** Rules about hotspots. */
export const hotspots: readonly LintRule[] = [k01, k02, k03, k14];

const faults = {
  hotTableEnd: (property: string, text: string, spreadFixText: string) => ({
    problem:
      `the key starts with '${property}', ${text}: all new rows are written ` +
      'at one end of the table',
    fix: spreadFixText,
  }),
  sequentialKeys: (property: string, text: string, isNumber: boolean) => ({
    problem:
      `the key starts with '${property}', ${text}: each new row is written ` + 'after the last one',
    fix: isNumber
      ? `reverse its digits: @Segment('reversedId') ${property}; if it is not issued in ` +
        `order, declare expect: { ${property}: { sequential: false } }`
      : `use random values, or shards: { count: 16, by: ['${property}'] }`,
  }),
  tooFewPlaces: (leading: string, fronts: number, places: string, nodes: number, fix: string) => ({
    problem:
      `${leading} ${fronts} values ${places}: rows are added in ${fronts} places, fewer ` +
      `than ${nodes} nodes`,
    fix,
  }),
  probablyFewPlaces: (
    leading: string,
    first: string,
    places: string,
    nodes: number,
    fix: string,
  ) => ({
    problem:
      `${leading} few common values, to judge by the name, ${places}: most rows are added ` +
      `in fewer places than ${nodes} nodes`,
    fix: `${fix}; if it has many, declare expect: { ${first}: { values: 1_000 } }`,
  }),
  tooFewShards: (count: number, nodes: number, max: number, by: readonly string[]) => ({
    problem: `${count} shards are fewer than ${nodes} nodes`,
    fix: `declare shards: { count: ${max}, by: [${quotedList(by)}] }; changing it moves every row`,
  }),
  tooManyShards: (count: number, by: readonly string[]) => ({
    problem: `${count} shards: a query without ${quotedList(by)} reads ${count} ranges`,
    fix: 'use about one to three shards per node, at most 256',
  }),
  missingHashedSegments: (name: string, missing: readonly string[], count: number) => ({
    problem:
      `access pattern '${name}' does not give ${quotedList(missing)}, which the shards ` +
      `hash: each call reads ${count} ranges`,
    fix: `hash segments of its prefix, or ignore K14 if the writes need it`,
  }),
} satisfies FaultTexts;
