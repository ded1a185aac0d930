/** Keys at which all writes meet. */
import { countText, quotedList, type FaultTexts } from '../../../base/index.js';
import type { EntityModel, IndexModel, RollupModel } from '../../../entities/model/index.js';
import {
  advanceOf,
  distinctValues,
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
function spreadFix(subject: LintSubject, { segment }: WriteFront): string {
  const { model } = subject;
  const { segments, key } = model;
  const spreading = segments.find(
    (each) => advanceOf(each, subject) === undefined && distinctValues(each, subject) === undefined,
  );
  if (spreading === undefined) return shardFix(model, segment.property);
  const names = segments.map(({ property }) => property);
  const first = spreading.property;
  const order = rowKeyText(model, [first, ...names.filter((name) => name !== first)]);
  const sharding = `shards: { count: 16, by: ['${first}'] } if rows are read by time alone`;
  if (key.spec.shards !== undefined) return `hash '${first}' too: by: ['${first}']`;
  return `start the key with '${first}': ${order}; or use ${sharding}`;
}

function shardFix({ segments }: EntityModel, property: string): string {
  const last = segments.at(-1)?.property ?? property;
  return `spread the rows over shards: shards: { count: 16, by: ['${last}'] }`;
}

const k01: LintRule = {
  id: 'K01',
  level: 'error',
  title: 'The key starts with a time',
  reason:
    'New rows are all written at one end of the table, so one node takes every write while the ' +
    'other nodes are idle. Reversed times, ISO 8601 text, time buckets, ULIDs and UUIDs of version 1, ' +
    '6 and 7 are times too.',
  source: sources.avoid,
  fix:
    'Start with a segment that has many values at any time, such as the device, or shard the ' +
    'key.',
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
    'Ids that are issued in order put every new row after the last one, so one node takes every ' +
    'insert, and the newest users, who are the most active, share one node.',
  source: sources.avoid,
  fix: "Reverse the digits with kind 'reversedId', which keeps point reads, or use random ids.",
  check(subject) {
    const front = ownFront(subject);
    if (front === undefined || front.advance.kind !== 'sequence' || front.fronts > 1) return [];
    const { property, type } = front.segment;
    const isNumber = type.kind === 'uint' || type.kind === 'int';
    return [
      {
        property,
        ...faults.sequentialKeys(property, front.advance.text, isNumber),
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
    'Each value of the leading segments is one place where rows are added. With fewer such places ' +
    'than nodes, the other nodes take no writes.',
  source: sources.rowKeys,
  fix: 'Start with a segment of more values, add one before the time, or shard the key.',
  check(subject, { nodes }) {
    const front = ownFront(subject);
    if (front === undefined || front.fronts <= 1 || front.fronts >= nodes) return [];
    const names = quotedList(front.before.map(({ property }) => property));
    const { property } = front.segment;
    const leading = names === '' ? 'the hashed segments' : names;
    return [
      {
        property: front.before[0]?.property ?? property,
        ...faults.tooFewPlaces(
          leading,
          front.fronts,
          property,
          front.advance.text,
          nodes,
          spreadFix(subject, front),
        ),
      },
    ];
  },
};

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

const k17: LintRule = {
  id: 'K17',
  level: 'warning',
  title: 'An index or a rollup makes a hot range or a hot row',
  reason:
    'Each write of the entity also writes its index entries and rollup rows. If their keys start ' +
    'with a time or with few values, all writes meet there, however well the rows are spread.',
  source: sources.secondaryIndexes,
  fix: 'Start the index or rollup with a segment that has many values, such as the tenant.',
  check(subject, { nodes }) {
    const { indexes, rollups } = subject.model;
    return [
      ...indexes.flatMap((index) => indexFindings(index, subject, nodes)),
      ...rollups.flatMap((rollup) => rollupFindings(rollup, subject, nodes)),
    ];
  },
};

function indexFindings(
  { name, entry }: IndexModel,
  subject: LintSubject,
  nodes: number,
): readonly RuleFinding[] {
  const front = writeFront(entry.segments, subject);
  if (front === undefined || front.fronts >= nodes) return [];
  const { certain, kind } = front.advance;
  if (!certain && kind !== 'time') return [];
  return [
    {
      property: 'indexes',
      level: certain ? 'warning' : 'info',
      ...faults.hotIndex(
        name,
        front.fronts,
        front.segment.property,
        front.advance.text,
        beforeText(front),
        manyValued(subject),
      ),
    },
  ];
}

function rollupFindings(
  { name, rows }: RollupModel,
  subject: LintSubject,
  nodes: number,
): readonly RuleFinding[] {
  const front = writeFront(rows.segments, subject);
  if (front === undefined || front.fronts >= nodes) return [];
  return [
    {
      property: 'rollups',
      ...faults.hotRollup(
        name,
        front.fronts,
        beforeText(front),
        front.segment.property,
        manyValued(subject),
      ),
    },
  ];
}

function beforeText({ before, fronts }: WriteFront): string {
  if (before.length === 0) return 'nothing is before';
  return `only ${fronts} values of ${quotedList(before.map(({ property }) => property))} are before`;
}

/** A segment with many values, for a fix. */
function manyValued(subject: LintSubject): string {
  const found = subject.model.segments.find(
    (segment) =>
      advanceOf(segment, subject) === undefined && distinctValues(segment, subject) === undefined,
  );
  return found?.property ?? 'tenant';
}

const k18: LintRule = {
  id: 'K18',
  level: 'warning',
  title: 'One row is updated very often',
  reason:
    'A row is served by one node, which must also remove its old cells. A value that changes ' +
    'every second belongs into rows of its own: one for each point in time.',
  source: sources.avoid,
  fix: 'Add the time to the end of the key, so that each reading is a row.',
  check(subject) {
    const { segments, columns } = subject.model;
    if (segments.some((segment) => advanceOf(segment, subject)?.kind === 'time')) return [];
    const names = segments.map(({ property }) => property);
    return columns
      .filter(({ property }) => subject.expect(property).updates === 'frequent')
      .map(({ property }) => ({
        property,
        ...faults.hotRow(property, names, rowKeyText(subject.model, [...names, 'at'])),
      }));
  },
};

/** Rules about hotspots. */
export const hotspots: readonly LintRule[] = [k01, k02, k03, k14, k17, k18];

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
  tooFewPlaces: (
    leading: string,
    fronts: number,
    property: string,
    text: string,
    nodes: number,
    spreadFixText: string,
  ) => ({
    problem:
      `${leading} has ${fronts} values before '${property}', ${text}: ` +
      `rows are added in ${fronts} places, fewer than ${nodes} nodes`,
    fix: spreadFixText,
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
  hotIndex: (
    name: string,
    fronts: number,
    property: string,
    text: string,
    before: string,
    manyValuedText: string,
  ) => ({
    problem:
      `entries of index '${name}' are added in ${countText(fronts, 'place')}: ` +
      `'${property}' is ${text}, and ${before}`,
    fix: `start the index with a segment of many values: indexOn('${manyValuedText}', ...)`,
  }),
  hotRollup: (
    name: string,
    fronts: number,
    before: string,
    property: string,
    manyValuedText: string,
  ) => ({
    problem:
      `rollup '${name}' has ${countText(fronts, 'row')} at a time that each write ` +
      `changes: ${before} '${property}'`,
    fix:
      `group by a segment of many values too: by: ['${manyValuedText}', ...]; add up ` +
      'the groups when reading',
  }),
  hotRow: (property: string, names: readonly string[], rowKey: string) => ({
    problem:
      `'${property}' is updated frequently (lint.expect), in the one row of ` +
      `${quotedList(names)}`,
    fix: `write a row for each update: ${rowKey} with ` + "@Segment('timestamp') at",
  }),
} satisfies FaultTexts;
