/** Compares entities with the lock: all changes, and whether stored bytes would be misread. */
import type { FaultTexts } from '../../../base/index.js';
import {
  buildKeyCodec,
  type KeyFormat,
  type KeyPart,
  patternsCollide,
  type SegmentType,
} from '../../../data/key/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { columnChanges } from './column-evolution.js';
import { copyChanges } from './copy-evolution.js';
import { changeOf, type EvolutionChange } from './evolution-rule.js';
import { indexChanges } from './index-evolution.js';
import { rollupChanges } from './rollup-evolution.js';
import { keyChanges } from './key-evolution.js';
import { type Lock, type LockedEntity, type LockedKey, lockOf } from '../lock/lock.js';
import { MessageEvolution } from './message-evolution.js';

/** An entity of a lock with its table and name. */
interface EntityEntry {
  readonly table: string;
  readonly name: string;
  readonly entity: LockedEntity;
}

/**
 * The changes since the lock, incompatible ones first. Pure: the same lock and models have the same
 * changes.
 */
export function checkEvolution(
  lock: Lock,
  models: readonly EntityModel[],
): readonly EvolutionChange[] {
  const now = lockOf(models);
  const messages = new MessageEvolution(lock, now);
  const pairs = pairEntities(lock, models);
  const changes: EvolutionChange[] = [];
  for (const model of models) {
    const before = pairs.get(model);
    if (before === undefined) changes.push(...newEntityChanges(lock, model));
    else changes.push(...entityChanges(before, model, messages));
  }
  const paired = new Set([...pairs.values()].map(({ entity }) => entity));
  for (const { name, entity } of entitiesOf(lock)) {
    if (entity.removed !== true && !paired.has(entity))
      changes.push(changeOf('entity-removed', name, faults.removedEntity(name)));
  }
  changes.push(...familyChanges(lock, now), ...messages.changes());
  return Object.freeze([
    ...changes.filter(({ verdict }) => verdict === 'rejected'),
    ...changes.filter(({ verdict }) => verdict === 'compatible'),
  ]);
}

/** All entities of a lock. */
export function entitiesOf(lock: Lock): readonly EntityEntry[] {
  return Object.entries(lock.tables).flatMap(([table, { entities }]) =>
    Object.entries(entities).map(([name, entity]) => ({ table, name, entity })),
  );
}

/**
 * The locked entity of each model: with the same table and name, else with the same table and key
 * (a renamed class), else with the same name (another table).
 */
export function pairEntities(
  lock: Lock,
  models: readonly EntityModel[],
): ReadonlyMap<EntityModel, EntityEntry> {
  const pairs = new Map<EntityModel, EntityEntry>();
  const unpaired = new Set(entitiesOf(lock));
  const pairBy = (matches: (model: EntityModel, entry: EntityEntry) => boolean): void => {
    for (const model of models) {
      if (pairs.has(model)) continue;
      const entry = [...unpaired].find((each) => matches(model, each));
      if (entry === undefined) continue;
      pairs.set(model, entry);
      unpaired.delete(entry);
    }
  };
  pairBy((model, { table, name }) => table === model.table.name && name === model.name);
  pairBy(
    (model, { table, entity }) =>
      table === model.table.name &&
      keyChanges('', entity.key, lockedEntityOf(model).key).length === 0,
  );
  pairBy((model, { name, entity }) => name === model.name && entity.removed !== true);
  return pairs;
}

function lockedEntityOf(model: EntityModel): LockedEntity {
  return lockOf([model]).tables[model.table.name].entities[model.name];
}

