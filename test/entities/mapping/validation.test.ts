import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  IsDefined,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import {
  Column,
  ColumnMap,
  type Database,
  Entity,
  Field,
  Message,
  open,
  Packed,
  RepeatedField,
  type Repository,
  rowKey,
  RowsmithError,
  Segment,
  type Version,
  Versions,
} from '../../../src/index.js';
import { buildLinkedPackage } from '../../support/linked-package.js';

@Message('validation.Position')
class Position {
  @Field(1, 'double') @Min(-90) @Max(90) lat?: number;
}

@Message('validation.Status')
class Status {
  @Field(1, 'string') @IsString() firmware?: string;
  @Field(2, () => Position) @IsOptional() @ValidateNested() position?: Position;
  @RepeatedField(3, () => Position) @IsOptional() @ValidateNested() track?: Position[];
}

@Entity({ table: 'validated', families: { m: {}, s: {}, p: {}, h: {} } })
class Reading {
  static readonly key = rowKey('tenant', 'n');
  @Segment('string') @Length(2, 4) tenant!: string;
  @Segment('uint') n!: number;
  @Column('m', 'double') @IsDefined() @IsNumber() @Max(100, { message: 'too hot' }) temperature?:
    number | null;
  @Column('m', 'string') @IsOptional() @Length(1, 3) note?: string | null;
  @Packed('s', () => Status) @IsOptional() @ValidateNested() status?: Status;
  /** The rules of the message apply even without @ValidateNested. */
  @Packed('s', () => Status) bare?: Status;
  @ColumnMap('p', () => Position) places?: Map<string, Position>;
  @Versions('h', () => Position) track?: Version<Position>[];
}

const key = { tenant: 'acme', n: 1 };
let db: Database;
let readings: Repository<typeof Reading>;
beforeEach(async () => {
  db = await open('memory:', { entities: [Reading] });
  readings = db.repository(Reading);
});
afterEach(() => db.close());

const issuesOf = async (write: Promise<unknown>): Promise<string[]> => {
  const error = (await write.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as RowsmithError | undefined;
  if (error === undefined) return [];
  expect(error).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: { entity: 'Reading', rowKey: expect.any(String) as string },
  });
  return (error.details.issues as { path: string; rule: string }[])
    .map(({ path, rule }) => `${path} ${rule}`)
    .sort();
};

/** Contains class instances, as required by the rules of class-validator. */
const status = (lat: number, track: number[] = []): Status =>
  Object.assign(new Status(), {
    firmware: '1',
    position: Object.assign(new Position(), { lat }),
    track: track.map((each) => Object.assign(new Position(), { lat: each })),
  });

test('an entity that satisfies the rules is written', async () => {
  const reading = readings.create({
    ...key,
    temperature: 20,
    note: 'ok',
    status: status(45, [1, 2]),
    bare: status(5),
    places: new Map([['home', { lat: 1 }]]),
    track: [{ at: new Date(1), value: { lat: 2 } }],
  });
  await readings.save(reading);
  const { track, ...rest } = status(5);
  const position = (lat: number): Position => Object.assign(new Position(), { lat });
  expect(await readings.get(key)).toEqual(
    Object.assign(reading, {
      bare: Object.assign(new Status(), rest),
      places: new Map([['home', position(1)]]),
      track: [{ at: new Date(1), value: position(2) }],
    }),
  );
  expect(track).toEqual([]);
});

test('every violated rule is reported with its path, and nothing is written', async () => {
  const bad = readings.create({
    tenant: 'a',
    n: 1,
    note: 'long note',
    status: status(91, [0, -91]),
    bare: { position: { lat: 1 } },
    places: new Map([
      ['home', { lat: 1 }],
      ['moon', { lat: 300 }],
    ]),
    track: [
      { at: new Date(2), value: { lat: 2 } },
      { at: new Date(1), value: { lat: 99 } },
    ],
  });
  const issues = [
    'bare.firmware isString',
    'note isLength',
    'places["moon"].lat max',
    'status.position.lat max',
    'status.track[1].lat min',
    'temperature isDefined',
    'temperature isNumber',
    'temperature max',
    'tenant isLength',
    'track[1].value.lat max',
  ];
  expect(await issuesOf(readings.save(bad))).toEqual(issues);
  expect(await issuesOf(readings.insert(bad))).toEqual(issues);
  const { written, failures } = await readings.saveMany([
    bad,
    readings.create({ ...key, temperature: 1 }),
  ]);
  expect({ written, failed: failures.map(({ index, error }) => [index, error.code]) }).toEqual({
    written: 1,
    failed: [[0, 'VALIDATION_FAILED']],
  });
  expect(await readings.scanAll().keysOnly().all()).toEqual([key]);
});

