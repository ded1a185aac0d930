/** What garbage collection keeps of the columns of a family. */
import { durationText, quotedList, type FaultTexts } from '../../../base/index.js';
import { type ColumnModel, durationMicros, maxAgeOf } from '../../../entities/model/index.js';
import type { GcRule } from '../../../data/store/index.js';
import { namesOtherDate } from '../subject/names/times.js';
import { type LintRule, type RuleFinding, sources } from '../rule.js';
import { type LintSubject, usedFamilies } from '../subject/subject.js';
import { versionsKept } from '../subject/versions-kept.js';

const f02: LintRule = {
  id: 'F02',
  level: 'warning',
  atOpen: true,
  title: 'The retention of a family does not suit its columns',
  reason:
    'Garbage collection applies to a whole family: columns that are needed for different times, ' +
    'or with and without their history, delete too much or keep too much.',
  source: sources.collection,
  fix: 'Give columns with different retention separate families.',
  check(subject) {
    const { model } = subject;
    return usedFamilies(model).flatMap((family) => {
      const columns = model.columns.filter((column) => column.family === family);
      const gc = model.table.families.get(family)?.gc;
      return [
        ...historyFindings(columns, family, gc),
        ...keepFindings(columns, family, gc, subject),
      ];
    });
  },
};

function historyFindings(
  columns: readonly ColumnModel[],
  family: string,
  gc: GcRule | undefined,
): readonly RuleFinding[] {
  const history = columns.filter(({ kind }) => kind === 'versions');
  const single = columns.filter(({ kind }) => kind !== 'versions' && kind !== 'columnMap');
  if (history.length === 0) return [];
  const names = quotedList(history.map(({ property }) => property));
  if (versionsKept(gc) === 1)
    return [
      {
        property: history[0].property,
        family,
        ...faults.historyNotKept(names, family),
        level: 'error',
      },
    ];
  if (single.length === 0) return [];
  return [
    {
      property: history[0].property,
      family,
      ...faults.unreadHistory(
        family,
        names,
        single.map(({ property }) => property),
      ),
    },
  ];
}

function keepFindings(
  columns: readonly ColumnModel[],
  family: string,
  gc: GcRule | undefined,
  subject: LintSubject,
): readonly RuleFinding[] {
  const age = maxAgeOf(gc);
  const kept = columns.flatMap(({ property }) => {
    const { keep } = subject.expect(property);
    return keep === undefined ? [] : [{ property, keep, micros: durationMicros(keep) }];
  });
  const tooShort = kept.filter(({ micros }) => micros > age);
  if (tooShort.length > 0)
    return tooShort.map(({ property, keep }) => ({
      property,
      family,
      ...faults.maxAgeTooShort(property, keep, family, age / 1_000),
      level: 'error',
    }));
  if (new Set(kept.map(({ micros }) => micros)).size <= 1) return [];
  const text = kept.map(({ property, keep }) => `'${property}' for ${keep}`).join(', ');
  return [
    {
      property: kept[0].property,
      family,
      ...faults.mixedRetention(family, text),
    },
  ];
}

const f05: LintRule = {
  id: 'F05',
  level: 'error',
  atOpen: true,
  title: 'Cells expire by a date that is not the time of the write',
  reason:
    'maxAge compares the timestamps of cells with the current time. If they are due dates or ' +
    'birthdays, cells are deleted at once or far too late. The same holds for sequence numbers.',
  source: sources.sequenceNumbers,
  fix: 'Keep versions instead of an age, or let the write set the timestamp.',
  check({ model }) {
    const { cellTimestamp } = model;
    if (cellTimestamp === undefined || !namesOtherDate(cellTimestamp)) return [];
    return usedFamilies(model)
      .filter((family) => maxAgeOf(model.table.families.get(family)?.gc) < Infinity)
      .map((family) => ({
        property: cellTimestamp,
        family,
        ...faults.ageWithCellTimestamp(cellTimestamp, family),
      }));
  },
};

/** Rules about retention. */
export const retention: readonly LintRule[] = [f02, f05];

const faults = {
  historyNotKept: (names: string, family: string) => ({
    problem: `${names} reads the history of a column, and family '${family}' keeps one version`,
    fix: `declare families: { ${family}: { gc: maxVersions(10) } }, or maxAge(...)`,
  }),
  unreadHistory: (family: string, names: string, list: readonly string[]) => ({
    problem:
      `family '${family}' keeps the history of ${names}, and also of ` +
      `${quotedList(list)}, which is never read`,
    fix: `move ${names} to a family of its own, and keep one version in '${family}'`,
  }),
  maxAgeTooShort: (property: string, keep: string, family: string, age: number) => ({
    problem:
      `'${property}' is needed for ${keep}, and family '${family}' deletes after ` +
      `${durationText(age)}`,
    fix: `move it to a family with gc: maxAge('${keep}')`,
  }),
  mixedRetention: (family: string, text: string) => ({
    problem: `columns of family '${family}' are needed for different times: ${text}`,
    fix: 'give each retention a family of its own',
  }),
  ageWithCellTimestamp: (cellTimestamp: string, family: string) => ({
    problem: `the timestamp of cells is '${cellTimestamp}', and family '${family}' deletes by age`,
    fix: `declare families: { ${family}: { gc: maxVersions(1) } }, or remove cellTimestamp`,
  }),
} satisfies FaultTexts;
