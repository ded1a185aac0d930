/** Entities that extend other entities are saved through their own repository. */
import { Column, Entity, open, rowKey, Segment, type Database } from '../../../../src/index.js';

@Entity({ table: 'animals', families: { m: {} } })
class Animal {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'cats', families: { m: {} } })
class Cat extends Animal {
  static override readonly key = rowKey('id');
  @Column('m', 'double') lives?: number;
}

/** Adds a method and is no entity. */
class NamedAnimal extends Animal {
  describe(): string {
    return `${this.id}: ${this.name}`;
  }
}

let db: Database;
beforeEach(async () => void (db = await open('memory:', { entities: [Animal, Cat] })));
afterEach(() => db.close());

test('a child entity is rejected by the repository of its parent', async () => {
  const animals = db.repository(Animal);
  const cat = db.repository(Cat).create({ id: 'tom', name: 'Tom', lives: 9 });
  const rejected = {
    code: 'INVALID_ARGUMENT',
    details: { entity: 'Animal', fix: 'save it with db.repository(Cat)' },
  };
  await expect(animals.save(cat)).rejects.toMatchObject(rejected);
  await expect(animals.insert(cat)).rejects.toMatchObject(rejected);
  expect((await animals.saveMany([cat])).failures[0].error).toMatchObject(rejected);
  expect(await animals.scanAll().count()).toBe(0);
  await db.repository(Cat).save(cat);
  expect(await db.repository(Cat).get({ id: 'tom' })).toEqual(cat);
});

test('a subclass that is no entity is saved as its parent', async () => {
  const animals = db.repository(Animal);
  await animals.save(Object.assign(new NamedAnimal(), { id: 'a', name: 'A' }));
  expect(await animals.get({ id: 'a' })).toEqual({ id: 'a', name: 'A' });
});
