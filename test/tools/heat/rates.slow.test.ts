/**
 * Findings at the load of a busy cluster, on designs that are published as good and as bad ones
 * (docs.cloud.google.com/bigtable/docs/schema-design). Nothing is an error at a small load.
 */
import {
  type AccessOperation,
  collectAccess,
  heatFindings,
  type HeatFinding,
  nodeShares,
} from '../../../src/tools/heat/index.js';
import { buildModel, type EntityModel } from '../../../src/entities/model/index.js';
import { Column, Entity, type EntityClass, rowKey, Segment } from '../../../src/index.js';
import { busy } from './support/busy.js';
import {
  ByUuid,
  DeviceFirst,
  NewestFirst,
  ReversedSequence,
  Salted,
  Sequence,
  TimeFirst,
} from './support/entities.js';
import { randomOf } from './support/random.js';

@Entity({ table: 'users', families: { u: {} } })
class User {
  static readonly key = rowKey('name');
  @Segment('string') name!: string;
  @Column('u', 'string') city?: string;
}

@Entity({ table: 'orders', families: { o: {} } })
class TenantOrder {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('o', 'double') sum?: number;
}

@Entity({ table: 'events', families: { e: {} } })
class TextTime {
  static readonly key = rowKey('at', 'id');
  @Segment('string') at!: string;
  @Segment('string') id!: string;
  @Column('e', 'double') value?: number;
}

const start = Date.UTC(2026, 0, 5);
const perMinute = 300;
const models = new Map<EntityClass, EntityModel>();

function modelOf(entity: EntityClass): EntityModel {
  const model = models.get(entity) ?? buildModel(entity);
  models.set(entity, model);
  return model;
}

type Kind = AccessOperation['kind'];
function operation(
  entity: EntityClass,
  values: Record<string, unknown>,
  at: number,
  kind: Kind = 'write',
): AccessOperation {
  const { table, key: codec } = modelOf(entity);
  const key = codec.encode(values);
  return { table: table.name, kind, key, bytes: 100, at };
}

const random = randomOf('rates');
const below = (count: number): number => Math.floor(random() * count);
const device = (n: number): string => `device-${String(n).padStart(5, '0')}`;
const uuid = (): string => {
  const hex = (count: number): string =>
    Array.from({ length: count }, () => below(16).toString(16)).join('');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
};

/** Operation `n` of a recording, at a time. */
type Make = (n: number, at: number) => AccessOperation;
interface Recording {
  readonly entity: EntityClass;
  readonly make: Make;
  readonly minutes?: number;
}

/** Findings if each operation stands for `factor`: 300 a minute times 3,000 are 15,000 a second. */
function findings({ entity, make, minutes = 12 }: Recording, factor = 3_000): HeatFinding[] {
  const operations = Array.from({ length: minutes * perMinute }, (_, n) =>
    make(n, start + Math.floor((n * 60_000) / perMinute)),
  );
  const secondsOf = busy(factor);
  return [...heatFindings(collectAccess(operations), { models: [modelOf(entity)], secondsOf })];
}

