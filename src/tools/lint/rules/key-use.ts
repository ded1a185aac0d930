/** What a key is used for: its readers, tenants and people. */
import type { FaultTexts } from '../../../base/index.js';
import { distinctValues, rowKeyText } from '../subject/key-shape.js';
import { namesTenant } from '../subject/names/ids.js';
import { isOfPeople, namesPerson } from '../subject/names/people.js';
import { isMoreGeneral } from '../subject/names/values.js';
import type { EntityModel, SegmentModel } from '../../../entities/model/index.js';
import { type LintRule, type RuleFinding, sources } from '../rule.js';
import { isValidatedAs, type LintSubject } from '../subject/subject.js';

const personalRules = new Set([
  'isEmail',
  'isPhoneNumber',
  'isMobilePhone',
  'isIp',
  'isPassportNumber',
  'isIdentityCard',
  'isCreditCard',
  'isIBAN',
  'isTaxId',
]);

function isPersonal(property: string, subject: LintSubject): boolean {
  const { personal } = subject.expect(property);
  if (personal !== undefined) return personal;
  if (property.toLowerCase() === 'name' && isOfPeople(subject.model.name)) return true;
  return namesPerson(property) || isValidatedAs(subject, property, personalRules);
}

const k06: LintRule = {
  id: 'K06',
  level: 'warning',
  title: 'Personal data in a key or a family name',
  reason:
    'Keys appear in logs, metrics, Key Visualizer and error messages, and cannot be changed or ' +
    'encrypted like values. Google treats keys and names of families as metadata.',
  source: sources.rowKeys,
  fix: 'Use an opaque id in the key, and keep personal data in columns.',
  check(subject) {
    const { segments, indexes, table, columns } = subject.model;
    const keys = segments.map(({ property }) => ({ property, where: 'the row key' }));
    for (const { name, segments: names } of indexes)
      for (const property of names)
        if (!segments.some((segment) => segment.property === property))
          keys.push({ property, where: `the keys of index '${name}'` });
    const inKeys = keys
      .filter(({ property }) => isPersonal(property, subject))
      .map(({ property, where }) => ({
        property,
        ...faults.personalKey(property, where),
      }));
    const families = [...table.families.keys()]
      .filter((family) => namesPerson(family) && columns.some((each) => each.family === family))
      .map((family) => ({
        family,
        ...faults.personalFamilyName(family),
        level: 'info' as const,
      }));
    return [...inKeys, ...families];
  },
};

const k11: LintRule = {
  id: 'K11',
  level: 'warning',
  title: 'An access pattern reads the whole table',
  reason:
    'A full scan costs more with every row that is added, and takes time from all other reads.',
  source: sources.reads,
  fix: 'Lead the key with the segment that the query knows, or declare an index.',
  check({ model }) {
    return model.patterns
      .filter(({ scanAll, limit }) => scanAll && limit === undefined)
      .map(({ name }) => ({
        property: 'patterns',
        ...faults.fullScan(name),
      }));
  },
};

const k12: LintRule = {
  id: 'K12',
  level: 'warning',
  title: 'The tenant is not the first segment',
  reason:
    "A tenant's rows are not one range: they cannot be dropped together, exported as a range, or " +
    'shared through an authorized view.',
  source: sources.rowKeys,
  fix: 'Start the key with the tenant.',
  check({ model }) {
    const names = model.segments.map(({ property }) => property);
    const tenant = names.findIndex(namesTenant);
    if (tenant < 0) return [];
    const name = names[tenant];
    if (tenant === 0) return shardedTenant(model, name);
    return [
      {
        property: name,
        ...faults.tenantNotFirst(
          name,
          tenant + 1,
          rowKeyText(model, [name, ...names.filter((each) => each !== name)]),
        ),
      },
    ];
  },
};

