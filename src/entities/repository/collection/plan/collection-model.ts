/** The members of a collection, and whether they can be read in one scan. */
import {
  invalidArgument,
  quotedList,
  type RowsmithError,
  unionRanges,
  valueText,
  type FaultText,
  type FaultTexts,
} from '../../../../base/index.js';
import type { KeyPart } from '../../../../data/key/index.js';
import { type EntityModel, scopedModel, type ScopeValues } from '../../../model/index.js';
import type { RepositoryParts } from '../../repository-parts.js';
import type { ReaderContext } from '../../read/rows/entity-pages.js';
import { ScopeGuard } from '../../scope/scope-guard.js';
import { storagePath } from '../../storage-path.js';

/** An entity of a collection. */
export interface CollectionMember {
  readonly kind: string;
  readonly model: EntityModel;
}

/** A checked collection. */
export interface CollectionModel {
  /** The names of the entities, for messages: `Device, Reading`. */
  readonly name: string;
  /** In the order in which they were given. */
  readonly members: readonly CollectionMember[];
  /** The segments with which all keys begin, without the segments of a scope. */
  readonly shared: readonly string[];
  readonly context: ReaderContext;
}

/**
 * Checks the members and what their keys share. With a scope, they are read inside of it. Throws
 * INVALID_ARGUMENT.
 */
export function collectionModel(
  given: unknown,
  partsOf: (entity: unknown) => RepositoryParts,
  scope?: ScopeValues,
): CollectionModel {
  const kinds = kindsOf(given);
  const parts = kinds.map(([, entity]) => partsOf(entity));
  const name = parts.map(({ model }) => model.name).join(', ');
  const models = parts.map(({ model }) => model);
  assertDistinct(kinds, models);
  assertOneTable(name, models);
  assertNoViews(name, models);
  const shared = sharedSegments(name, kinds, models);
  const { context } = parts[0];
  if (scope === undefined) return { name, context, shared, members: membersOf(kinds, models) };
  const scoped = models.map((model) => scopedModel(model, scope, { wholeKey: true }));
  const ranges = unionRanges(scoped.flatMap(({ key }) => key.scope!.ranges));
  const guard = new ScopeGuard(scoped[0], ranges);
  return {
    name,
    members: membersOf(kinds, scoped),
    shared: shared.filter((segment) => !Object.hasOwn(scope, segment)),
    context: { ...context, engine: storagePath(context.engine, { scope: guard }) },
  };
}

function membersOf(
  kinds: readonly (readonly [string, unknown])[],
  models: readonly EntityModel[],
): readonly CollectionMember[] {
  return kinds.map(([kind], i) => ({ kind, model: models[i] }));
}

function kindsOf(given: unknown): readonly [string, unknown][] {
  const example = 'write collection({ device: Device, readings: Reading })';
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalidArgument('members', faults.wrongMembers(given, example));
  const kinds = Object.entries(given);
  if (kinds.length === 0) throw invalidArgument('members', faults.emptyCollection(example));
  const inherited = kinds.find(([kind]) => kind in Object.prototype);
  if (inherited !== undefined)
    throw invalidArgument(inherited[0], faults.reservedName(inherited[0]));
  return kinds;
}

/** Two classes of one declaration are one entity. */
function assertDistinct(
  kinds: readonly (readonly [string, unknown])[],
  models: readonly EntityModel[],
): void {
  const names = models.map((model) => model.name);
  const twice = kinds.find((_, i) => names.indexOf(names[i]) < i);
  if (twice === undefined) return;
  throw invalidArgument(twice[0], faults.duplicateMember(twice[0]));
}

function assertOneTable(name: string, models: readonly EntityModel[]): void {
  const [{ table }] = models;
  const other = models.find((model) => model.table.name !== table.name);
  if (other === undefined) return;
  throw collectionError(
    name,
    other.name,
    faults.twoTables(other.name, other.table.name, table.name),
  );
}

/** One scan goes to the table, or to one view, which shows rows of one entity. */
function assertNoViews(name: string, models: readonly EntityModel[]): void {
  const found = models.find(({ view }) => view !== undefined);
  if (found === undefined || models.length === 1) return;
  throw collectionError(name, found.name, faults.viewAmongMembers(found.name));
}

