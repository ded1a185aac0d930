/**
 * Every invalid use fails twice: at compile time with the messages of the golden file, and at run
 * time with a typed error.
 */
import { open, RowsmithError } from '../../src/index.js';
import { expectGolden } from '../support/golden.js';
import { acceptedByTypeScript7, diagnosticsOfUses } from './diagnostics';
import {
  Chart,
  invalidDeclarations,
  invalidIndexQueries,
  invalidMaps,
  invalidQueries,
  Order,
  Reading,
  type World,
} from './compile-errors';

test('the compiler rejects each of them, with these messages', () => {
  const uses = diagnosticsOfUses();
  expect(uses.length).toBeGreaterThanOrEqual(20);
  expect(uses.filter(({ lines }) => lines.length === 0)).toEqual([]);
  expectGolden(
    'compile-errors.txt',
    uses
      .map(({ name, lines }) => `${name}\n${lines.map((line) => `    ${line}`).join('\n')}\n`)
      .join('\n'),
  );
});

test('TypeScript 7 rejects each of them, too', () => {
  expect(acceptedByTypeScript7()).toEqual([]);
});

describe('from JavaScript', () => {
  let world: World;

  beforeAll(async () => {
    const db = await open('memory:', { entities: [Reading, Chart, Order] });
    world = {
      db,
      readings: db.repository(Reading),
      charts: db.repository(Chart),
      orders: db.repository(Order),
    };
  });
  afterAll(() => world.db.close());

  test.each(
    [...invalidQueries, ...invalidMaps, ...invalidIndexQueries].map(
      ({ name, run }) => [name, run] as const,
    ),
  )('%s throws a typed error', async (_name, run) => {
    const error = await Promise.resolve()
      .then(() => run(world))
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    expect(error).toBeInstanceOf(RowsmithError);
    const { details } = error as RowsmithError;
    expect(details.entity ?? details.faults?.[0].entity).toMatch(/^\w+/);
    expect(details.problem ?? details.faults).toBeTruthy();
    expect(details.fix ?? details.faults?.[0].fix).toBeTruthy();
    expect(await world.readings.scanAll().count()).toBe(0);
  });

  test.each(invalidDeclarations.map(({ name, run }) => [name, run] as const))(
    '%s is reported with a fix',
    async (_name, run) => {
      const error = await Promise.resolve()
        .then(() => run(world))
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      expect(error).toBeInstanceOf(RowsmithError);
      expect((error as RowsmithError).code).toBe('INVALID_DECLARATION');
      expect((error as RowsmithError).explain()).toMatch(/fix: /);
    },
  );
});
