/**
 * Every invalid use fails twice: at compile time with the messages of the golden file, and at run
 * time with a typed error.
 */
import { open, RowsmithError } from '../../src/index.js';
import { expectGolden } from '../support/golden.js';
import { acceptedByTypeScript7, diagnosticsOfUses, type UseDiagnostics } from './diagnostics';
import {
  Cat,
  Chart,
  invalidDeclarations,
  invalidIndexQueries,
  invalidMaps,
  invalidQueries,
  Order,
  Reading,
  type World,
} from './compile-errors';

const textOf = ({ name, lines }: UseDiagnostics): string =>
  `${name}\n${lines.map((line) => `    ${line}`).join('\n')}\n`;

let legacy: readonly UseDiagnostics[];
let standard: readonly UseDiagnostics[];

beforeAll(() => {
  legacy = diagnosticsOfUses('legacy');
  standard = diagnosticsOfUses('standard');
});

test('the compiler rejects each of them, with these messages', () => {
  expect(legacy.length).toBeGreaterThanOrEqual(20);
  expect(legacy.filter(({ lines }) => lines.length === 0)).toEqual([]);
  expectGolden('compile-errors.txt', legacy.map(textOf).join('\n'));
});

test('with standard decorators, too; these messages differ', () => {
  expect(standard.map(({ name }) => name)).toEqual(legacy.map(({ name }) => name));
  expect(standard.filter(({ lines }) => lines.length === 0)).toEqual([]);
  expectGolden(
    'compile-errors-standard.txt',
    standard
      .map(textOf)
      .filter((text, i) => text !== textOf(legacy[i]))
      .join('\n'),
  );
});

/** The sentences of ours in the compiler's messages. The types around them depend on its options. */
const ownTexts = ({ lines }: UseDiagnostics): readonly string[] => [
  ...new Set(lines.join('\n').match(/(?<=")[^"\n]+ [^"\n]+ [^"\n]+(?=")/g)),
];

/** Only strictNullChecks tells `undefined` from values, and a Promise from nothing. */
const needStrictNullChecks: readonly string[] = [
  'a prefix of an index with undefined',
  'a prefix widened by undefined',
  'oneOf with undefined among the values',
  'where with undefined',
  'an asynchronous hook',
];

test.each(['legacy', 'standard'] as const)(
  'without strict, the compiler rejects the same uses with %s decorators',
  (dialect) => {
    const uses = diagnosticsOfUses(dialect, { strict: false });
    const accepted = uses.filter(({ lines }) => lines.length === 0).map(({ name }) => name);
    expect(accepted).toEqual(needStrictNullChecks);
    const strict = dialect === 'legacy' ? legacy : standard;
    const differing = uses.filter(
      (use, i) => !accepted.includes(use.name) && `${ownTexts(use)}` !== `${ownTexts(strict[i])}`,
    );
    expect(differing.map(textOf).join('\n')).toBe('');
  },
);

test.each(['legacy', 'standard'] as const)(
  'TypeScript 7 rejects each of them with %s decorators, too',
  (dialect) => {
    expect(acceptedByTypeScript7(dialect)).toEqual([]);
  },
);

describe('from JavaScript', () => {
  let world: World;

  beforeAll(async () => {
    const db = await open('memory:', { entities: [Reading, Chart, Order, Cat] });
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
