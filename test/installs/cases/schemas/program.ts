import { type } from 'arktype';
import { Column, Entity, Segment, isRowsmithError, open, rowKey } from 'rowsmith';
import * as v from 'valibot';
import { z } from 'zod';

@Entity({
  table: 'people',
  families: { m: {} },
  schema: type({ 'age?': 'number', id: 'string' }).narrow(
    ({ age = 0 }, context) => age < 150 || context.reject({ message: 'too old', path: ['age'] }),
  ),
})
class Person {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('m', 'int32') age?: number;
  @Column('m', 'string', { schema: z.email() }) email?: string;
  @Column('m', 'string', { schema: v.pipe(v.string(), v.minLength(2)) }) name?: string;
}

const db = await open('memory:', { entities: [Person] });
const people = db.repository(Person);
await people.save(people.create({ id: 'a', age: 30, email: 'a@b.co', name: 'Ann' }));
const person = Object.assign(new Person(), { id: 'b', age: 200, email: 'none', name: 'B' });
const error: unknown = await people.save(person).catch((reason: unknown) => reason);
const issues = isRowsmithError(error) ? (error.details.issues as { path: string }[]) : [];
const paths = issues.map(({ path }) => path).join();
if (paths !== 'age,email,name') throw new Error(`${String(error)}: ${paths}`);
await db.close();
console.log('program: three schemas judged');
