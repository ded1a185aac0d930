/** Ranges and rows that each write goes to: of indexes, of rollups, of values that are replaced. */
import { countText, quotedList, type FaultTexts } from '../../../base/index.js';
import type {
  ColumnModel,
  IndexModel,
  RollupModel,
  SegmentModel,
} from '../../../entities/model/index.js';
import { type LintRule, type RuleFinding, sources } from '../rule.js';
import {
  advanceOf,
  isSpreading,
  rowKeyText,
  writeFront,
  type WriteFront,
} from '../subject/key-shape.js';
import { namesNumber } from '../subject/names/ids.js';
import {
  isOfReadings,
  namesMeasure,
  namesMetric,
  namesNewestMeasure,
  namesUsage,
} from '../subject/names/values.js';
import { lastWord, nounOf } from '../subject/names/words.js';
import type { LintSubject } from '../subject/subject.js';

const k17: LintRule = {
  id: 'K17',
  level: 'warning',
  title: 'An index or a rollup makes a hot range or a hot row',
  reason:
    'Each write also writes index entries and rollup rows. If their keys start with a time or ' +
    'with few values, all writes meet there, however well the rows are spread.',
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
        placesText(front, 'place'),
        front.segment.property,
        front.advance.text,
        beforeText(front),
        indexStart(manyValued(subject)),
      ),
    },
  ];
}

function indexStart(property: string | undefined): string {
  return property === undefined
    ? 'a property of many values that divides the rows, such as a tenant'
    : `a segment of many values: indexOn('${property}', ...)`;
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
        placesText(front, 'row'),
        beforeText(front),
        front.segment.property,
        manyValued(subject),
      ),
    },
  ];
}

function placesText({ fronts, counted }: WriteFront, unit: string): string {
  return counted ? countText(fronts, unit) : `few ${unit}s`;
}

function beforeText({ before, fronts, counted }: WriteFront): string {
  if (before.length === 0) return 'nothing is before';
  const names = quotedList(before.map(({ property }) => property));
  return counted
    ? `only ${fronts} values of ${names} are before`
    : `only few values of ${names} are before`;
}

/** A segment with many values, for a fix; not the last one, which differs in each row. */
function manyValued(subject: LintSubject): string | undefined {
  const leading = subject.model.segments.slice(0, -1);
  return leading.find((segment) => isSpreading(segment, subject))?.property;
}

const k18: LintRule = {
  id: 'K18',
  level: 'warning',
  title: 'One row is updated very often',
  reason:
    'One node serves a row, and must also remove its old cells. A value that changes every ' +
    'second needs a row for each point in time.',
  source: sources.avoid,
  fix: 'Add the time to the end of the key, so that each reading is a row.',
  check(subject) {
    const { segments, columns } = subject.model;
    if (segments.some((segment) => advanceOf(segment, subject)?.kind === 'time')) return [];
    const names = segments.map(({ property }) => property);
    const fix = rowKeyText(subject.model, [...names, 'at']);
    const declared = columns.filter(
      ({ property }) => subject.expect(property).updates === 'frequent',
    );
    if (declared.length > 0)
      return declared.map(({ property }) => ({
        property,
        ...faults.hotRow(property, names, fix),
      }));
    const guessed = columns.find((column) => isMeasured(column, subject));
    if (guessed === undefined) return [];
    const { property } = guessed;
    return [
      {
        property,
        ...faults.probablyHotRow(property, names, fix),
        level: segments.some((each) => namesMetric(each.property)) ? 'warning' : 'info',
      },
    ];
  },
};

/** Whether names tell that each measurement replaces the last one in its row. */
function isMeasured({ property, kind, codec }: ColumnModel, { model }: LintSubject): boolean {
  // A row with an id for each reading is written once.
  if (kind !== 'column' || model.segments.some(isOfOneReading)) return false;
  if (namesUsage(property) || namesNewestMeasure(property)) return true;
  if (isOfReadings(model.name) && numberKinds.has(codec.kind)) return true;
  return namesMeasure(property) && model.segments.some((segment) => namesMetric(segment.property));
}

const numberKinds = new Set(['double', 'float', 'int32', 'int64', 'uint32']);

function isOfOneReading({ property, generate }: SegmentModel): boolean {
  const noun = nounOf(property);
  const isReadingId = noun !== lastWord(property) && isOfReadings(noun);
  return generate !== undefined || isReadingId || namesNumber(property);
}

/** Rules about ranges and rows that each write goes to. */
export const hotRowRules: readonly LintRule[] = [k17, k18];

const faults = {
  hotIndex: (
    name: string,
    places: string,
    property: string,
    text: string,
    before: string,
    start: string,
  ) => ({
    problem:
      `entries of index '${name}' are added in ${places}: ` +
      `'${property}' is ${text}, and ${before}`,
    fix: `start the index with ${start}`,
  }),
  hotRollup: (
    name: string,
    places: string,
    before: string,
    property: string,
    manyValuedName = 'tenant',
  ) => ({
    problem:
      `rollup '${name}' has ${places} at a time that each write ` +
      `changes: ${before} '${property}'`,
    fix:
      `group by a segment of many values too: by: ['${manyValuedName}', ...]; add up ` +
      'the groups when reading',
  }),
  hotRow: (property: string, names: readonly string[], rowKey: string) => ({
    problem:
      `'${property}' is updated frequently (lint.expect), in the one row of ` +
      `${quotedList(names)}`,
    fix: `write a row for each update: ${rowKey} with ` + "@Segment('timestamp') at",
  }),
  probablyHotRow: (property: string, names: readonly string[], rowKey: string) => ({
    problem:
      `'${property}' is probably replaced by each measurement, to judge by the names, in the one ` +
      `row of ${quotedList(names)}`,
    fix:
      `write a row for each measurement: ${rowKey} with @Segment('timestamp') at; if it changes ` +
      'less than about once a second, ignore K18 with that reason',
  }),
} satisfies FaultTexts;