/** The shard precedes the tenant in each key. */
function shardedTenant({ key }: EntityModel, tenant: string): readonly RuleFinding[] {
  const { shards } = key.spec;
  if (shards === undefined || shards.by.every((name) => name === tenant)) return [];
  return [
    {
      property: tenant,
      ...faults.shardedTenant(tenant, shards.count),
      level: 'info',
    },
  ];
}

const k16: LintRule = {
  id: 'K16',
  level: 'info',
  title: 'The segments are not ordered from common to granular',
  reason:
    'A prefix selects the leading segments: with city before country, the rows of a country are ' +
    'no range. Neighbours that are alike compress well.',
  source: sources.rowKeys,
  fix: 'Order segments from the one with the fewest values to the one with the most.',
  check(subject) {
    const { segments } = subject.model;
    const findings: RuleFinding[] = [];
    segments.forEach((segment, i) => {
      const before = segments.slice(0, i);
      const granular =
        before.find((each) => isPlaceOf(each, segment)) ??
        before.slice(-1).find((each) => hasManyMore(each, segment, subject));
      if (granular === undefined || isReadBy(granular, segment, subject)) return;
      findings.push({
        property: segment.property,
        ...faults.specificFirst(segment.property, granular.property),
      });
    });
    return findings;
  },
};

/** Whether the names are names of places or times, and the earlier one is in the later one. */
function isPlaceOf(earlier: SegmentModel, later: SegmentModel): boolean {
  // The state of an order is none of a country.
  const { kind } = later.type;
  return kind !== 'enum' && kind !== 'bool' && isMoreGeneral(later.property, earlier.property);
}

function hasManyMore(earlier: SegmentModel, later: SegmentModel, subject: LintSubject): boolean {
  // Only a declared number shows that the earlier one has many.
  if (subject.expect(earlier.property).values === undefined) return false;
  const [first, second] = [earlier, later].map((segment) => distinctValues(segment, subject));
  return first !== undefined && second !== undefined && second * 10 <= first;
}

/** Whether an access pattern needs the earlier segment first: it does not know the later one. */
function isReadBy(earlier: SegmentModel, later: SegmentModel, { model }: LintSubject): boolean {
  return model.patterns.some(
    ({ prefix }) => prefix.includes(earlier.property) && !prefix.includes(later.property),
  );
}

/** Rules about the use of keys. */
export const keyUse: readonly LintRule[] = [k06, k11, k12, k16];

const faults = {
  personalKey: (property: string, where: string) => ({
    problem: `'${property}' identifies a person, and is in ${where}`,
    fix:
      `use an opaque id, such as a UUID, or a keyed hash of '${property}'; if it is not ` +
      `personal, declare expect: { ${property}: { personal: false } }`,
  }),
  personalFamilyName: (family: string) => ({
    problem: `family '${family}' is named after personal data`,
    fix: `give it a neutral name, such as 'p'`,
  }),
  fullScan: (name: string) => ({
    problem: `access pattern '${name}' reads every row`,
    fix:
      'give it a prefix or a limit, add an index for what it looks for, or ignore K11 for ' +
      'a job that needs every row',
  }),
  tenantNotFirst: (name: string, tenant: number, rowKey: string) => ({
    problem:
      `'${name}' is segment ${tenant} of the key: the rows of one tenant are not one ` + 'range',
    fix: rowKey,
  }),
  shardedTenant: (tenant: string, count: number) => ({
    problem: `shards precede '${tenant}': the rows of one tenant are ${count} ranges`,
    fix:
      `hash only '${tenant}', shards: { count: ${count}, by: ['${tenant}'] }, unless ` +
      'one tenant writes more than a node takes',
  }),
  specificFirst: (segmentProperty: string, granularProperty: string) => ({
    problem: `'${segmentProperty}' is more general than '${granularProperty}', which precedes it`,
    fix:
      `put '${segmentProperty}' before '${granularProperty}', unless rows are only read ` +
      `by '${granularProperty}'`,
  }),
} satisfies FaultTexts;
