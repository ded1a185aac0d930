/** Calls that change one row. */
import { hasSums } from './declare.js';
import { type Call, type Caller, rowOf } from './calls.js';
import { rowExists, rowIsNew } from './row-changes.js';
import type { Value } from './row-state.js';

type MakeCall = (caller: Caller) => Call;
const plus = (amount: bigint) => (before?: Value) => ((before ?? 0n) as bigint) + amount;

export const save: MakeCall = (caller) => {
  const target = caller.target();
  const key = caller.pick(target.keys);
  const entity = caller.entity(target, key);
  const change = caller.changes.row(
    Object.assign({}, entity, key),
    caller.time,
    caller.saved(entity),
  );
  return {
    name: `${target.name}save ${rowOf(key)}`,
    run: () => target.repository.save(entity),
    parts: [caller.part(key, change)],
  };
};

/** The counters of a row in its JSON. */
interface Counted {
  readonly hits?: unknown;
  readonly views?: unknown;
}

/** Of an entity that was read, now or some calls ago. */
export const saveRead: MakeCall = (caller) => {
  const { context, changes, time } = caller;
  const key = caller.pick(context.keys);
  const read = context.read(rowOf(key));
  if (read === undefined) return save(caller);
  const repository = context.program.db.repository(context.declared.Item);
  // fromJSON() refuses counters, which save() leaves as they are.
  const { hits: _hits, views: _views, ...json } = repository.toJSON(read as never) as Counted;
  const entity = repository.fromJSON(json);
  entity.total = (entity.total ?? 0n) + 10n;
  const change = changes.row(entity, time, caller.saved(entity));
  return {
    name: `save of a read ${rowOf(key)}`,
    run: () => repository.save(entity),
    parts: [caller.part(key, change)],
  };
};

export const insert: MakeCall = (caller) => {
  const target = caller.target();
  const key = caller.pick(target.keys);
  const entity = caller.entity(target, key);
  return {
    name: `${target.name}insert ${rowOf(key)}`,
    run: () => target.repository.insert(entity),
    parts: [
      caller.part(key, caller.changes.row(Object.assign({}, entity, key), caller.time, rowIsNew)),
    ],
  };
};

export const patch: MakeCall = (caller) => {
  const target = caller.target();
  const key = caller.pick(target.keys);
  const changes = caller.patch();
  return {
    name: `${target.name}patch ${rowOf(key)} ${Object.keys(changes).join()}`,
    run: () => target.repository.patch(target.key(key), changes),
    parts: [caller.part(key, caller.changes.patch(key.at, changes, caller.time))],
  };
};

export const patchIf: MakeCall = (caller) => {
  const target = caller.target();
  const key = caller.pick(target.keys);
  const changes = caller.patch();
  const status = caller.pick(['open', 'new']);
  const [condition, requires] = caller.pick([
    [{ equals: { status } }, caller.changes.hasStatus(status)] as const,
    [{ exists: true }, rowExists] as const,
    [{ exists: false }, rowIsNew] as const,
  ]);
  return {
    name: `${target.name}patch ${rowOf(key)} ${Object.keys(changes).join()} if ${JSON.stringify(condition)}`,
    run: () => target.repository.patch(target.key(key), changes, { if: condition }),
    parts: [caller.part(key, caller.changes.patch(key.at, changes, caller.time, requires))],
  };
};

/** Writes, removes and adds. */
export const patchAll: MakeCall = (caller) => {
  const target = caller.target();
  const key = caller.pick(target.keys);
  const columns = new Map<string, Value | undefined | ((before: Value | undefined) => Value)>([
    ['total', 4n],
    ['code', undefined],
  ]);
  const beside: Record<string, unknown> = { remove: ['code'] };
  if (hasSums(caller.features)) {
    beside.add = { views: 2n };
    columns.set('views', plus(2n));
  }
  return {
    name: `${target.name}patch ${rowOf(key)} all`,
    run: () => target.repository.patch(target.key(key), { total: 4n }, beside),
    parts: [caller.part(key, caller.changes.cells(key.at, columns, caller.time))],
  };
};

/** Removes all columns: a row without a marker is gone. */
export const clear: MakeCall = (caller) => {
  const target = caller.target();
  const key = caller.pick(target.keys);
  const remove = ['status', 'code', 'total', 'note', 'log'];
  if (caller.features.has('copies')) remove.push('owner');
  const columns = new Map(remove.map((column) => [column, undefined]));
  // A family of a map is deleted whatever the times of its cells.
  const replacesMaps = caller.features.has('columnMap');
  if (replacesMaps) remove.push('tags');
  const change = { ...caller.changes.cells(key.at, columns, caller.time), replacesMaps };
  return {
    name: `${target.name}clear ${rowOf(key)}`,
    run: () => target.repository.patch(target.key(key), {}, { remove } as never),
    parts: [caller.part(key, change)],
  };
};

export const append: MakeCall = (caller) => {
  const target = caller.target();
  const key = caller.pick(target.keys);
  const columns = new Map([['log', (before?: Value) => `${before ?? ''}+`]]);
  return {
    name: `${target.name}append ${rowOf(key)}`,
    run: () => target.repository.append(target.key(key), { log: '+' }),
    parts: [caller.part(key, caller.changes.steps(key.at, columns, caller.time))],
  };
};

export const increment: MakeCall = (caller) => {
  const target = caller.target();
  const key = caller.pick(target.keys);
  if (hasSums(caller.features) && caller.context.random() < 0.5)
    return {
      name: `${target.name}increment ${rowOf(key)} views`,
      run: () => target.repository.increment(target.key(key), 'views' as never, 3n as never),
      parts: [
        caller.part(key, caller.changes.steps(key.at, new Map([['views', plus(3n)]]), caller.time)),
      ],
    };
  const { amounts, columns } = caller.amounts();
  return {
    name: `${target.name}increment ${rowOf(key)} ${Object.keys(amounts).join()}`,
    run: () => target.repository.increment(target.key(key), amounts as never),
    parts: [caller.part(key, caller.changes.steps(key.at, columns, caller.time))],
  };
};

export const remove: MakeCall = (caller) => {
  const target = caller.target();
  const key = caller.pick(target.keys);
  return {
    name: `${target.name}delete ${rowOf(key)}`,
    run: () => target.repository.delete(target.key(key)),
    parts: [caller.part(key, caller.changes.delete(caller.time))],
  };
};

export const removeRead: MakeCall = (caller) => {
  const { context, changes, time } = caller;
  const key = caller.pick(context.keys);
  const read = context.read(rowOf(key));
  if (read === undefined) return remove(caller);
  const repository = context.program.db.repository(context.declared.Item);
  return {
    name: `delete of a read ${rowOf(key)}`,
    run: () => repository.delete(read),
    parts: [caller.part(key, changes.delete(time, changes.hasRevision(read.revision)))],
  };
};

/** Reads and saves: the total is one more than it was. */
export const update: MakeCall = (caller) => {
  const target = caller.target();
  const key = caller.pick(target.keys);
  const columns = new Map<string, (before: Value | undefined) => Value>([['total', plus(1n)]]);
  const change = caller.changes.update(key.at, columns, caller.time, rowExists);
  return {
    name: `${target.name}update ${rowOf(key)}`,
    run: () =>
      target.repository.update(target.key(key), (entity) => {
        entity.total = (entity.total ?? 0n) + 1n;
      }),
    parts: [caller.part(key, change)],
    readsFirst: true,
    isRefused: (result) => result === undefined,
  };
};
