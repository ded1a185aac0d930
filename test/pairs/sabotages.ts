/** Ways to break each stage, which the histories have to notice. */
import { everyKey } from '../../src/base/index.js';
import { IndexStates, PendingWrites } from '../../src/entities/derived/index.js';
import { RowTurns } from '../../src/entities/derived/write/row-turns.js';
import type { Engine, Mutation, RowMutation, Stage } from '../../src/data/store/index.js';
import type { DatabaseParts } from '../../src/entities/repository/index.js';
import type { Feature } from './features.js';
import type { Broken } from './run-history.js';
import { WrappedEngine, type WriteHooks } from './wrapped-engine.js';

export interface Sabotage extends Broken {
  /** What is broken, after the name of its stage. */
  readonly name: string;
  readonly features: readonly Feature[];
  /** Calls at the same time, for what few orders of requests show; default: 1 to 3. */
  readonly calls?: number;
  /** Breaks the hook of the class. */
  readonly breaksHook?: boolean;
  /** Breaks a class of the library; returns what mends it. */
  readonly breaks?: () => () => void;
  /** Cells that expire stay in the storage: programs have to hide them. */
  readonly collectsLate?: boolean;
}

/** By the tables that the declaration names: see `declare`. */
const isMain = (table: string): boolean => /^t\d+$/.test(table);
const isMoved = (table: string): boolean => table.endsWith('_moved');
const isTable = (suffix: string) => (table: string) => table.endsWith(suffix);

function broken(hooks: WriteHooks): (engine: Engine) => Engine {
  return (engine) => new WrappedEngine(engine, hooks);
}

/** Drops mutations of a table from plain and conditional writes. */
function without(
  isIn: (table: string) => boolean,
  isDropped: (mutation: Mutation) => boolean,
): (engine: Engine) => Engine {
  const kept = (mutations: readonly Mutation[] | undefined): readonly Mutation[] | undefined =>
    mutations?.filter((each) => !isDropped(each));
  return broken({
    row(table, row) {
      if (!isIn(table)) return row;
      const mutations = kept(row.mutations) as RowMutation['mutations'];
      return mutations.length === 0 ? undefined : { ...row, mutations };
    },
    check(table, check) {
      if (!isIn(table)) return check;
      const [onTrue, onFalse] = [kept(check.onTrue), kept(check.onFalse)];
      if ((onTrue ?? []).length + (onFalse ?? []).length === 0) return undefined;
      return { ...check, onTrue, onFalse };
    },
  });
}

/** Replaces methods of a class. */
function replaces<T extends object>(prototype: T, methods: Partial<T>): () => () => void {
  return () => {
    const kept = Object.keys(methods).map((name) => [name, prototype[name as keyof T]] as const);
    Object.assign(prototype, methods);
    return () => void Object.assign(prototype, Object.fromEntries(kept));
  };
}

const nothing: Stage = {};
/** Passes each request twice. */
const twice = (stage: Stage): Stage => ({
  read: (request, send) => stage.read!(request, (again) => stage.read!(again, send)),
  write: (request, send) =>
    stage.write!(request, ((again: typeof request) => stage.write!(again, send)) as typeof send),
});

const isSet = ({ kind }: Mutation): boolean => kind === 'setCell';
const isDeletion = ({ kind }: Mutation): boolean => kind.startsWith('delete');
const anything = (): boolean => true;

function showsExpired(parts: DatabaseParts): DatabaseParts {
  return { ...parts, hideExpired: undefined };
}

/** One of some writes. */
function oneOf(count: number): () => boolean {
  let i = 0;
  return () => i++ % count === 0;
}

