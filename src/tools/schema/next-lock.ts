/** The lock after a release: current declarations, and removed ones. */
import type { EntityModel } from '../../entities/model/index.js';
import { readsCellsOf } from './evolution/column-evolution.js';
import { entitiesOf, pairEntities } from './evolution/evolution.js';
import {
  entriesByName,
  type Lock,
  type LockedColumn,
  type LockedEnum,
  type LockedMessage,
  lockOf,
  type MutableTable,
  type MutableTables,
} from './lock/lock.js';

/**
 * The lock that records the models. Removed declarations stay, marked as removed. Nothing is
 * checked: call checkEvolution first.
 */
export function nextLock(lock: Lock, models: readonly EntityModel[]): Lock {
  const now = lockOf(models);
  return {
    version: now.version,
    tables: nextTables(lock, now, models),
    messages: merged(lock.messages, now.messages, nextMessage),
    enums: merged(lock.enums, now.enums, nextEnum),
  };
}

/** The entries of both; for entries of `now`, the result of `next`. */
function merged<T>(
  before: Readonly<Record<string, T>>,
  now: Readonly<Record<string, T>>,
  next: (was: T | undefined, is: T) => T,
): Record<string, T> {
  const changed = Object.entries(now).map(([name, is]): [string, T] => [
    name,
    next(before[name], is),
  ]);
  return entriesByName([...Object.entries(before), ...changed]);
}

function nextTables(lock: Lock, now: Lock, models: readonly EntityModel[]): Lock['tables'] {
  const tables: MutableTables = entriesByName();
  const tableOf = (name: string): MutableTable => {
    const families = { ...lock.tables[name]?.families, ...now.tables[name]?.families };
    tables[name] ??= {
      families: entriesByName(Object.entries(families)),
      entities: entriesByName(),
    };
    return tables[name];
  };
  const pairs = pairEntities(lock, models);
  const replaced = new Set(
    [...pairs]
      .filter(([model, { table }]) => model.table.name === table)
      .map(([, { entity }]) => entity),
  );
  for (const { table, name, entity } of entitiesOf(lock))
    if (!replaced.has(entity)) tableOf(table).entities[name] = { removed: true, ...entity };
  for (const model of models) {
    const table = model.table.name;
    const entity = now.tables[table].entities[model.name];
    const pair = pairs.get(model);
    let earlier: readonly LockedColumn[] = [];
    if (pair?.table === table) earlier = pair.entity.columns;
    const columns = nextColumns(earlier, entity.columns);
    const indexes = withRemoved(pair?.entity.indexes, entity.indexes);
    const rollups = withRemoved(pair?.entity.rollups, entity.rollups);
    tableOf(table).entities[model.name] = { ...entity, columns, indexes, rollups };
  }
  return tables;
}

/** What the next lock records of indexes or rollups: removed ones stay. */
function withRemoved<T>(
  before: Readonly<Record<string, T>> | undefined,
  now: Readonly<Record<string, T>> | undefined,
): Readonly<Record<string, T>> | undefined {
  if (before === undefined) return now;
  const removed = Object.entries(before)
    .filter(([name]) => now?.[name] === undefined)
    .map(([name, each]): [string, T] => [name, { ...each, removed: true }]);
  return entriesByName([...Object.entries(now ?? {}), ...removed]);
}

function nextColumns(
  before: readonly LockedColumn[],
  now: readonly LockedColumn[],
): LockedColumn[] {
  const replaces = (is: LockedColumn, was: LockedColumn): boolean =>
    readsCellsOf(is, was) && (is.qualifier === was.qualifier || is.type !== was.type);
  // A column that was replaced by one with another type is forgotten: the change was accepted.
  const removed = before.filter((was) => !now.some((is) => replaces(is, was)));
  return [...now, ...removed.map((was): LockedColumn => ({ ...was, removed: true }))];
}

function nextMessage(was: LockedMessage | undefined, is: LockedMessage): LockedMessage {
  const earlier = Object.entries({ ...was?.reserved, ...was?.fields });
  const reserved = earlier.filter(([number]) => is.fields[number] === undefined);
  if (reserved.length === 0) return { fields: is.fields };
  return { fields: is.fields, reserved: Object.fromEntries(reserved) };
}

function nextEnum(was: LockedEnum | undefined, is: LockedEnum): LockedEnum {
  const numbers = new Set(Object.values(is.values));
  const earlier = Object.entries({ ...was?.reserved, ...was?.values });
  const reserved = earlier.filter(
    ([member, number]) => is.values[member] === undefined && !numbers.has(number),
  );
  if (reserved.length === 0) return { values: is.values };
  return { values: is.values, reserved: entriesByName(reserved) };
}

/** Numbers and names that a message or an enum must not reuse, as for `reserved` in `.proto`. */
export interface ReservedNumbers {
  /** Ascending. */
  readonly numbers: readonly number[];
  /** Sorted; without names that are in use again. */
  readonly names: readonly string[];
}

/** What the lock reserves for a message or an enum; empty lists if it contains neither. */
export function reservedOf(lock: Lock, fullName: string): ReservedNumbers {
  const message = lock.messages[fullName];
  if (message !== undefined) {
    const names = Object.values(message.fields).map(({ name }) => name);
    const entries = Object.entries(message.reserved ?? {});
    return reservedEntries(
      entries.map(([number, { name }]) => [Number(number), name]),
      names,
    );
  }
  const { values = {}, reserved = {} } = lock.enums[fullName] ?? {};
  return reservedEntries(
    Object.entries(reserved).map(([name, number]) => [number, name]),
    Object.keys(values),
  );
}

function reservedEntries(
  entries: readonly (readonly [number: number, name: string])[],
  namesInUse: readonly string[],
): ReservedNumbers {
  const numbers = new Set(entries.map(([number]) => number));
  const names = new Set(entries.map(([, name]) => name));
  for (const name of namesInUse) names.delete(name);
  return { numbers: [...numbers].sort((a, b) => a - b), names: [...names].sort() };
}
