/** Families, their versions and their names. */
import type { FaultTexts } from '../../../base/index.js';
import {
  type ColumnModel,
  type EntityModel,
  gcRuleText,
  maxAgeOf,
} from '../../../entities/model/index.js';
import { type LintContext, type LintRule, type RuleFinding, sources } from '../rule.js';
import { type LintSubject, usedFamilies } from '../subject/subject.js';
import { versionsKept } from '../subject/versions-kept.js';

const maxFamilies = 100;
const maxFamilyName = 8;

/** The first entity of a table reports what concerns the table. */
function isFirstOfTable({ table }: EntityModel, { models }: LintContext, model: EntityModel) {
  return models.find((each) => each.table.name === table.name) === model;
}

const f01: LintRule = {
  id: 'F01',
  level: 'warning',
  title: 'Too many families, or long names of families',
  reason:
    'About a hundred families per table perform well. Each cell is sent with the name of its ' +
    'family.',
  source: sources.families,
  fix: 'Group columns that are read together in one family; use names of one to eight characters.',
  check({ model }, context) {
    const findings: RuleFinding[] = [];
    const sharing = context.models.filter((each) => each.table.name === model.table.name);
    const all = new Set(sharing.flatMap(({ table }) => [...table.families.keys()]));
    if (all.size > maxFamilies && isFirstOfTable(model, context, model))
      findings.push(faults.tooManyFamilies(model.table.name, all.size));
    for (const family of usedFamilies(model))
      if (family.length > maxFamilyName)
        findings.push({
          family,
          ...faults.familyNameTooLong(family, family.length, family.slice(0, 1)),
          level: 'info',
        });
    return findings;
  },
};

/** Versions of a column that is written often; more of them are probably not meant. */
const maxFrequentVersions = 10;

const f03: LintRule = {
  id: 'F03',
  level: 'warning',
  title: 'A family keeps versions without a limit',
  reason:
    'Each write adds a version. Without garbage collection rows grow with every update, and each ' +
    'read of the column passes over its old versions.',
  source: sources.collection,
  fix: "Declare a rule: gc: maxVersions(1), or maxAge('30d').",
  check(subject) {
    const { model } = subject;
    return usedFamilies(model).flatMap((family) => {
      const { gc, aggregate } = model.table.families.get(family) ?? {};
      if (aggregate !== undefined) return [];
      const columns = model.columns.filter((column) => column.family === family);
      const often = columns.find((column) => isWrittenOften(column, subject));
      if (gc === undefined) return [noRule(family, often?.property)];
      const kept = versionsKept(gc);
      if (often === undefined || kept <= maxFrequentVersions || maxAgeOf(gc) < Infinity) return [];
      return [
        {
          property: often.property,
          family,
          ...faults.needlessVersions(often.property, family, kept, gcRuleText(gc)),
        },
      ];
    });
  },
};

function isWrittenOften({ property, kind }: ColumnModel, subject: LintSubject): boolean {
  const { revision, updatedAt } = subject.model.managed ?? {};
  if (property === revision || property === updatedAt || kind === 'counter') return true;
  return subject.expect(property).updates !== undefined;
}

function noRule(family: string, often: string | undefined): RuleFinding {
  const fix = `families: { ${family}: { gc: maxVersions(1) } }`;
  if (often === undefined) return { family, ...faults.missingGcRule(family, fix), level: 'info' };
  return {
    property: often,
    family,
    ...faults.unboundedVersions(often, family, fix),
  };
}

const maxQualifier = 16;
const maxScalarColumns = 30;

const f10: LintRule = {
  id: 'F10',
  level: 'warning',
  title: 'Long names of columns, or very many columns',
  reason:
    'The qualifier is stored with each cell. Columns that are always read and written together ' +
    'take less space, and fewer cells, as one message.',
  source: sources.columns,
  fix: 'Give columns short qualifiers; pack columns that belong together with @Packed.',
  check({ model }) {
    const findings: RuleFinding[] = [];
    for (const column of model.columns) {
      if (column.kind === 'columnMap' || column.qualifier.length <= maxQualifier) continue;
      const { property, family } = column;
      findings.push({
        property,
        family,
        ...faults.qualifierTooLong(
          property,
          column.qualifier.length,
          property.slice(0, 2).toLowerCase(),
        ),
        level: 'info',
      });
    }
    for (const family of usedFamilies(model)) {
      const columns = model.columns.filter(
        (column) => column.family === family && column.kind === 'column',
      );
      if (columns.length > maxScalarColumns)
        findings.push({
          family,
          ...faults.tooManyColumns(family, columns.length),
        });
    }
    return findings;
  },
};

/** Rules about families and their columns, without their retention. */
export const families: readonly LintRule[] = [f01, f03, f10];

const faults = {
  tooManyFamilies: (name: string, size: number) => ({
    problem: `table '${name}' has ${size} families, more than about ${maxFamilies}`,
    fix: 'merge families with the same retention; a column map holds many names in one',
  }),
  familyNameTooLong: (family: string, length: number, part: string) => ({
    problem:
      `the name of family '${family}' has ${length} characters, which are sent ` + 'with each cell',
    fix: `shorten it, for example to '${part}'; its columns keep their ` + 'properties',
  }),
  needlessVersions: (property: string, family: string, kept: number, gcRule: string) => ({
    problem:
      `'${property}' is written often, and family '${family}' keeps ${kept} ` +
      `versions (${gcRule})`,
    fix: `declare families: { ${family}: { gc: maxVersions(1) } }`,
  }),
  missingGcRule: (family: string, fix: string) => ({
    problem: `family '${family}' has no gc rule`,
    fix,
  }),
  unboundedVersions: (often: string, family: string, fix: string) => ({
    problem: `'${often}' gets a new version with each write, and family '${family}' has no gc rule`,
    fix,
  }),
  qualifierTooLong: (property: string, length: number, text: string) => ({
    problem: `the qualifier of '${property}' has ${length} bytes, which each row ` + 'stores',
    fix: `give it a short one: { qualifier: '${text}' }`,
  }),
  tooManyColumns: (family: string, length: number) => ({
    problem: `family '${family}' has ${length} single columns`,
    fix:
      `pack columns that are read together into a message: @Packed('${family}', () => ` + 'Status)',
  }),
} satisfies FaultTexts;