export const sabotages: readonly Sabotage[] = [
  {
    name: 'ready: an index answers while its entries are made',
    features: ['index', 'hooks'],
    breaks: replaces(IndexStates.prototype, { assertReady: () => Promise.resolve() }),
  },
  {
    name: 'observed: nothing is reported',
    features: ['index', 'hooks'],
    parts: (parts) => ({ ...parts, observation: parts.observation && (() => nothing) }),
  },
  {
    name: 'observed: each request is reported twice',
    features: ['dates', 'hooks'],
    parts: ({ observation, ...parts }) => ({
      ...parts,
      observation: observation && ((entity) => twice(observation(entity))),
    }),
  },
  {
    name: 'awaited: closing stops writes between two requests',
    features: ['index', 'covered'],
    breaks: replaces(PendingWrites.prototype, { write: (request, send) => send(request) }),
  },
  {
    name: 'recorded: requests for entries are not recorded',
    features: ['index', 'hooks'],
    parts: ({ recorded, ...parts }) => ({
      ...parts,
      recorded: recorded && {
        ...nothing,
        read: (request, send) => recorded.read!(request, send),
        write: (request, send) =>
          isMain(request.table) ? recorded.write!(request, send) : send(request),
      },
    }),
  },
  { name: 'complete: the hook does not run', features: ['hooks'], breaksHook: true },
  {
    name: 'complete: no revision is set',
    features: ['revision', 'hooks'],
    engine: without(
      isMain,
      (each) => each.kind === 'setCell' && Buffer.from(each.qualifier).toString() === 'revision',
    ),
  },
  {
    name: 'complete: no marker is written',
    features: ['marker', 'hooks'],
    engine: without(
      isMain,
      (each) => each.kind === 'setCell' && each.value.length === 0 && each.qualifier.length === 0,
    ),
  },
  {
    name: 'send: one of five writes is lost',
    features: ['hooks', 'dates'],
    engine: (engine) => {
      const isLost = oneOf(5);
      return broken({ row: (table, row) => (isMain(table) && isLost() ? undefined : row) })(engine);
    },
  },
  {
    name: 'send: the last row of a batch is lost',
    features: ['hooks', 'dates'],
    engine: broken({ rows: (table, rows) => (isMain(table) ? rows.slice(0, -1) : rows) }),
  },
  {
    name: 'send: conditions are not looked at',
    features: ['hooks', 'revision'],
    engine: broken({ isUnconditional: isMain }),
  },
  {
    name: 'send: increments are made twice',
    features: ['counters', 'hooks'],
    engine: broken({ steps: 2 }),
  },
  {
    name: 'commit: its condition is not looked at',
    features: ['index', 'copies'],
    engine: broken({ isUnconditional: isMain }),
  },
  {
    name: 'commit: it is not the newest',
    features: ['index', 'unique'],
    engine: without(isMain, ({ kind }) => kind === 'deleteFromColumn'),
  },
  {
    name: 'index, prepare: no entry is written',
    features: ['index', 'hooks'],
    engine: without(isTable('_index'), isSet),
  },
  {
    name: 'index, settle: no entry is deleted',
    features: ['index', 'covered'],
    engine: without(isTable('_index'), isDeletion),
  },
  {
    name: 'unique, prepare: a value that is taken is taken again',
    features: ['unique', 'hooks'],
    engine: broken({ isUnconditional: isTable('_index') }),
  },
  {
    name: 'rollup: neither marks nor totals are written',
    features: ['rollup', 'hooks'],
    engine: without(isTable('_rollup'), anything),
  },
  {
    name: 'rollup, settle: marks that are gone are added again',
    features: ['rollup', 'hooks'],
    calls: 4,
    engine: broken({
      isUnconditional: (table, { onTrue }) => isTable('_rollup')(table) && onTrue !== undefined,
    }),
  },
  {
    name: 'copies: no mark is written',
    features: ['copies', 'hooks'],
    engine: without(isTable('_copies'), anything),
  },
  {
    name: 'read: ranges are not kept',
    features: ['scopes', 'hooks'],
    engine: broken({ read: (plan) => ({ ...plan, ranges: [everyKey] }) }),
  },
  {
    name: 'expired: nothing is hidden',
    features: ['maxAge', 'hooks'],
    collectsLate: true,
    parts: showsExpired,
  },
  {
    name: 'expired: nothing is hidden from writes',
    features: ['maxAge', 'index'],
    collectsLate: true,
    parts: (parts, name) => (name === undefined ? parts : showsExpired(parts)),
  },
  {
    name: 'turns: calls of one program overtake each other',
    features: ['index', 'hooks'],
    breaks: replaces(RowTurns.prototype, {
      isBusy: () => false,
      take: (_, write) => write(),
    }),
  },
  {
    name: 'import: it resumes after the next line',
    features: ['resume', 'hooks'],
    position: (stored) => stored.replace(/"line":(\d+)/, (_, line) => `"line":${Number(line) + 1}`),
  },
  {
    name: 'migrate: the last row of a batch is lost',
    features: ['migrate', 'hooks'],
    engine: broken({ rows: (table, rows) => (isMoved(table) ? rows.slice(0, -1) : rows) }),
  },
  {
    name: 'migrate: rows have no entries',
    features: ['migrate', 'index'],
    engine: without(isTable('_moved_index'), isSet),
  },
];
