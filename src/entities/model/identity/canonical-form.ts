/**
 * The canonical form of an entity: everything in its declaration that changes behaviour, as plain
 * data. Entities with equal forms and names are the same entity, whatever their classes. Functions
 * are not compared: hooks, codecs, upgrades, schemas, and defaults that are functions.
 */
import { isBytes, isDate, isMap, printable, toHex } from '../../../base/index.js';
import type { FieldShape, FieldType, MessageShape } from '../../../data/cell/index.js';
import type { GcRule } from '../../../data/store/index.js';
import { gcRuleText } from '../gc-rule.js';
import { buildModel } from '../build/build.js';
import { declarationOf } from '../declaration/class-record.js';
import type { ColumnDeclaration } from '../declaration/declaration.js';
import { messagesOf } from '../messages-of.js';
import type {
  ColumnModel,
  CopyModel,
  EntityModel,
  IndexModel,
  RollupModel,
  SegmentModel,
} from '../model.js';
import { normalGcRule } from '../normal-gc-rule.js';

/** Plain data: objects have sorted names, and nothing is undefined. */
export type Plain =
  string | number | boolean | null | readonly Plain[] | { readonly [name: string]: Plain };

const forms = new WeakMap<EntityModel, Plain>();

/** The form of an entity, without its name. */
export function canonicalForm(model: EntityModel): Plain {
  let form = forms.get(model);
  if (form === undefined) {
    form = plain(formOf(declaredModel(model)));
    forms.set(model, form);
  }
  return form;
}

/** The model without what follows from the entities that it was opened with. */
function declaredModel(model: EntityModel): EntityModel {
  return model.copiedBy === undefined ? model : buildModel(model.entityClass);
}

function formOf(model: EntityModel): unknown {
  const { table, key, columns, patterns, indexes, rollups, copies } = model;
  const declared = declarationOf(model.entityClass).columns;
  return {
    table: table.name,
    families: byName([...table.families], ([name, { gc, aggregate }]) => [
      name,
      { gc: ruleText(gc), aggregate },
    ]),
    key: key.spec,
    columns: byName(columns, (column) => [column.property, columnForm(column, declared)]),
    messages: byName(messagesOf(model), (message) => [message.name, messageForm(message)]),
    patterns: byName(patterns, ({ name, ...pattern }) => [name, pattern]),
    indexes: byName(indexes, (index) => [index.name, indexForm(index)]),
    rollups: byName(rollups, (rollup) => [rollup.name, rollupForm(rollup)]),
    copies: byName((copies ?? []).flatMap(copyForms), (copy) => copy),
    cellTimestamp: model.cellTimestamp,
    expiresAt: model.expiresAt?.property,
    marker: model.marker?.family,
    managed: model.managed,
    rules: byName<SegmentModel | ColumnModel>([...model.segments, ...columns], (each) => [
      each.property,
      rulesForm(each),
    ]),
    mustExist: model.mustExist,
    schema: model.schema?.vendor,
    hooks: Object.keys(model.hooks ?? {}).sort(),
  };
}

function ruleText(gc: GcRule | undefined): string {
  const rule = normalGcRule(gc);
  return rule === undefined ? 'never' : gcRuleText(rule);
}

function byName<T>(
  all: readonly T[],
  entry: (each: T) => readonly [string, unknown],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(all.map(entry));
}

function columnForm(column: ColumnModel, declared: readonly ColumnDeclaration[]): unknown {
  const { property, kind, family } = column;
  const declaration = declared.find((each) => each.property === property);
  const form = {
    kind,
    family,
    type: typeText(column, declaration),
    default: declaration?.default,
    upgrades: Object.keys(declaration?.upgrades?.upgrades ?? {}),
    version: declaration?.upgrades?.version,
  };
  if (column.kind === 'columnMap') return { ...form, qualifiers: column.qualifiers.type };
  const alsoReads = 'alsoReads' in column ? (column.alsoReads ?? []) : [];
  return {
    ...form,
    qualifier: printable(column.qualifier),
    alsoReads: alsoReads.map((each) => printable(each)),
  };
}

/** Undefined without any. */
function rulesForm(held: SegmentModel | ColumnModel): unknown {
  const { rules } = held;
  const required = 'required' in held ? held.required : undefined;
  const schema = 'schema' in held ? held.schema?.vendor : undefined;
  if (rules === undefined && required === undefined && schema === undefined) return undefined;
  return { ...rules, pattern: rules?.pattern && String(rules.pattern), required, schema };
}

/** A codec that is a class is known by its name, which bundlers change. */
function typeText({ message, codec }: ColumnModel, declared?: ColumnDeclaration): string {
  if (message !== undefined) return `message ${message.name}`;
  const { kind } = declared?.type ?? {};
  return kind === 'custom' || kind === 'message' ? 'custom codec' : codec.kind;
}

function messageForm({ fields }: MessageShape): unknown {
  return byName(fields, (field) => [String(field.number), fieldForm(field)]);
}

function fieldForm({ name, label, mapKey, oneof, type }: FieldShape): unknown {
  return { name, label, mapKey, oneof, ...fieldTypeForm(type) };
}

function fieldTypeForm(type: FieldType): object {
  switch (type.kind) {
    case 'scalar':
      return { type: type.scalar };
    case 'enum':
      return { type: `enum ${type.name}`, values: Object.fromEntries(type.values) };
    case 'message':
      return { type: `message ${type.shape().name}` };
  }
}

function indexForm({ id, unique, covered, segments, entry }: IndexModel): unknown {
  return { id, unique, covered, segments, table: entry.table.name, key: entry.key.spec };
}

function rollupForm({ by, time, width, rows, cells, results }: RollupModel): unknown {
  return {
    by,
    time,
    width,
    table: rows.table.name,
    key: rows.key.spec,
    cells: cells.map(({ family, qualifier }) => `${family}:${printable(qualifier)}`).sort(),
    results: byName(results, ({ name, kind, property, decimals }) => [
      name,
      { kind, property, decimals },
    ]),
  };
}

function copyForms({ source, by, columns }: CopyModel): [string, unknown][] {
  return columns.map(({ from, to }) => [
    to.property,
    { of: `${source.name}.${from.property}`, by: Object.fromEntries(by) },
  ]);
}

/** The value as plain data. Values that JSON does not have become text that names their type. */
function plain(value: unknown): Plain {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (Object.is(value, -0)) return 'number -0';
  if (typeof value === 'number') return Number.isFinite(value) ? value : `number ${value}`;
  if (typeof value === 'bigint') return `bigint ${value}`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object') return typeof value;
  if (isDate(value)) return `Date ${value.getTime()}`;
  if (isBytes(value)) return `bytes ${toHex(value)}`;
  if (Array.isArray(value)) return value.map(plain);
  const entries = isMap(value) ? [...value] : Object.entries(value);
  const given = entries.filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    given
      .map(([name, each]: [unknown, unknown]) => [String(name), plain(each)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