const good: Readonly<Record<string, Recording>> = {
  'device#time': {
    entity: DeviceFirst,
    make: (_n, at) =>
      operation(DeviceFirst, { device: device(below(1_000)), at: new Date(at) }, at),
  },
  'random UUIDs': { entity: ByUuid, make: (_n, at) => operation(ByUuid, { id: uuid() }, at) },
  'a reversed sequence': {
    entity: ReversedSequence,
    make: (n, at) => operation(ReversedSequence, { id: 100_000 + n }, at),
  },
  'a salted time': {
    entity: Salted,
    make: (_n, at) => operation(Salted, { device: device(below(1_000)), at: new Date(at) }, at),
  },
  '300 users saved in the order of their keys in one window': {
    entity: User,
    make: (n, at) => operation(User, { name: `user-${String(n).padStart(5, '0')}` }, at),
    minutes: 1,
  },
  'a bulk load of five minutes in the order of the keys': {
    entity: Sequence,
    make: (n, at) => operation(Sequence, { id: 500_000 + n }, at),
    minutes: 5,
  },
  'a bulk load before other traffic': {
    entity: User,
    make: (n, at) => {
      const loaded = 3 * perMinute;
      const name = (i: number): string => `user-${String(i).padStart(5, '0')}`;
      if (n < loaded) return operation(User, { name: name(n) }, at);
      return operation(User, { name: name(below(loaded)) }, at, n % 3 === 0 ? 'write' : 'read');
    },
  },
  'scans of the whole table every third minute': {
    entity: DeviceFirst,
    make: (n, at) => {
      const minute = Math.floor(n / perMinute);
      const isScan = minute % 3 === 0 && n % 4 !== 0;
      const chosen = isScan ? Math.floor(((n % perMinute) * 1_000) / perMinute) : below(1_000);
      const values = { device: device(chosen), at: new Date(0) };
      return operation(DeviceFirst, values, at, isScan ? 'scan' : 'read');
    },
  },
  'scans of a tenant that begin at the same key': {
    entity: TenantOrder,
    make: (n, at) => {
      const tenant = `tenant-${String(below(7)).padStart(2, '0')}`;
      if (n % 2 === 0) return operation(TenantOrder, { tenant, id: `${below(1e9)}` }, at);
      const row = operation(TenantOrder, { tenant, id: 'x' }, at, 'scan');
      return { ...row, key: Buffer.from(`${tenant}#`) };
    },
  },
  'fifty rows that are read evenly': {
    entity: User,
    make: (_n, at) => operation(User, { name: device(below(50)) }, at, 'read'),
  },
};

test.each(Object.entries(good))('good: %s', (_name, recording) => {
  const found = findings(recording).filter(({ level }) => level !== 'info');
  expect(found.map(({ kind, problem }) => `${kind}: ${problem}`)).toEqual([]);
});

const zipf = (count: number, exponent: number): (() => number) => {
  const sums: number[] = [];
  for (let rank = 1; rank <= count; rank++) sums.push((sums.at(-1) ?? 0) + rank ** -exponent);
  return () => {
    const chosen = random() * sums[count - 1];
    return sums.findIndex((sum) => sum >= chosen);
  };
};
const busyTenant = zipf(400, 1.4);
// Ranks are not in the order of the names.
const tenantName = (rank: number): string =>
  `tenant-${String((rank * 197) % 400).padStart(3, '0')}`;

const bad: Readonly<Record<string, Recording & { readonly found: string }>> = {
  'the time first': {
    entity: TimeFirst,
    make: (_n, at) => operation(TimeFirst, { at: new Date(at), device: device(below(999)) }, at),
    found: 'error sequentialWrites at',
  },
  'the reversed time first': {
    entity: NewestFirst,
    make: (_n, at) => operation(NewestFirst, { at: new Date(at), device: device(below(999)) }, at),
    found: 'error sequentialWrites at',
  },
  'the time first, in one window': {
    entity: TimeFirst,
    make: (_n, at) => operation(TimeFirst, { at: new Date(at), device: device(below(999)) }, at),
    minutes: 1,
    found: 'error sequentialWrites at',
  },
  'a time as text first, in one window': {
    entity: TextTime,
    make: (n, at) => operation(TextTime, { at: new Date(at).toISOString(), id: String(n) }, at),
    minutes: 1,
    found: 'error sequentialWrites at',
  },
  'a sequence': {
    entity: Sequence,
    make: (n, at) => operation(Sequence, { id: 100_000 + n }, at),
    found: 'error sequentialWrites id',
  },
  'a row that counts': {
    entity: User,
    make: (n, at) => operation(User, { name: n % 2 === 0 ? 'total' : device(below(9_999)) }, at),
    found: 'error hotRow name',
  },
  'reads of a popular row': {
    entity: User,
    make: (_n, at) =>
      operation(User, { name: random() < 0.4 ? 'star' : device(below(9_999)) }, at, 'read'),
    found: 'error hotRow name',
  },
  'two devices on three nodes': {
    entity: DeviceFirst,
    make: (_n, at) => operation(DeviceFirst, { device: device(below(2)), at: new Date(at) }, at),
    found: 'warning writeFronts device',
  },
  'tenants of very different sizes': {
    entity: DeviceFirst,
    make: (_n, at) =>
      operation(DeviceFirst, { device: tenantName(busyTenant()), at: new Date(at) }, at),
    minutes: 40,
    found: 'warning hotRange device',
  },
  'reads of a hot range': {
    entity: DeviceFirst,
    make: (_n, at) => {
      const chosen = random() < 0.9 ? below(100) : below(100_000);
      return operation(DeviceFirst, { device: device(chosen), at: new Date(0) }, at, 'read');
    },
    minutes: 60,
    found: 'warning hotRange device',
  },
};

