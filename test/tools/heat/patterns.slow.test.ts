/**
 * Findings on load that is not as regular as the synthetic workloads: late events, updates of new
 * rows, values of different weight, scans, small tables.
 */
import {
  type AccessOperation,
  collectAccess,
  heatFindings,
} from '../../../src/tools/heat/index.js';
import { buildModel, type EntityModel } from '../../../src/entities/model/index.js';
import type { EntityClass } from '../../../src/index.js';
import { DeviceFirst, NewestFirst, Salted, Sequence, TimeFirst } from './support/entities.js';
import { busy } from './support/busy.js';
import { randomOf } from './support/random.js';

const start = Date.UTC(2026, 0, 5);
const perMinute = 400;

/** Makes operation `n`, at a time. */
type Make = (n: number, at: number) => AccessOperation;

function findings(entity: EntityClass, make: Make, { nodes = 3, minutes = 30 } = {}): string[] {
  const operations = Array.from({ length: minutes * perMinute }, (_, n) =>
    make(n, start + Math.floor((n * 60_000) / perMinute)),
  );
  const models = [buildModel(entity)];
  return heatFindings(collectAccess(operations), { models, nodes, secondsOf: busy(3_000) }).map(
    ({ level, kind, segment }) => `${level} ${kind} ${segment}`,
  );
}

const models = new Map<EntityClass, EntityModel>();
function operation(
  entity: EntityClass,
  values: Record<string, unknown>,
  at: number,
  kind: 'read' | 'write' = 'write',
): AccessOperation {
  const model = models.get(entity) ?? buildModel(entity);
  models.set(entity, model);
  const key = model.key.encode(values);
  return { table: model.table.name, kind, key, bytes: key.length + 8, at };
}

const device = (n: number): string => `device-${String(n).padStart(5, '0')}`;

describe('one place that moves with the time', () => {
  test.each([
    ['seconds', 10],
    ['half a minute', 30],
    ['five minutes', 300],
  ])('events that arrive up to %s late', (_text, seconds) => {
    for (const entity of [TimeFirst, NewestFirst]) {
      const random = randomOf(`late ${seconds}`);
      const found = findings(entity, (_n, now) => {
        const at = new Date(now - Math.floor(random() * seconds * 1000));
        return operation(entity, { at, device: device(Math.floor(random() * 1000)) }, now);
      });
      expect(found).toEqual(['error sequentialWrites at']);
    }
  });

  test('new ids among updates of the last hundreds', () => {
    const random = randomOf('updates');
    let last = 100_000;
    const found = findings(Sequence, (_n, now) => {
      const isNew = random() < 0.3;
      if (isNew) last++;
      const id = isNew ? last : last - Math.floor(random() * 300);
      return operation(Sequence, { id }, now);
    });
    expect(found).toEqual(['error sequentialWrites id']);
  });
});

describe('places of different weight', () => {
  const shares = (...weights: number[]): Make => {
    const random = randomOf(`shares ${weights.join()}`);
    return (_n, now) => {
      let left = random();
      const chosen = weights.findIndex((weight) => (left -= weight) < 0);
      return operation(DeviceFirst, { device: device(chosen), at: new Date(now) }, now);
    };
  };

  test.each([
    ['the first', shares(0.9, 0.05, 0.05)],
    ['one in the middle', shares(0.05, 0.9, 0.05)],
    ['the last', shares(0.05, 0.05, 0.9)],
  ])('three devices, of which %s has most writes', (_text, make) => {
    expect(findings(DeviceFirst, make)).toEqual(['warning writeFronts device']);
  });

  test('five even devices between two that are silent', () => {
    const random = randomOf('silent');
    const make: Make = (n, now) => {
      const name = n < 2 ? ['aaa', 'zzz'][n] : device(Math.floor(random() * 5));
      return operation(DeviceFirst, { device: name, at: new Date(now) }, now);
    };
    expect(findings(DeviceFirst, make, { nodes: 3 })).toEqual([]);
    expect(findings(DeviceFirst, make, { nodes: 10 })).toEqual(['warning writeFronts device']);
  });

  test('a busy user at the end of the keys', () => {
    const random = randomOf('busy');
    const make: Make = (_n, now) => {
      const chosen = random() < 0.65 ? 299 : Math.floor(random() * 300);
      return operation(DeviceFirst, { device: device(chosen), at: new Date(now) }, now);
    };
    expect(findings(DeviceFirst, make)).toHaveLength(1);
  });
});

describe('good designs', () => {
  const random = randomOf('good');
  const any = (count: number): string => device(Math.floor(random() * count));
  test.each<[what: string, entity: EntityClass, make: Make, nodes: number]>([
    [
      'each device once a minute, in order',
      DeviceFirst,
      (n, now) => operation(DeviceFirst, { device: device(n % 400), at: new Date(now) }, now),
      3,
    ],
    [
      'twenty devices for three nodes',
      DeviceFirst,
      (_n, now) => operation(DeviceFirst, { device: any(20), at: new Date(now) }, now),
      3,
    ],
    [
      'sixteen shards for ten nodes, with late events',
      Salted,
      (_n, now) =>
        operation(
          Salted,
          { device: any(1000), at: new Date(now - Math.floor(random() * 30_000)) },
          now,
        ),
      10,
    ],
    [
      'fifty rows that are read evenly',
      DeviceFirst,
      (_n, now) => operation(DeviceFirst, { device: any(50), at: new Date(0) }, now, 'read'),
      3,
    ],
    [
      'ten rows that are written evenly',
      DeviceFirst,
      (_n, now) => operation(DeviceFirst, { device: any(10), at: new Date(0) }, now),
      3,
    ],
  ])('%s', (_what, entity, make, nodes) => {
    for (const minutes of [5, 30]) expect(findings(entity, make, { nodes, minutes })).toEqual([]);
  });
});

test('a table of two rows is hot on three nodes', () => {
  const make: Make = (n, now) =>
    operation(DeviceFirst, { device: device(n % 2), at: new Date(0) }, now, 'read');
  expect(findings(DeviceFirst, make, { minutes: 5 })).toEqual([
    'error hotRow at',
    'error hotRow at',
  ]);
});

test('a scan of the table is a remark, not a fault of the keys', () => {
  const make: Make = (n, now) =>
    operation(DeviceFirst, { device: device(n), at: new Date(0) }, now, 'read');
  expect(findings(DeviceFirst, make)).toEqual(['info hotRange device']);
});
