/** Calls that change many rows. */
import { bufferedCounters } from '../../src/index.js';
import type { Item } from './declare.js';
import { type Call, type Caller, type ItemKey, type RowPart, rowOf, tenants } from './calls.js';
import { rowIsNew } from './row-changes.js';
import type { RowChange, Value } from './row-state.js';

type MakeCall = (caller: Caller) => Call;
const plus = (amount: bigint) => (before?: Value) => ((before ?? 0n) as bigint) + amount;

/** Up to three of the keys, each once. */
function someKeys(caller: Caller, keys: readonly ItemKey[]): ItemKey[] {
  const left = [...keys];
  const count = 1 + Math.floor(caller.context.random() * Math.min(3, left.length));
  return Array.from({ length: count }, () => {
    const [key] = left.splice(Math.floor(caller.context.random() * left.length), 1);
    return key;
  });
}

function entities(
  caller: Caller,
  call: 'saveMany' | 'insertMany',
  requires: (entity: Item) => RowChange['requires'],
): Call {
  const target = caller.target();
  const keys = someKeys(caller, target.keys);
  const items = keys.map((key) => caller.entity(target, key));
  return {
    name: `${target.name}${call} ${keys.map(rowOf).join(' ')}`,
    run: () => target.repository[call](items as never),
    parts: items.map((entity, i) => {
      const whole = Object.assign({}, entity, keys[i]);
      return caller.part(keys[i], caller.changes.row(whole, caller.time, requires(entity)), i);
    }),
  };
}

export const saveMany: MakeCall = (caller) =>
  entities(caller, 'saveMany', (entity) => caller.saved(entity));
export const insertMany: MakeCall = (caller) => entities(caller, 'insertMany', () => rowIsNew);

export const patchMany: MakeCall = (caller) => {
  const target = caller.target();
  const keys = someKeys(caller, target.keys);
  const items = keys.map((key) => ({ key: target.key(key), changes: caller.patch() }));
  return {
    name: `${target.name}patchMany ${keys.map(rowOf).join(' ')}`,
    run: () => target.repository.patchMany(items as never),
    parts: items.map(({ changes }, i) =>
      caller.part(keys[i], caller.changes.patch(keys[i].at, changes, caller.time), i),
    ),
  };
};

/** Writes and removes. */
export const patchManyAll: MakeCall = (caller) => {
  const target = caller.target();
  const keys = someKeys(caller, target.keys);
  const items = keys.map((key) => ({
    key: target.key(key),
    changes: { total: 6n },
    remove: ['status'],
  }));
  const columns = new Map<string, Value | undefined>([
    ['total', 6n],
    ['status', undefined],
  ]);
  return {
    name: `${target.name}patchMany all ${keys.map(rowOf).join(' ')}`,
    run: () => target.repository.patchMany(items as never),
    parts: keys.map((key, i) =>
      caller.part(key, caller.changes.cells(key.at, columns, caller.time), i),
    ),
  };
};

export const incrementMany: MakeCall = (caller) => {
  const target = caller.target();
  const keys = someKeys(caller, target.keys);
  const { amounts, columns } = caller.amounts();
  const items = keys.map((key) => ({ key: target.key(key), changes: amounts }));
  return {
    name: `${target.name}incrementMany ${keys.map(rowOf).join(' ')}`,
    run: () => target.repository.incrementMany(items as never),
    parts: keys.map((key, i) =>
      caller.part(key, caller.changes.steps(key.at, columns, caller.time), i),
    ),
  };
};

export const deleteMany: MakeCall = (caller) => {
  const target = caller.target();
  const keys = someKeys(caller, target.keys);
  return {
    name: `${target.name}deleteMany ${keys.map(rowOf).join(' ')}`,
    run: () => target.repository.deleteMany(keys.map(target.key)),
    parts: keys.map((key, i) => caller.part(key, caller.changes.delete(caller.time), i)),
  };
};

function deletions(caller: Caller, keys: readonly ItemKey[]): RowPart[] {
  return keys.map((key) => caller.part(key, caller.changes.delete(caller.time)));
}