/** The names of the segments that all keys begin with, in the same encoding. */
function sharedSegments(
  name: string,
  kinds: readonly (readonly [string, unknown])[],
  models: readonly EntityModel[],
): readonly string[] {
  const [{ key: first }] = models;
  for (const { key, name: entity } of models) {
    const frames = [first, key].map(({ spec: { format, shards } }) =>
      JSON.stringify([format, shards ?? null]),
    );
    if (frames[0] !== frames[1])
      throw collectionError(name, entity, faults.keyFormatMismatch(models[0].name, entity));
  }
  const shared: string[] = [];
  for (let i = 0; ; i++) {
    const parts = models.map(({ key }) => key.spec.parts.at(i));
    const texts = new Set(parts.map(partText));
    const [part] = parts;
    if (texts.size === 1 && part !== undefined) {
      if (part.kind === 'segment') shared.push(part.name);
      continue;
    }
    assertNotContradicting(name, models, parts);
    if (shared.length > 0) return shared;
    throw collectionError(
      name,
      models[parts.findIndex((each) => partText(each) !== partText(part))]?.name ?? name,
      faults.noSharedSegment(
        kinds
          .map(([kind], k) => `the key of '${kind}' begins with ${beginning(models[k])}`)
          .join(', '),
      ),
    );
  }
}

/** Segments of the same name and position, but of other kinds, were meant to be shared. */
function assertNotContradicting(
  name: string,
  models: readonly EntityModel[],
  parts: readonly (KeyPart | undefined)[],
): void {
  const names = parts.map((part) => (part?.kind === 'segment' ? part.name : undefined));
  const [first] = names;
  if (first === undefined || names.some((each) => each !== first)) return;
  const types = parts.map((part) => partText(part));
  const other = types.findIndex((type) => type !== types[0]);
  throw collectionError(
    name,
    first,
    faults.segmentMismatch(first, types[0], models[0].name, types[other], models[other].name),
  );
}

function partText(part: KeyPart | undefined): string {
  if (part === undefined) return 'nothing';
  if (part.kind === 'literal') return `literal('${part.text}')`;
  const options = Object.entries(part.type)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `${part.name} ${JSON.stringify(Object.fromEntries(options))}`;
}

function beginning({ key }: EntityModel): string {
  const [part] = key.spec.parts;
  if (part.kind === 'literal') return `literal('${part.text}')`;
  return `'${part.name}'`;
}

/** An error about what the members have in common. */
export function collectionError(entity: string, property: string, fault: FaultText): RowsmithError {
  return invalidArgument(property, fault, { entity });
}

/** The names of the members, quoted, for a fix. */
export function kindList({ members }: CollectionModel): string {
  return quotedList(members.map(({ kind }) => kind));
}

const faults = {
  wrongMembers: (given: unknown, example: string) => ({
    problem: `collection() takes an object of entity classes, not ${valueText(given)}`,
    fix: example,
  }),
  emptyCollection: (example: string) => ({
    problem: 'a collection has at least one member',
    fix: example,
  }),
  reservedName: (inherited: string) => ({
    problem: `'${inherited}' is a property of every object, and cannot name a member`,
    fix: 'give the member another name',
  }),
  duplicateMember: (twice: string) => ({
    problem: 'the entity is a member already: a row has one kind',
    fix: `leave '${twice}' out`,
  }),
  twoTables: (otherName: string, tableName: string, otherTable: string) => ({
    problem: `${otherName} is in table '${tableName}', and another entity of the collection is in '${otherTable}'`,
    fix: `read ${otherName} with a query of its own, or declare the entities with one table(...)`,
  }),
  viewAmongMembers: (view: string) => ({
    problem: `${view} is an authorized view, which cannot be read in one scan with other entities`,
    fix: 'read it with a query of its own',
  }),
  keyFormatMismatch: (name: string, entity: string) => ({
    problem: `the keys of ${name} and ${entity} are written differently (keyFormat or shards)`,
    fix: 'declare the same keyFormat and shards, or read them with queries of their own',
  }),
  noSharedSegment: (list: string) => ({
    problem: `no shared leading segment: ${list}`,
    fix: 'begin all keys with the same segments, or read the entities with queries of their own',
  }),
  segmentMismatch: (
    first: string,
    type: string,
    modelName: string,
    typeText: string,
    modelName2: string,
  ) => ({
    problem:
      `the entities disagree on the shared segment '${first}': ${type} in ${modelName}, ` +
      `${typeText} in ${modelName2}`,
    fix: 'declare the segment alike in all of them',
  }),
} satisfies FaultTexts;