function entityChanges(
  { table, name, entity }: EntityEntry,
  model: EntityModel,
  messages: MessageEvolution,
): EvolutionChange[] {
  const changes: EvolutionChange[] = [];
  if (table !== model.table.name)
    changes.push(
      changeOf(
        'table-changed',
        `${model.name}.table`,
        faults.movedEntity(model.name, table, model.table.name),
      ),
    );
  if (name !== model.name)
    changes.push(changeOf('entity-renamed', model.name, faults.renamedEntity(name, model.name)));
  const now = lockedEntityOf(model);
  changes.push(...markerChanges(model.name, entity, now));
  changes.push(...keyChanges(model.name, entity.key, now.key));
  changes.push(...columnChanges(model.name, entity, now, messages));
  changes.push(...indexChanges(model.name, entity, now));
  changes.push(...rollupChanges(model.name, entity, now));
  changes.push(...copyChanges(model.name, entity, now));
  return changes;
}

function markerChanges(
  entity: string,
  { marker: before }: LockedEntity,
  { marker: after }: LockedEntity,
): EvolutionChange[] {
  if (before === undefined || before === after) return [];
  const now = after === undefined ? 'is removed' : `is in '${after}'`;
  const problem = `the marker was in family '${before}' and ${now}`;
  return [changeOf('marker-removed', `${entity}.marker`, { problem })];
}

/** A new entity must not read the rows of a removed one. */
function newEntityChanges(lock: Lock, model: EntityModel): EvolutionChange[] {
  const changes: EvolutionChange[] = [];
  for (const { table, name, entity } of entitiesOf(lock)) {
    if (table !== model.table.name || entity.removed !== true) continue;
    const collision = keyCollision(name, entity.key, model);
    if (collision === undefined) continue;
    const problem = `keys of ${model.name} can be equal to keys of the removed ${name}: ${collision}`;
    changes.push(changeOf('key-taken', `${model.name}.key`, { problem }));
  }
  const problem = `${model.name} is new in table '${model.table.name}'`;
  changes.push(changeOf('entity-added', model.name, { problem }));
  return changes;
}

/** Why keys of the locked entity and of the model can be equal; undefined if they cannot. */
function keyCollision(
  entity: string,
  { format, parts, shards }: LockedKey,
  model: EntityModel,
): string | undefined {
  const spec = { format: keyFormat(format), parts: parts.map(keyPart), shards };
  const built = buildKeyCodec(spec, entity);
  if ('faults' in built) return undefined;
  return patternsCollide(built.codec, model.key);
}

function keyFormat(format: string): KeyFormat {
  if (format === 'text' || format === 'ordered') return format;
  return { kind: 'delimited', delimiter: format.slice('delimited '.length) };
}

function keyPart(part: LockedKey['parts'][number]): KeyPart {
  if ('literal' in part && typeof part.literal === 'string')
    return { kind: 'literal', text: part.literal };
  const { segment, ...type } = part as { readonly segment: string } & SegmentType;
  return { kind: 'segment', name: segment, type };
}

function familyChanges(before: Lock, after: Lock): EvolutionChange[] {
  const changes: EvolutionChange[] = [];
  for (const [table, { families }] of Object.entries(after.tables)) {
    const lockedFamilies = before.tables[table]?.families;
    if (lockedFamilies === undefined) continue;
    for (const [family, kind] of Object.entries(families)) {
      const was = lockedFamilies[family];
      if (was === kind) continue;
      const at = `${table}.${family}`;
      const name = `family '${family}' of table '${table}'`;
      if (was === undefined) changes.push(changeOf('family-added', at, faults.newFamily(name)));
      else changes.push(changeOf('family-aggregate', at, faults.changedFamily(name, was, kind)));
    }
  }
  return changes;
}

const faults = {
  removedEntity: (name: string) => ({ problem: `no class declares ${name} any more` }),
  movedEntity: (modelName: string, table: string, tableName: string) => ({
    problem: `${modelName} was in table '${table}' and is in '${tableName}'`,
  }),
  renamedEntity: (name: string, modelName: string) => ({ problem: `${name} is now ${modelName}` }),
  newFamily: (name: string) => ({ problem: `${name} is new` }),
  changedFamily: (name: string, was: string, kind: string) => ({
    problem: `${name} was ${was} and is ${kind}`,
  }),
} satisfies FaultTexts;
