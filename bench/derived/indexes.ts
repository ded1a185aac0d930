/**
 * `npm run bench -- bench/derived/indexes.ts`: what indexes cost. One save after the other, 500 of
 * them in one call, with 0, 1 and 3 indexes, and queries of 100 rows, beside the same by hand
 * without any guarantee; in memory, on disk, and live to our server and Google's emulator in
 * processes of their own. Options: --only NAME (memory, disk, ours, emulator), --json.
 */
import { Column, Entity, Segment } from '../../decorators/index.js';
import { indexOn, indexes, literal, rowKey, uniqueIndexOn } from '../../src/index.js';
import type { Database } from '../../src/index.js';
import { interleave, type Variant } from '../interleave.js';
import { benchOptions, Results } from '../results.js';
import { measureBackEnds } from './back-ends.js';

const families = { m: { gc: { kind: 'maxVersions', versions: 1 } as const } };

@Entity({ table: 'plain', families })
class Plain {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('uint', { max: 9_999_999 }) id!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'timestamp') placedAt?: Date;
  @Column('m', 'string') email?: string;
  @Column('m', 'int64') total?: bigint;
}

@Entity({ table: 'one', families })
class One extends Plain {
  static readonly indexes = indexes({
    byStatus: indexOn('tenant', 'status', 'placedAt').including('total'),
  });
}

@Entity({ table: 'three', families })
class Three extends Plain {
  static readonly indexes = indexes({
    byStatus: indexOn('tenant', 'status', 'placedAt').including('total'),
    byPlaced: indexOn('tenant', { segment: 'placedAt', order: 'desc' }),
    byEmail: indexOn('email'),
  });
}

@Entity({ table: 'unique', families })
class Unique extends Plain {
  static readonly indexes = indexes({ byEmail: uniqueIndexOn('tenant', 'email') });
}

/** The entries of One, as they are written by hand. */
@Entity({ table: 'by_hand', families })
class StatusEntry {
  static readonly key = rowKey(literal('status'), 'tenant', 'status', 'placedAt', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') status!: string;
  @Segment('timestamp') placedAt!: Date;
  @Segment('uint', { max: 9_999_999 }) id!: number;
  @Column('m', 'int64') total?: bigint;
}

const entities = [Plain, One, Three, Unique, StatusEntry];
const options = benchOptions(process.argv.slice(2), 1000);
const wants = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const results = new Results(options);
const singleCalls = 100;
const batchRows = 500;
const queryRows = 100;
const queryCalls = 20;
let nextId = 0;

type Values = Pick<Plain, 'tenant' | 'id' | 'status' | 'placedAt' | 'email' | 'total'>;

function valuesOf(id: number): Required<Values> {
  const placedAt = new Date(Date.UTC(2026, 0, 1) + id * 1000);
  const status = ['open', 'paid', 'sent'][id % 3];
  return { tenant: 'acme', id, status, placedAt, email: `${id}@example.org`, total: BigInt(id) };
}

function variantsOf(db: Database): Variant[] {
  const classes: Readonly<Record<string, typeof Plain>> = {
    'no index': Plain,
    '1 index': One,
    '3 indexes': Three,
    unique: Unique,
  };
  const variants = Object.entries(classes).flatMap(([name, entity]): Variant[] => {
    const repository = db.repository(entity);
    return [
      {
        name: `save.${name}`,
        run: () => eachOf((values) => repository.save(repository.create(values))),
      },
      {
        name: `saveMany.${name}`,
        async run() {
          const rows = Array.from({ length: batchRows }, () =>
            repository.create(valuesOf(nextId++)),
          );
          const { failures } = await repository.saveMany(rows);
          if (failures.length > 0) throw failures[0].error;
          return batchRows;
        },
      },
    ];
  });
  return [...variants, ...byHand(db)];
}

/** A row and its entry in two writes: a crash between them, or another writer, leaves them apart. */
function byHand(db: Database): Variant[] {
  const rows = db.repository(Plain);
  const entries = db.repository(StatusEntry);
  const entryOf = ({ email: _email, ...values }: Required<Values>) => entries.create(values);
  return [
    {
      name: 'save.by hand',
      run: () =>
        eachOf(async (values) => {
          const old = await rows.get(values);
          await rows.save(rows.create(values));
          if (old !== undefined) await entries.delete(entryOf(old as Required<Values>));
          await entries.save(entryOf(values));
        }),
    },
    {
      name: 'saveMany.by hand',
      async run() {
        const all = Array.from({ length: batchRows }, () => valuesOf(nextId++));
        await rows.getMany(all);
        await rows.saveMany(all.map((values) => rows.create(values)));
        await entries.saveMany(all.map(entryOf));
        return batchRows;
      },
    },
  ];
}

async function eachOf(save: (values: Required<Values>) => Promise<void>): Promise<number> {
  for (let i = 0; i < singleCalls; i++) await save(valuesOf(nextId++));
  return singleCalls;
}

/** 100 rows by their status: found through the index, from the entries alone, and by hand. */
function queriesOf(db: Database): Variant[] {
  const rows = db.repository(One);
  const found = (query: () => Promise<readonly object[]>) => async () => {
    for (let i = 0; i < queryCalls; i++)
      if ((await query()).length !== queryRows) throw new Error('There are too few rows.');
    return queryCalls;
  };
  const prefix = { tenant: 'acme', status: 'open' };
  const index = rows.index('byStatus').prefix(prefix).limit(queryRows);
  const covered = rows.index('byStatus').covered().prefix(prefix).limit(queryRows);
  return [
    { name: 'query.verified', run: found(() => index.all()) },
    { name: 'query.covered', run: found(() => covered.all()) },
    {
      name: 'query.by hand',
      run: found(async () => {
        const entries = db.repository(StatusEntry).prefix(prefix).limit(queryRows);
        return (await db.repository(Plain).getMany(await entries.all())) as object[];
      }),
    },
  ];
}

async function measure(name: string, db: Database): Promise<void> {
  const timings = await interleave(variantsOf(db), 9, 2);
  for (const call of ['save', 'saveMany']) {
    const plain = timings.get(`${call}.no index`)!;
    for (const what of ['no index', '1 index', '3 indexes', 'unique', 'by hand'])
      results.addTiming(`${name}.${call}.${what}`, timings.get(`${call}.${what}`)!, 'us', {
        with: plain,
        of: 'no index',
      });
  }
  const queries = await interleave(queriesOf(db), 9, 2);
  for (const what of ['by hand', 'verified', 'covered'])
    results.addTiming(`${name}.query.${what}`, queries.get(`query.${what}`)!, 'us', {
      with: queries.get('query.by hand')!,
      of: 'by hand',
    });
  await db.close();
}

await measureBackEnds(entities, wants, measure);
process.exit(results.finish({}));
