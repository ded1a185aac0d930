/**
 * Rules of class-validator, checked before anything is written. The package is optional: it is only
 * loaded if an entity has rules.
 */
import assert from 'node:assert/strict';
import { IsEmail, IsOptional, Length, Max, Min } from 'class-validator';
import {
  Column,
  Entity,
  Field,
  maxVersions,
  Message,
  open,
  Packed,
  rowKey,
  RowsmithError,
  Segment,
  type ValidationIssue,
} from 'rowsmith';

@Message('people.Address')
class Address {
  @Field(1, 'string') @Length(1, 100) city?: string;
  @Field(2, 'string') @Length(5, 5) zip?: string;
}

@Entity({ table: 'people', families: { p: { gc: maxVersions(1) } } })
class Person {
  static readonly key = rowKey('person');
  @Segment('string') @Length(3, 20) person!: string;
  @Column('p', 'string') @IsEmail() email?: string;
  @Column('p', 'int32') @IsOptional() @Min(0) @Max(150) age?: number;
  @Packed('p', () => Address) address?: Address;
}

await using db = await open('memory:', { entities: [Person] });
const people = db.repository(Person);

const error = await people
  .save(
    people.create({
      person: 'ab',
      email: 'nobody',
      age: 200,
      address: { city: 'Olympia', zip: '985' },
    }),
  )
  .then(
    () => undefined,
    (reason: unknown) => reason,
  );
assert.ok(error instanceof RowsmithError && error.code === 'VALIDATION_FAILED');
console.log(error.explain());
const issues = error.details.issues as readonly ValidationIssue[];
assert.deepEqual(issues.map(({ path }) => path).sort(), ['address.zip', 'age', 'email', 'person']);
assert.equal(await people.scanAll().count(), 0, 'nothing was written');

const ann = people.create({
  person: 'ann',
  email: 'ann@example.com',
  address: { city: 'Olympia', zip: '98501' },
});
await people.save(ann);

// A patch is checked only for the properties it writes.
await people.patch({ person: 'ann' }, { age: 42 });
await assert.rejects(people.patch({ person: 'ann' }, { age: -1 }), { code: 'VALIDATION_FAILED' });

// A bulk write reports each entity that fails and writes the others.
const { written, failures } = await people.saveMany([
  people.create({ person: 'bob', email: 'bob@example.com' }),
  people.create({ person: 'eve', email: 'not an address' }),
]);
assert.deepEqual(
  [written, failures.length, failures[0].index, failures[0].error.code],
  [1, 1, 1, 'VALIDATION_FAILED'],
);
console.log(`written ${written}, failed ${failures.map(({ item }) => item.person).join()}`);
