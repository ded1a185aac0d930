/**
 * Compiled with `strict` and without it, with both kinds of decorators, and run. Without
 * strictNullChecks an optional property and a required one differ in the `?` alone, and undefined is
 * assignable to everything.
 */
import {
  Column,
  Entity,
  Segment,
  column,
  copies,
  copyOf,
  defineEntity,
  indexOn,
  indexes,
  open,
  rowKey,
  type Database,
  type Repository,
} from 'rowsmith';

@Entity({ table: 'users', families: { p: {} } })
export class User {
  static readonly key = rowKey('tenant', 'user', 'device');

  @Segment('string') tenant!: string;
  @Segment('string') user!: string;
  @Segment('uint') device!: number;

  @Column('p', 'string') name!: string;
  @Column('p', 'string') nick?: string;
}

@Entity({ table: 'visits', families: { p: {} } })
export class Visit {
  static readonly key = rowKey('tenant', 'user', 'at');
  static readonly indexes = indexes({
    byPage: indexOn('page', 'tenant').including('name'),
    byUser: indexOn('tenant', 'user', 'device'),
  });
  static readonly copies = copies({
    name: copyOf(() => User, 'name', { tenant: 'tenant', user: 'user', device: 'device' }),
  });

  @Segment('string') tenant!: string;
  @Segment('string') user!: string;
  @Segment('timestamp') at!: Date;

  @Column('p', 'uint32') device!: number;
  @Column('p', 'string') page!: string;
  @Column('p', 'string') name?: string;
}

class Plain {
  kind: string | null = null;
  id = '';
  n?: number;
}
export const Thing = defineEntity(Plain, {
  table: 'things',
  families: { p: {} },
  key: rowKey('kind', 'id'),
  segments: { kind: { kind: 'string', nullable: true }, id: 'string' },
  columns: { n: column('p', 'double') },
});

// @ts-expect-error a segment is not optional: write 'id!:'
@Entity({ table: 'wrong', families: { p: {} } })
export class Wrong {
  static readonly key = rowKey('id');
  // @ts-ignore only legacy decorators see the `?`
  @Segment('string') id?: string;
  @Column('p', 'string') name?: string;
}

class Maybe {
  id?: string;
}
defineEntity(Maybe, {
  table: 'maybe',
  families: { p: {} },
  // @ts-expect-error a segment is not optional
  key: rowKey('id'),
  // @ts-ignore with strictNullChecks no kind has such a value
  segments: { id: 'string' },
});

// @ts-expect-error the type of a class, and not of its instances
export type OfInstances = Repository<User>;

export function together(db: Database): void {
  const shared = db.collection({ users: User, visits: Visit });
  shared.prefix({ tenant: 'acme' }).since('user', 'ann');
  // @ts-expect-error the keys share two segments, and not 'at'
  shared.scanAll().groupBy('at');
  const visits = db.collection({ visits: Visit });
  // @ts-expect-error the last segment
  visits.prefix({ tenant: 'acme', user: 'ann', at: new Date(0), device: 1 });
}

async function fill(users: Repository<typeof User>): Promise<void> {
  for (const [user, device] of [
    ['ann', 1],
    ['ann', 2],
    ['bob', 1],
  ] as const)
    await users.save(users.create({ tenant: 'acme', user, device, name: `${user}-${device}` }));
}

async function main(): Promise<void> {
  const db = await open('memory:', { entities: [User, Visit, Thing], lint: false });
  const users = db.repository(User);
  await fill(users);
  const firsts = await users.scanAll().firstPer('user').all();
  console.log(firsts.map(({ name }) => name).join(' '));
  const groups = await users.scanAll().distinct('user').all();
  console.log(groups.map(({ tenant, user }) => `${tenant}/${user}`).join(' '));
  const some = await users.scanAll().since('tenant', 'a').all();
  console.log(some.length);
  const visits = db.repository(Visit);
  await visits.save(
    visits.create({ tenant: 'acme', user: 'ann', at: new Date(0), device: 1, page: '/' }),
  );
  const pages = await visits.index('byPage').covered().scanAll().firstPer('tenant').all();
  console.log(pages.map(({ page, name }) => `${page} ${name}`).join(' '));
  const scoped = db.scope({ tenant: 'acme' }).repository(User);
  console.log((await scoped.get({ user: 'bob', device: 1 }))?.name);
  await db.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
