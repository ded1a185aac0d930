/**
 * The entities as they are now against the lock: every change, and whether stored bytes would be
 * misread.
 */
import {
  buildKeyCodec,
  type KeyFormat,
  type KeyPart,
  patternsCollide,
  type SegmentType,
} from '../key/index.js';
import type { EntityModel } from '../model/index.js';
import { columnChanges } from './column-evolution.js';
import { changeOf, type EvolutionChange } from './evolution-rule.js';
import { keyChanges } from './key-evolution.js';
import { type Lock, type LockedEntity, type LockedKey, lockOf } from './lock.js';
import { MessageEvolution } from './message-evolution.js';

/** An entity of a lock with its table and name. */
interface Placed {
  readonly table: string;
  readonly name: string;
  readonly entity: LockedEntity;
}

/**
 * What changed since the lock, refusals first. Pure: the same lock and models give the same list.
 */
export function checkEvolution(
  lock: Lock,
  models: readonly EntityModel[],
): readonly EvolutionChange[] {
  const now = lockOf(models);
  const messages = new MessageEvolution(lock, now);
  const pairs = pairEntities(lock, models);
  const found: EvolutionChange[] = [];
  for (const model of models) {
    const before = pairs.get(model);
    found.push(
      ...(before === undefined
        ? newEntityChanges(lock, model)
        : entityChanges(before, model, messages)),
    );
  }
  const paired = new Set([...pairs.values()].map(({ entity }) => entity));
  for (const { name, entity } of entitiesOf(lock)) {
    if (entity.removed !== true && !paired.has(entity))
      found.push(changeOf('entity-removed', name, `no class declares ${name} any more`));
  }
  found.push(...familyChanges(lock, now), ...messages.changes());
  return Object.freeze([
    ...found.filter(({ verdict }) => verdict === 'refused'),
    ...found.filter(({ verdict }) => verdict === 'compatible'),
  ]);
}

/** Every entity of a lock. */
export function entitiesOf(lock: Lock): readonly Placed[] {
  return Object.entries(lock.tables).flatMap(([table, { entities }]) =>
    Object.entries(entities).map(([name, entity]) => ({ table, name, entity })),
  );
}

/**
 * The locked entity of each model: by table and name, else by table and key (a renamed class), else
 * by name (another table).
 */
export function pairEntities(
  lock: Lock,
  models: readonly EntityModel[],
): ReadonlyMap<EntityModel, Placed> {
  const pairs = new Map<EntityModel, Placed>();
  const free = new Set(entitiesOf(lock));
  const pair = (suits: (model: EntityModel, placed: Placed) => boolean): void => {
    for (const model of models) {
      if (pairs.has(model)) continue;
      const found = [...free].find((placed) => suits(model, placed));
      if (found === undefined) continue;
      pairs.set(model, found);
      free.delete(found);
    }
  };
  pair((model, { table, name }) => table === model.table.name && name === model.name);
  pair(
    (model, { table, entity }) =>
      table === model.table.name &&
      keyChanges('', entity.key, lockedEntityOf(model).key).length === 0,
  );
  pair((model, { name, entity }) => name === model.name && entity.removed !== true);
  return pairs;
}

function lockedEntityOf(model: EntityModel): LockedEntity {
  return lockOf([model]).tables[model.table.name].entities[model.name];
}

function entityChanges(
  { table, name, entity }: Placed,
  model: EntityModel,
  messages: MessageEvolution,
): EvolutionChange[] {
  const found: EvolutionChange[] = [];
  if (table !== model.table.name)
    found.push(
      changeOf(
        'table-changed',
        `${model.name}.table`,
        `${model.name} was in table '${table}' and is in '${model.table.name}'`,
      ),
    );
  if (name !== model.name)
    found.push(changeOf('entity-renamed', model.name, `${name} is now ${model.name}`));
  if (entity.marker !== undefined && entity.marker !== model.marker?.family) {
    found.push(
      changeOf(
        'marker-removed',
        `${model.name}.marker`,
        `the marker was in family '${entity.marker}' and is ${model.marker === undefined ? 'gone' : `in '${model.marker.family}'`}`,
      ),
    );
  }
  const now = lockedEntityOf(model);
  return [
    ...found,
    ...keyChanges(model.name, entity.key, now.key),
    ...columnChanges(model.name, entity, now, messages),
  ];
}

/** A new entity must not read what a removed one left behind. */
function newEntityChanges(lock: Lock, model: EntityModel): EvolutionChange[] {
  const removed = entitiesOf(lock).filter(
    ({ table, entity }) => table === model.table.name && entity.removed === true,
  );
  const taken = removed.flatMap(({ name, entity }) => {
    const built = buildKeyCodec(
      {
        format: formatOf(entity.key.format),
        parts: entity.key.parts.map(keyPart),
        ...(entity.key.shards === undefined ? {} : { shards: entity.key.shards }),
      },
      name,
    );
    const collision = 'faults' in built ? undefined : patternsCollide(built.codec, model.key);
    return collision === undefined
      ? []
      : [
          changeOf(
            'key-taken',
            `${model.name}.key`,
            `keys of ${model.name} can be those of the removed ${name}: ${collision}`,
          ),
        ];
  });
  return [
    ...taken,
    changeOf('entity-added', model.name, `${model.name} is new in table '${model.table.name}'`),
  ];
}

function formatOf(format: string): KeyFormat {
  return format === 'text' || format === 'ordered'
    ? format
    : { kind: 'delimited', delimiter: format.slice('delimited '.length) };
}

function keyPart(part: LockedKey['parts'][number]): KeyPart {
  if ('literal' in part && typeof part.literal === 'string')
    return { kind: 'literal', text: part.literal };
  const { segment, ...type } = part as { readonly segment: string } & SegmentType;
  return { kind: 'segment', name: segment, type };
}

function familyChanges(before: Lock, after: Lock): EvolutionChange[] {
  return Object.entries(after.tables).flatMap(([table, { families }]) => {
    const were = before.tables[table]?.families;
    if (were === undefined) return [];
    return Object.entries(families).flatMap(([family, kind]) => {
      const at = `${table}.${family}`;
      if (were[family] === undefined)
        return [changeOf('family-added', at, `family '${family}' of table '${table}' is new`)];
      return were[family] === kind
        ? []
        : [
            changeOf(
              'family-aggregate',
              at,
              `family '${family}' of table '${table}' was ${were[family]} and is ${kind}`,
            ),
          ];
    });
  });
}