test.each(Object.entries(bad))('bad: %s', (_name, { found, ...recording }) => {
  const listed = findings(recording).map(
    ({ level, kind, segment }) => `${level} ${kind} ${segment}`,
  );
  expect(listed).toContain(found);
});

test.each(Object.entries({ ...good, ...bad }))(
  '%s: no error below a share of a node',
  (_n, each) => {
    for (const factor of [1, 30, 300, 1_000, 10_000])
      for (const { level, figures, kind } of findings({ ...each, minutes: 3 }, factor))
        if (level !== 'info') {
          const least = level === 'error' ? nodeShares.error : nodeShares.warning;
          expect([kind, figures.load >= least]).toEqual([kind, true]);
        }
  },
);

test('a table with the time first is no error at 0.7 % of a node', () => {
  // 300 a minute are 5 a second.
  const [finding, ...others] = findings(bad['the time first'], (14_000 * 0.007) / 5);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ kind: 'sequentialWrites', level: 'info', table: 'readings' });
  expect(finding.figures.load).toBeCloseTo(0.007, 5);
  expect(finding.problem).toMatch(
    /one node takes them all, up to 0\.7 % of what a node can serve$/,
  );
});

test('the key at which scans begin is no hot row', () => {
  const found = findings(good['scans of a tenant that begin at the same key']);
  expect(found.map(({ kind }) => kind)).not.toContain('hotRow');
});

test('the load of a row is the load of its reads', () => {
  const operations = Array.from({ length: 3_000 }, (_, n) =>
    operation(User, { name: n % 2 === 0 ? 'star' : device(n) }, start + n * 20, 'read'),
  );
  const access = collectAccess(operations);
  const [found] = heatFindings(access, { models: [modelOf(User)] });
  expect(found.figures.load).toBeCloseTo(25 / 17_000, 4);
});

/** 3,000 operations in each of three minutes. */
function levelsOf(make: Make, entity: EntityClass, factor: number): readonly string[] {
  const operations = Array.from({ length: 9_000 }, (_, n) => make(n, start + n * 20));
  const found = heatFindings(collectAccess(operations), {
    models: [modelOf(entity)],
    secondsOf: busy(factor),
    nodes: 100,
  });
  return found.map(({ level, kind, segment }) => `${level} ${kind} ${segment}`);
}

test.each([50, 120])('a row that needs more than a node is an error: one in %i reads', (each) => {
  const make: Make = (n, at) =>
    operation(User, { name: n % each === 0 ? 'star' : device(n) }, at, 'read');
  expect(levelsOf(make, User, 100_000)).toEqual(['error hotRow name']);
  expect(levelsOf(make, User, 100)).not.toContain('error hotRow name');
});

test('sequential writes are found among nine times as many reads', () => {
  const make: Make = (n, at) => {
    const isWrite = n % 10 === 0;
    const time = new Date(isWrite ? at : at - below(86_400_000));
    const values = { at: time, device: device(below(999)) };
    return operation(TimeFirst, values, at, isWrite ? 'write' : 'read');
  };
  expect(levelsOf(make, TimeFirst, 3_000)).toContain('error sequentialWrites at');
});

test('a finding has the keys and windows that show it', () => {
  const [found] = findings({ ...bad['a row that counts'], minutes: 3 });
  const key = new Uint8Array(Buffer.from('total'));
  expect(found.places).toEqual(
    [0, 1, 2].map((minute) => ({ start: start + minute * 60_000, first: key, last: key })),
  );
});
