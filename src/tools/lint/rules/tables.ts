/** How data is divided into tables. */
import { countText, quotedList, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { wordsOf } from '../subject/names/words.js';
import { type LintRule, type RuleFinding, sources } from '../rule.js';

/** Tables of one shape that are too many. */
const maxTablesOfShape = 30;
/** Tables with names that differ in a number only: two years, or more of anything else. */
const maxNumbered = 3;

/** What models have in common, computed once for each: all of them are compared with each other. */
function once(textOf: (model: EntityModel) => string): (model: EntityModel) => string {
  const texts = new WeakMap<EntityModel, string>();
  return (model) => {
    let text = texts.get(model);
    if (text === undefined) texts.set(model, (text = textOf(model)));
    return text;
  };
}

const shapeOf = once(shapeText);
const templateOf = once(({ table }) => table.name.replace(/\d+/g, '#'));

function shapeText({ segments, columns }: EntityModel): string {
  const keys = segments.map(({ property, type }) => `${property}:${type.kind}`);
  const cells = columns.map(
    ({ property, family, kind, codec }) => `${property}:${family}:${kind}:${codec.kind}`,
  );
  return [...keys, '|', ...cells].join();
}

function alike(model: EntityModel, others: readonly EntityModel[]): readonly EntityModel[] {
  if (others.length < 2) return [];
  return others.filter((other) => shapeOf(other) === shapeOf(model));
}

/** The models of tables with names that differ in numbers only; none if the name has no number. */
function numberedLike(model: EntityModel, models: readonly EntityModel[]): readonly EntityModel[] {
  const template = templateOf(model);
  if (template === model.table.name) return [];
  return models.filter((other) => templateOf(other) === template);
}

function tableCount(models: readonly EntityModel[]): number {
  return new Set(models.map(({ table }) => table.name)).size;
}

/** More names do not help in a sentence. */
const maxNames = 3;

/** The first of the models reports for all of them. */
function shapeFindings(model: EntityModel, models: readonly EntityModel[]): readonly RuleFinding[] {
  if (models[0] !== model) return [];
  const names = [...new Set(models.map(({ table }) => table.name))];
  const shown = names.length > maxNames ? [...names.slice(0, maxNames), '...'] : names;
  return [faults.similarTables(names.length, shown)];
}

/** `events_2025`, `log20260131`: a year, a month or a day in the name of a table. */
const dated = /(^|\D)(19|20)\d\d[-_.]?(0[1-9]|1[0-2])?[-_.]?([0-2]\d|3[01])?([-_.]|$)/;

/** Words for what a table is for, not for a part of the data: `raw`, `archive`, `v2`. */
const purposes =
  /^(v?\d+|archived?|backup|clean(ed)?|cold|copy|current|daily|day|default|dev|history|hot|hour(ly)?|in|latest|live|main|minute|month(ly)?|new|old|out|primary|prod|raw|read|secondary|source|staging|target|te?mp|test|warm|week(ly)?|write|year(ly)?)$/;

/** The models of tables with names that differ in one word: `orders_acme` and `orders_globex`. */
function namedLike(model: EntityModel, models: readonly EntityModel[]): readonly EntityModel[] {
  const words = wordsOf(model.table.name);
  if (words.length < 2) return [];
  for (let at = 0; at < words.length; at++) {
    const found = models.filter((other) => differsAt(at, words, other));
    const varying = new Set(found.map(({ table }) => wordsOf(table.name)[at]));
    // Tables of users and of products are of two kinds of things.
    if (varying.size > 1 && ![...varying].every((word) => /[^s]s$/.test(word))) return found;
  }
  return [];
}

function differsAt(at: number, words: readonly string[], { name, table }: EntityModel): boolean {
  const others = wordsOf(table.name);
  if (others.length !== words.length) return false;
  if (!others.every((word, i) => i === at || word === words[i])) return false;
  const isKind = wordsOf(name).join('') === others[at].replace(/s$/, '');
  return !isKind && !purposes.test(others[at]);
}

/** The number of tables that an instance can have, and half of it. */
const maxTables = 1_000;
const manyTables = maxTables / 2;

function countFindings(model: EntityModel, models: readonly EntityModel[]): readonly RuleFinding[] {
  if (model !== models[0]) return [];
  const count = tableCount(models);
  if (count <= manyTables) return [];
  return [{ ...faults.tooManyTables(count), level: count > maxTables ? 'error' : 'warning' }];
}

const f09: LintRule = {
  id: 'F09',
  level: 'warning',
  title: 'Many tables of one shape',
  reason:
    'Tables for each tenant or year are small, so that their data is balanced badly, and each ' +
    'needs connections and administration. An instance has at most 1,000 tables.',
  source: sources.tables,
  fix: 'Use one table, with the tenant or the year in the key.',
  check({ model }, { models }) {
    return [...countFindings(model, models), ...likeFindings(model, models)];
  },
};

function likeFindings(model: EntityModel, models: readonly EntityModel[]): readonly RuleFinding[] {
  const isDated = dated.test(model.table.name);
  const numbered = alike(model, numberedLike(model, models));
  if (tableCount(numbered) >= (isDated ? 2 : maxNumbered)) return shapeFindings(model, numbered);
  if (isDated) return datedFindings(model, models);
  const named = alike(model, namedLike(model, models));
  if (tableCount(named) > 1) return shapeFindings(model, named);
  if (models.length < maxTablesOfShape) return [];
  const all = alike(model, models);
  return tableCount(all) >= maxTablesOfShape ? shapeFindings(model, all) : [];
}

/** The first entity of the table reports. */
function datedFindings(model: EntityModel, models: readonly EntityModel[]): readonly RuleFinding[] {
  const { name } = model.table;
  if (models.find(({ table }) => table.name === name) !== model) return [];
  return [faults.datedTable(name)];
}

/** Rules about tables. */
export const tableRules: readonly LintRule[] = [f09];

const faults = {
  similarTables: (count: number, names: readonly string[]) => ({
    problem: `${countText(count, 'table')} have one shape: ${quotedList(names)}`,
    fix: 'store them in one table, with the varying part of their names as a segment of the key',
  }),
  datedTable: (name: string) => ({
    problem: `table '${name}' is named after a time: each year or month needs a new table`,
    fix: 'store all times in one table, with the time in the key, and let maxAge delete old rows',
  }),
  tooManyTables: (count: number) => ({
    problem:
      `the entities are in ${count.toLocaleString('en')} tables, and an instance has at most ` +
      maxTables.toLocaleString('en'),
    fix: 'store data of one shape in one table, with what divides it as a segment of the key',
  }),
} satisfies FaultTexts;