test('rules are checked before the codecs, with their own messages', async () => {
  const error = (await readings
    .save(Object.assign(new Reading(), { ...key, temperature: 'warm' }))
    .catch((thrown: unknown) => thrown)) as RowsmithError;
  expect(error.code).toBe('VALIDATION_FAILED');
  expect(error.details.problem).toMatch('too hot');
  await expect(
    readings.save(Object.assign(new Reading(), { ...key, n: -1, temperature: 1 })),
  ).rejects.toMatchObject({ code: 'INVALID_KEY' });
});

test('the entity is written as it was at the time of the call', async () => {
  const reading = readings.create({ ...key, temperature: 20 });
  const saved = readings.save(reading);
  reading.temperature = 30;
  await saved;
  expect((await readings.get(key))?.temperature).toBe(20);
});

describe('a patch', () => {
  test('checks only the rules of the properties it writes', async () => {
    expect(await issuesOf(readings.patch(key, { note: 'ok' }))).toEqual([]);
    expect(await issuesOf(readings.patch(key, { note: 'long note' }))).toEqual(['note isLength']);
    expect(await issuesOf(readings.patch(key, { temperature: 101, note: 'ok' }))).toEqual([
      'temperature max',
    ]);
    expect(await issuesOf(readings.patch({ tenant: 'a', n: 1 }, { note: 'ok' }))).toEqual([
      'tenant isLength',
    ]);
    expect(await readings.scanAll().all()).toEqual([{ ...key, note: 'ok' }]);
  });

  test('writes complete messages, so all of their rules apply', async () => {
    expect(
      await issuesOf(
        readings.patch(key, { status: Object.assign(new Status(), { position: { lat: 1 } }) }),
      ),
    ).toContain('status.firmware isString');
    expect(await issuesOf(readings.patch(key, { bare: {} }))).toEqual(['bare.firmware isString']);
    expect(
      await issuesOf(
        readings.patch(key, {
          places: new Map([
            ['home', null],
            ['moon', { lat: 91 }],
          ]),
        }),
      ),
    ).toEqual(['places["moon"].lat max']);
  });

  test('deletes optional columns, but not required ones', async () => {
    await readings.save(readings.create({ ...key, temperature: 20, note: 'x' }));
    expect(await issuesOf(readings.patch(key, { note: null }))).toEqual([]);
    expect(await issuesOf(readings.patch(key, { temperature: null }))).toEqual([
      'temperature isDefined',
      'temperature isNumber',
      'temperature max',
    ]);
    expect(await readings.get(key)).toEqual({ ...key, temperature: 20 });
  });
});

test('validate: false ignores the rules', async () => {
  const lax = await open('memory:', { entities: [Reading], validate: false });
  await lax.repository(Reading).save(readings.create({ tenant: 'a', n: 1, note: 'long note' }));
  expect(await lax.repository(Reading).scanAll().count()).toBe(1);
  await lax.close();
});

test('class-validator is not loaded for entities without rules', () => {
  const linked = buildLinkedPackage();
  const program = (before: string) => `
    import { createRequire } from 'node:module';
    import { column, defineEntity, open, rowKey } from '${linked}/dist/esm/src/index.js';
    ${before}
    class Plain { id; n; }
    defineEntity(Plain, { table: 't', families: { m: {} }, key: rowKey('id'), segments: { id: 'string' }, columns: { n: column('m', 'double') } });
    const db = await open('memory:', { entities: [Plain] });
    await db.repository(Plain).save(Object.assign(new Plain(), { id: 'a', n: 1 }));
    console.log(String(Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('class-validator'))));
    await db.close();`;
  const run = (before: string) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', program(before)], {
      cwd: join(__dirname, '../../..'),
      encoding: 'utf8',
    }).trim();
  expect(run('')).toBe('false');
  // The check detects the package if it is loaded.
  expect(run(`import 'class-validator';`)).toBe('true');
  rmSync(linked, { recursive: true });
});
