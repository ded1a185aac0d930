/** Schemas of zod, valibot and arktype judge what is written, with one report. */
import { Readable } from 'node:stream';
import { importRows } from '../../../../src/tools/index.js';
import type { Repository, RowsmithError } from '../../../../src/index.js';
import { backEnds } from '../support/back-ends.js';
import { offers } from './schema-entities.js';

type Offers = Repository<typeof offers.zod>;
type Issue = { readonly path: string; readonly rule: string; readonly message: string };

const key = { tenant: 'acme', id: '1' };
const good = { ...key, email: 'a@b.co', low: 1, high: 2 };

/** `path rule` of each issue of a call that fails. */
async function issuesOf(call: () => unknown): Promise<string[]> {
  try {
    await call();
  } catch (error) {
    const { code, details } = error as RowsmithError;
    expect(code).toBe('VALIDATION_FAILED');
    return (details.issues as Issue[]).map(({ path, rule }) => `${path} ${rule}`);
  }
  return [];
}

describe.each(Object.entries(offers))('%s', (_name, Offer) => {
  describe.each(backEnds)('on $name', ({ open }) => {
    let opened: Awaited<ReturnType<typeof open>>;
    let repository: Offers;
    beforeEach(async () => {
      opened = await open([Offer]);
      repository = opened.db.repository(Offer);
    });
    afterEach(() => opened.close());

    /** Not checked by create(). */
    const offer = (values: object): InstanceType<typeof Offer> =>
      Object.assign(new Offer(), good, values);
    const bad = {
      tenant: '',
      email: 'a long text and no address',
      low: 3,
      place: { lat: 91, name: 'pole' },
      prices: new Map([
        ['a', 1],
        ['b', -1],
      ]),
      history: [{ at: new Date(1), value: 0 }],
    };
    const all = [
      'tenant minLength',
      'email maxLength',
      'email schema',
      'high schema',
      'history[0].value schema',
      'place.lat schema',
      'prices["b"] schema',
    ];

    test('every call that writes whole rows reports all issues at once, by property', async () => {
      const sorted = async (call: () => unknown): Promise<string[]> =>
        (await issuesOf(call)).sort();
      const expected = [...all].sort();
      expect(await sorted(() => repository.create({ ...good, ...bad }))).toEqual(expected);
      expect(await sorted(() => repository.save(offer(bad)))).toEqual(expected);
      expect(await sorted(() => repository.insert(offer(bad)))).toEqual(expected);
      const issues = await issuesOf(() => repository.save(offer(bad)));
      expect(issues.indexOf('email schema') - issues.indexOf('email maxLength')).toBe(1);
      expect(issues[0]).toBe('tenant minLength');
      const { written, failures } = await repository.saveMany([offer(bad), offer({})]);
      expect(written).toBe(1);
      expect(failures.map(({ error }) => error.code)).toEqual(['VALIDATION_FAILED']);
      expect(await repository.scanAll().count()).toBe(1);
    });

    test('values that satisfy the schemas are stored as they are', async () => {
      const whole = offer({
        place: { lat: 1, name: 'x' },
        prices: new Map([['a', 1]]),
        history: [{ at: new Date(1), value: 2 }],
      });
      await repository.insert(whole);
      const read = await repository.get(key);
      expect(read).toMatchObject({ ...good, prices: whole.prices, history: whole.history });
      expect(read!.place).toMatchObject({ lat: 1, name: 'x' });
      await repository.save(read!);
      expect(repository.fromJSON(repository.toJSON(read!))).toEqual(read);
      expect(await repository.index('byEmail').prefix({ email: 'a@b.co' }).count()).toBe(1);
    });

    test('a patch is judged by the schemas of what it writes, not by the schema of the entity', async () => {
      await repository.insert(repository.create(good));
      const patch = (changes: object, options?: object) => () =>
        repository.patch(key, changes, options);
      expect(await issuesOf(patch({ email: 'none' }))).toEqual(['email schema']);
      expect(await issuesOf(patch({ email: 'none' }, { if: { equals: { low: 1 } } }))).toEqual([
        'email schema',
      ]);
      expect(await issuesOf(patch({ prices: new Map([['x', -2]]) }))).toEqual([
        'prices["x"] schema',
      ]);
      expect(await issuesOf(patch({ place: { lat: 100 } }))).toEqual(['place.lat schema']);
      await repository.patch(key, { low: 9, prices: new Map([['x', null]]), place: null });
      expect(await repository.get(key)).toMatchObject({ low: 9, high: 2 });
      const result = await repository.patchMany([
        { key, changes: { email: 'none' } },
        { key, changes: { email: 'c@d.co' } },
      ]);
      expect(result).toMatchObject({ written: 1, failed: 1 });
    });

    test('fromJSON and imports are judged; imports count the lines', async () => {
      const json = { ...good, email: 'none', high: 0 };
      expect(await issuesOf(() => repository.fromJSON(json))).toEqual([
        'email schema',
        'high schema',
      ]);
      const lines = [json, good].map((each) => `${JSON.stringify(each)}\n`).join('');
      const source = Readable.from([Buffer.from(lines)]);
      const result = await importRows(opened.db.engine, repository.model, source, {
        format: 'jsonl',
      });
      expect(result).toMatchObject({ written: 1, rejected: 1 });
      expect(result.reasons[0].reason).toMatch(/^email: (?!email: )/);
    });

    test('thousands of issues are one error, which names the first ones', async () => {
      const prices = new Map(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, -1]));
      const error = (await repository
        .save(offer({ prices }))
        .catch((each: unknown) => each)) as RowsmithError;
      expect(error.details.issues).toHaveLength(10_000);
      expect(error.details.problem).toMatch(
        /^prices\["p0"\]: .*prices\["p9"\]: .*; and 9990 more$/,
      );
      expect(await repository.exists(key)).toBe(false);
    });
  });
});

test('without validation only declared rules hold', async () => {
  const { db, close } = await backEnds[0].open([offers.zod], { validate: false });
  const repository = db.repository(offers.zod);
  await repository.save(repository.create({ ...good, email: 'none', high: 0 }));
  await repository.patch(key, { email: 'neither' });
  expect(
    await issuesOf(() => repository.save(repository.create({ ...good, email: 'x'.repeat(21) }))),
  ).toEqual(['email maxLength']);
  const source = Readable.from([Buffer.from(`${JSON.stringify({ ...good, email: 'none' })}\n`)]);
  const options = { format: 'jsonl', validate: false } as const;
  expect(await importRows(db.engine, repository.model, source, options)).toMatchObject({
    written: 1,
  });
  await close();
});
