/** A unique value that a row outside the scope has: it is taken, and nothing else is shown. */
import {
  Column,
  Entity,
  indexes,
  RowsmithError,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';
import { backEnds } from '../support/back-ends.js';

@Entity({ table: 'users', families: { m: {} } })
class User {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byEmail: uniqueIndexOn('email') });
  @Segment('string', { maxLength: 20 }) tenant!: string;
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string') email?: string;
  @Column('m', 'string') name?: string;
}

test.each(backEnds)('$name', async ({ open }) => {
  const { db, close } = await open([User]);
  const acme = db.scope({ tenant: 'acme' }).repository(User);
  const globex = db.scope({ tenant: 'globex' }).repository(User);
  await acme.save(acme.create({ id: 'secret', email: 'e' }));
  await globex.save(globex.create({ id: 'own', email: 'o' }));
  const other = globex.create({ id: 'x', email: 'e' });

  const writes: readonly (() => Promise<unknown>)[] = [
    () => globex.save(other),
    () => globex.insert(other),
    () => globex.patch({ id: 'own' }, { email: 'e' }),
    () => globex.patch({ id: 'own' }, { email: 'e' }, { if: { equals: { email: 'o' } } }),
    () => globex.saveMany([other]).then(({ failures }) => Promise.reject(failures[0].error)),
    () => globex.insertMany([other]).then(({ failures }) => Promise.reject(failures[0].error)),
  ];
  for (const write of writes) {
    const error = (await write().catch((thrown: unknown) => thrown)) as RowsmithError;
    expect(error).toMatchObject({
      code: 'UNIQUE_VIOLATION',
      details: { entity: 'User', property: 'email', index: 'byEmail' },
    });
    const shown = JSON.stringify([error.message, error.details, error.cause, error.stack]);
    expect(shown).not.toMatch(/secret|acme/);
  }

  // Within the scope the holder is known.
  await expect(globex.save(globex.create({ id: 'x', email: 'o' }))).rejects.toMatchObject({
    code: 'UNIQUE_VIOLATION',
    details: { holder: { tenant: 'globex', id: 'own' } },
  });
  await close();
});