export const deletionOfPrefix: MakeCall = (caller) => {
  const { program, declared, allKeys } = caller.context;
  const tenant = caller.pick(tenants);
  return {
    name: `delete of prefix ${tenant}`,
    run: () =>
      program.db
        .repository(declared.Item)
        .prefix({ tenant } as never)
        .delete(),
    parts: deletions(
      caller,
      allKeys.filter((key) => key.tenant === tenant),
    ),
    isScan: true,
    readsFirst: true,
  };
};

export const deleteFound: MakeCall = (caller) => {
  const { program, declared, keys, allKeys } = caller.context;
  const { tenant, at } = caller.pick(keys);
  const query = program.db.repository(declared.Item).prefix({ tenant } as never);
  return {
    name: `delete of what is found in ${tenant} since ${at.toISOString()}`,
    run: () =>
      (
        query as unknown as {
          since: (name: string, at: Date) => { delete: () => Promise<unknown> };
        }
      )
        .since('at', at)
        .delete(),
    parts: deletions(
      caller,
      allKeys.filter((key) => key.tenant === tenant && key.at >= at),
    ),
    isScan: true,
    readsFirst: true,
  };
};

/** Additions of buffered counters, which are written when they are closed. */
export const buffered: MakeCall = (caller) => {
  const target = caller.target();
  const keys = someKeys(caller, target.keys);
  const { amounts, columns } = caller.amounts();
  const [column] = columns.keys();
  const [name] = Object.keys(amounts);
  const run = async (): Promise<unknown> => {
    const counters = bufferedCounters(target.repository as never, { flushEvery: 100_000 });
    for (const key of [...keys, ...keys])
      await (counters as { add: (key: unknown, amounts: unknown) => unknown }).add(
        target.key(key),
        amounts,
      );
    const { failed, unknown } = (await counters.close()) as unknown as BufferedResult;
    const failures = (list: BufferedResult['failed'], mayBeWritten: boolean): unknown[] =>
      list.map(({ key, error }) => ({
        index: keys.findIndex(
          (each) =>
            each.id === key.id &&
            each.at.getTime() === key.at.getTime() &&
            (key.tenant ?? each.tenant) === each.tenant,
        ),
        error,
        mayBeWritten,
      }));
    return { failures: [...failures(failed, false), ...failures(unknown, true)] };
  };
  const twice = (before?: Value): Value => {
    const once = columns.get(column)!;
    return once(once(before));
  };
  return {
    name: `${target.name}buffered ${name} ${keys.map(rowOf).join(' ')}`,
    run,
    readsFirst: true,
    parts: keys.map((key, i) =>
      caller.part(key, caller.changes.steps(key.at, new Map([[column, twice]]), caller.time), i),
    ),
  };
};

interface BufferedResult {
  readonly failed: readonly { readonly key: ItemKey; readonly error: unknown }[];
  readonly unknown: readonly { readonly key: ItemKey; readonly error: unknown }[];
}

/** The same for sums, with requests of many rows. */
export const bufferedSums: MakeCall = (caller) => {
  const target = caller.target();
  const keys = someKeys(caller, target.keys);
  const run = async (): Promise<unknown> => {
    const counters = bufferedCounters(target.repository as never, { flushEvery: 100_000 });
    for (const key of keys)
      await (counters as { add: (key: unknown, amounts: unknown) => unknown }).add(
        target.key(key),
        { views: 4n },
      );
    const { failed, unknown } = (await counters.close()) as unknown as BufferedResult;
    const index = ({ id, at, tenant }: ItemKey): number =>
      keys.findIndex(
        (each) =>
          each.id === id &&
          each.at.getTime() === at.getTime() &&
          (tenant ?? each.tenant) === each.tenant,
      );
    return {
      failures: [
        ...failed.map(({ key, error }) => ({ index: index(key), error, mayBeWritten: false })),
        ...unknown.map(({ key, error }) => ({ index: index(key), error, mayBeWritten: true })),
      ],
    };
  };
  return {
    name: `${target.name}buffered views ${keys.map(rowOf).join(' ')}`,
    run,
    readsFirst: true,
    parts: keys.map((key, i) =>
      caller.part(
        key,
        caller.changes.steps(key.at, new Map([['views', plus(4n)]]), caller.time),
        i,
      ),
    ),
  };
};
