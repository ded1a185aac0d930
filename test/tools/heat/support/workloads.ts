/** 60,000 writes in an hour, by designs of the row key: 1,000 in each minute. */
import type { EntityClass } from '../../../../src/index.js';
import type { AccessOperation } from '../../../../src/tools/heat/index.js';
import { buildModel, type EntityModel } from '../../../../src/entities/model/index.js';
import {
  ByUlid,
  ByUuid,
  DeviceFirst,
  NewestFirst,
  ReversedSequence,
  Salted,
  Sequence,
  TimeFirst,
} from './entities.js';
import { randomOf } from './random.js';

export const workloadStart = Date.UTC(2026, 0, 5);
export const writesPerMinute = 1000;

/** A design and the values of its keys. */
export interface Workload {
  readonly name: string;
  readonly entity: EntityClass;
  /** Values of the segments of write `n`, which is made at `at`. */
  readonly values: (n: number, at: Date) => Record<string, unknown>;
}

const device = (number: number): string => `device-${String(number).padStart(5, '0')}`;

/** A device of so many, at random. */
function anyDevice(name: string, count: number): () => string {
  const random = randomOf(name);
  return () => device(Math.floor(random() * count));
}

/** Users of whom the n-th is chosen in proportion to n^-1.2. */
function zipfUser(): () => string {
  const random = randomOf('zipf');
  const sums: number[] = [];
  for (let rank = 1; rank <= 5000; rank++) sums.push((sums.at(-1) ?? 0) + rank ** -1.2);
  // Ranks are not in the order of the names.
  const names = sums.map(() => random()).map((order, index) => ({ order, index }));
  names.sort((a, b) => a.order - b.order);
  return () => {
    const chosen = random() * sums[sums.length - 1];
    return device(names[sums.findIndex((sum) => sum >= chosen)].index);
  };
}

function hexDigits(random: () => number, count: number): string {
  return Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('');
}

/** A UUID with the given first 12 digits, otherwise random. */
function uuid(random: () => number, version: number, first = hexDigits(random, 12)): string {
  const rest = hexDigits(random, 18);
  const parts = [first.slice(0, 8), first.slice(8), `${version}${rest.slice(0, 3)}`];
  return [...parts, `8${rest.slice(3, 6)}`, rest.slice(6)].join('-');
}

function ulid(random: () => number, at: Date): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  let text = '';
  for (let rest = at.getTime(), i = 0; i < 10; i++, rest = Math.floor(rest / 32))
    text = digits[rest % 32] + text;
  for (let i = 0; i < 16; i++) text += digits[Math.floor(random() * 32)];
  return text;
}

function randomIds(name: string): () => string {
  const random = randomOf(name);
  return () => uuid(random, 4);
}

function oneHotRow(): Workload['values'] {
  const random = randomOf('hot row');
  return () => {
    if (random() < 0.3) return { id: '77777777-7777-4777-8777-777777777777' };
    return { id: uuid(random, 4) };
  };
}

/** All designs. */
export function workloads(): readonly Workload[] {
  const [manyDevices, fewDevices] = [anyDevice('many', 1000), anyDevice('few', 5)];
  const [anywhere, salted] = [anyDevice('anywhere', 1000), anyDevice('salted', 1000)];
  const [user, id, hashed] = [zipfUser(), randomIds('v4'), randomOf('hash')];
  const [v7, sortable] = [randomOf('v7'), randomOf('ulid')];
  const byDevice = (name: string, of: () => string): Workload => ({
    name,
    entity: DeviceFirst,
    values: (_n, at) => ({ device: of(), at }),
  });
  return [
    { name: 'ms#device', entity: TimeFirst, values: (_n, at) => ({ at, device: anywhere() }) },
    {
      name: 'reversed ms first',
      entity: NewestFirst,
      values: (_n, at) => ({ at, device: anywhere() }),
    },
    { name: 'sequential id', entity: Sequence, values: (n) => ({ id: n }) },
    {
      name: 'uuid v7 first',
      entity: ByUuid,
      values: (_n, at) => ({ id: uuid(v7, 7, at.getTime().toString(16).padStart(12, '0')) }),
    },
    { name: 'ulid first', entity: ByUlid, values: (_n, at) => ({ id: ulid(sortable, at) }) },
    { name: 'digit-reversed id', entity: ReversedSequence, values: (n) => ({ id: n }) },
    { name: 'uuid v4', entity: ByUuid, values: () => ({ id: id() }) },
    {
      name: 'hash of the id first',
      entity: DeviceFirst,
      values: (_n, at) => ({ device: hexDigits(hashed, 8), at }),
    },
    byDevice('device#ms (1000 devices)', manyDevices),
    byDevice('device#ms (5 devices)', fewDevices),
    { name: 'salt16#ms', entity: Salted, values: (_n, at) => ({ at, device: salted() }) },
    byDevice('zipf user#ms', user),
    { name: 'one hot row + even', entity: ByUuid, values: oneHotRow() },
  ];
}

/** The model of a workload's entity. */
export function modelOf({ entity }: Workload): EntityModel {
  return buildModel(entity);
}

/** The writes of a workload, in the order of time. */
export function* writesOf(workload: Workload, minutes = 60): Iterable<AccessOperation> {
  const model = modelOf(workload);
  for (let n = 0; n < minutes * writesPerMinute; n++) {
    const at = workloadStart + Math.floor((n * 60_000) / writesPerMinute);
    const key = model.key.encode(workload.values(n, new Date(at)));
    yield { table: model.table.name, kind: 'write', key, bytes: key.length + 8, at };
  }
}
