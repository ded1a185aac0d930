/** The lock after a release: what is declared now, and what was declared once. */
import type { EntityModel } from '../model/index.js';
import { reaches } from './column-evolution.js';
import { entitiesOf, pairEntities } from './evolution.js';
import {
  type Lock,
  type LockedColumn,
  type LockedEntity,
  type LockedEnum,
  type LockedMessage,
  lockOf,
} from './lock.js';

/**
 * The lock that records the models. Nothing is checked: ask checkEvolution first. What was removed
 * stays, marked as such.
 */
export function nextLock(lock: Lock, models: readonly EntityModel[]): Lock {
  const now = lockOf(models);
  return {
    version: now.version,
    tables: nextTables(lock, now, models),
    messages: joined(lock.messages, now.messages, nextMessage),
    enums: joined(lock.enums, now.enums, nextEnum),
  };
}

/** Entries of both; those of `now` by what was there before. */
function joined<T>(
  before: Readonly<Record<string, T>>,
  now: Readonly<Record<string, T>>,
  next: (was: T | undefined, is: T) => T,
): Record<string, T> {
  return {
    ...before,
    ...Object.fromEntries(Object.entries(now).map(([name, is]) => [name, next(before[name], is)])),
  };
}

function nextTables(lock: Lock, now: Lock, models: readonly EntityModel[]): Lock['tables'] {
  const tables: Record<
    string,
    {
      families: Record<string, 'plain' | 'sum' | 'min' | 'max'>;
      entities: Record<string, LockedEntity>;
    }
  > = {};
  const tableOf = (name: string): (typeof tables)[string] =>
    (tables[name] ??= {
      families: { ...lock.tables[name]?.families, ...now.tables[name]?.families },
      entities: {},
    });
  const pairs = pairEntities(lock, models);
  const renamed = new Set(
    [...pairs]
      .filter(([model, { table }]) => model.table.name === table)
      .map(([, { entity }]) => entity),
  );
  for (const { table, name, entity } of entitiesOf(lock))
    if (!renamed.has(entity)) tableOf(table).entities[name] = { removed: true, ...entity };
  for (const model of models) {
    const is = now.tables[model.table.name].entities[model.name];
    const was = pairs.get(model);
    const earlier = was === undefined || was.table !== model.table.name ? [] : was.entity.columns;
    tableOf(model.table.name).entities[model.name] = {
      ...is,
      columns: nextColumns(earlier, is.columns),
    };
  }
  return tables;
}

function nextColumns(
  before: readonly LockedColumn[],
  now: readonly LockedColumn[],
): LockedColumn[] {
  // What another kind of value has replaced was accepted: nothing is to be read there as it was.
  const gone = before.filter(
    (was) =>
      !now.some(
        (is) => reaches(is, was) && (is.qualifier === was.qualifier || is.type !== was.type),
      ),
  );
  return [...now, ...gone.map((was): LockedColumn => ({ ...was, removed: true }))];
}

function nextMessage(was: LockedMessage | undefined, is: LockedMessage): LockedMessage {
  const earlier = { ...was?.reserved, ...was?.fields };
  const reserved = Object.fromEntries(
    Object.entries(earlier).filter(([number]) => is.fields[number] === undefined),
  );
  return { fields: is.fields, ...(Object.keys(reserved).length === 0 ? {} : { reserved }) };
}

function nextEnum(was: LockedEnum | undefined, is: LockedEnum): LockedEnum {
  const numbers = new Set(Object.values(is.values));
  const reserved = Object.fromEntries(
    Object.entries({ ...was?.reserved, ...was?.values }).filter(
      ([member, number]) => is.values[member] === undefined && !numbers.has(number),
    ),
  );
  return { values: is.values, ...(Object.keys(reserved).length === 0 ? {} : { reserved }) };
}

/** What a message or an enum must not use again, as `.proto` files say it. */
export interface Reserved {
  /** Ascending. */
  readonly numbers: readonly number[];
  /** Sorted; without names that are in use again. */
  readonly names: readonly string[];
}

/** What the lock reserves in a message or an enum; empty lists where it knows none. */
export function reservedOf(lock: Lock, fullName: string): Reserved {
  const message = lock.messages[fullName];
  const members = lock.enums[fullName];
  const inUse = new Set(
    message === undefined
      ? Object.keys(members?.values ?? {})
      : Object.values(message.fields).map(({ name }) => name),
  );
  const entries: [number, string][] =
    message === undefined
      ? Object.entries(members?.reserved ?? {}).map(([name, number]) => [number, name])
      : Object.entries(message.reserved ?? {}).map(([number, { name }]) => [Number(number), name]);
  return {
    numbers: [...new Set(entries.map(([number]) => number))].sort((a, b) => a - b),
    names: [...new Set(entries.map(([, name]) => name))].filter((name) => !inUse.has(name)).sort(),
  };
}
