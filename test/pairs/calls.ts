/** The random calls of a history, each with the changes of rows that it asks for. */
import type { KeyedRepository } from '../../src/types.js';
import type { Declared, Item, ItemClass } from './declare.js';
import type { FeatureSet } from './features.js';
import type { Program } from './program.js';
import { both, type CallTime, ItemChanges, type Patch } from './row-changes.js';
import type { RowChange, Value } from './row-state.js';

export type ItemKey = { readonly tenant: string; readonly at: Date; readonly id: number };
export type Repository = KeyedRepository<Item, ItemClass['key'], ItemClass>;

/** What becomes of one row; `item` is the index in the list of a call for many rows. */
export interface RowPart {
  readonly row: string;
  readonly change: RowChange;
  readonly item?: number;
}

export interface Call {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  readonly parts: readonly RowPart[];
  /** Whether what it finds depends on calls at the same time. */
  readonly isScan?: boolean;
  /** Whether it begins with something else than its writes: these have no turn yet. */
  readonly readsFirst?: boolean;
  /** Whether its requests do not pass the repositories of its program. */
  readonly isBelow?: boolean;
  /** Whether it is stopped, and then its changes are made again, with the same time. */
  readonly isTwice?: boolean;
  /** Whether its result says that its condition did not hold. */
  readonly isRefused?: (result: unknown) => boolean;
}

/** What a call may be made of. */
export interface Context {
  readonly declared: Declared;
  readonly program: Program;
  readonly random: () => number;
  readonly keys: readonly ItemKey[];
  /** Also keys that are not written any more. */
  readonly allKeys: readonly ItemKey[];
  /** The rows as they were read last, and some that were read earlier. */
  readonly read: (row: string) => Item | undefined;
}

export const rowOf = ({ tenant, at, id }: ItemKey): string => `${tenant}/${at.toISOString()}/${id}`;
export const tenants = ['a', 'b'];

/** A repository, in a scope or not, and how it takes keys. */
export interface Target {
  readonly repository: Repository;
  readonly key: (key: ItemKey) => ItemKey;
  readonly keys: readonly ItemKey[];
  readonly name: string;
}

export class Caller {
  readonly context: Context;
  readonly features: FeatureSet;
  readonly changes: ItemChanges;
  readonly time: CallTime;

  constructor(context: Context) {
    this.context = context;
    this.features = context.declared.features;
    this.changes = new ItemChanges(this.features);
    this.time = context.program.callTime();
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.context.random() * values.length)];
  }

  /** In half of the calls a scope, if there are any. */
  target(): Target {
    const { program, declared, keys } = this.context;
    if (!this.features.has('scopes') || this.context.random() < 0.5) {
      const repository = program.db.repository(declared.Item);
      return { repository, keys, key: (key) => key, name: '' };
    }
    const tenant = this.pick(tenants);
    const scope = program.db.scope({ tenant });
    return {
      repository: scope.repository(declared.Item as never) as unknown as Repository,
      keys: keys.filter((key) => key.tenant === tenant),
      key: ({ at, id }) => ({ at, id }) as ItemKey,
      name: `scope ${tenant}: `,
    };
  }

  /** Whether storage adds to cells that have expired: no stage hides them from its requests. */
  stepsSeeExpired(): boolean {
    return this.context.program.storage.collectsLate === true && this.features.has('maxAge');
  }

  /** The values of a new row. */
  values(): Partial<Item> {
    const values: Partial<Item> = {
      status: this.pick([
        'open',
        'paid',
        undefined,
        ...(this.features.has('hooks') ? [' OPEN '] : []),
      ]),
      code: this.pick(['x', 'y', undefined]),
      total: this.pick([1n, 2n, 5n, undefined]),
      note: this.pick(['n', 'm']),
    };
    if (this.features.has('copies')) values.owner = this.pick(['o1', 'o2', undefined]);
    if (this.features.has('columnMap'))
      values.tags = this.pick([
        undefined,
        new Map([['p', 1n]]),
        new Map([
          ['p', 2n],
          ['q', 3n],
        ]),
      ]);
    return values;
  }

  entity({ repository, key }: Target, itemKey: ItemKey): Item {
    return repository.create({ ...key(itemKey), ...this.values() });
  }

  patch(): Patch {
    const values = this.values();
    const names = this.context.random() < 0.5 ? (['note'] as const) : undefined;
    const all = ['status', 'code', 'total', 'note', 'owner', 'tags'] as const;
    const patch: Record<string, unknown> = {};
    for (const name of names ?? [this.pick(all), this.pick(all)]) {
      if (!(name in values)) continue;
      const value = values[name];
      if (name === 'status' && this.features.has('hooks'))
        patch.status = this.pick(['open', 'paid']);
      else
        patch[name] =
          name === 'tags'
            ? this.pick([new Map([['p', null]]), new Map([['q', 7n]])])
            : (value ?? null);
    }
    if (Object.keys(patch).length === 0) patch.note = 'm';
    return patch;
  }

  /** Changes of counters and entries of maps, with what they make of the values before. */
  amounts(): { amounts: Record<string, unknown>; columns: Map<string, (before?: Value) => Value> } {
    const plus = (amount: bigint) => (before?: Value) => ((before ?? 0n) as bigint) + amount;
    const columns = new Map<string, (before?: Value) => Value>();
    const amounts: Record<string, unknown> = {};
    const names: string[] = [];
    if (this.features.has('counters')) names.push('hits');
    if (this.features.has('columnMap')) names.push('tags');
    const name = this.pick(names);
    if (name === 'tags') {
      amounts.tags = new Map([['p', 3n]]);
      columns.set('tags:p', plus(3n));
    } else {
      amounts[name] = 2n;
      columns.set(name, plus(2n));
    }
    return { amounts, columns };
  }

  /** On which condition `save` of an entity is made. */
  saved(entity: Item, condition?: Parameters<typeof both>[0]): ReturnType<typeof both> | undefined {
    const revision = this.changes.hasRevision(entity.revision);
    if (revision === undefined) return condition;
    return condition === undefined ? revision : both(revision, condition);
  }

  part(key: ItemKey, change: RowChange, item?: number): RowPart {
    return { row: rowOf(key), change, item };
  }
}
