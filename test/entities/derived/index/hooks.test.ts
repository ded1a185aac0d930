/** Indexes are made of what is stored, whatever the hooks of the class make of it. */
import {
  Column,
  Entity,
  indexOn,
  indexes,
  RowsmithError,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { backEnds, type OpenedBackEnd } from '../../repository/support/back-ends.js';

const read: string[] = [];

@Entity({ table: 'people', families: { m: {} } })
class Person {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byCity: indexOn('city').including('name') });
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'string') city?: string;
  @Column('m', 'string') name?: string;

  /** As values are shown, for instance decrypted: not as they are stored. */
  static afterRead(person: Person): void {
    read.push(person.id);
    if (person.name === 'unreadable') throw new RangeError('cannot be shown');
    person.city = person.city?.toUpperCase();
  }
}

describe.each(backEnds)('on $name', ({ open }) => {
  let opened: OpenedBackEnd;
  beforeEach(async () => {
    opened = await open([Person]);
    const people = opened.db.repository(Person);
    for (const [id, city] of ['oslo', 'bonn', 'oslo'].entries())
      await people.save(people.create({ id: `${id}`, city, name: `n${id}` }));
    read.length = 0;
  });
  afterEach(() => opened.close());

  test('rows are found by what is stored, and shown as afterRead leaves them', async () => {
    const people = opened.db.repository(Person);
    const inOslo = people.index('byCity').prefix({ city: 'oslo' });
    const shown = (rows: readonly Person[]): unknown[] => rows.map(({ id, city }) => [id, city]);
    expect(shown(await inOslo.all())).toEqual([
      ['0', 'OSLO'],
      ['2', 'OSLO'],
    ]);
    expect(read.splice(0)).toEqual(['0', '2']);
    expect((await inOslo.first())?.id).toBe('0');
    expect(read.splice(0)).toEqual(['0']);
    expect(shown((await inOslo.page({ size: 1 })).rows)).toEqual([['0', 'OSLO']]);
    expect(shown(await inOslo.where({ name: 'n2' }).all())).toEqual([['2', 'OSLO']]);
    expect(await people.get({ id: '0' })).toMatchObject({ city: 'OSLO' });
    expect(await inOslo.count()).toBe(2);
  });

  test('what afterRead throws is HOOK_FAILED with the key of the row', async () => {
    const people = opened.db.repository(Person);
    await people.patch({ id: '2' }, { name: 'unreadable' });
    const failed = people.index('byCity').prefix({ city: 'oslo' }).all();
    await expect(failed).rejects.toMatchObject({ code: 'HOOK_FAILED' });
    await failed.catch(({ details }: RowsmithError) => expect(details.key).toBe('2'));
  });
});
