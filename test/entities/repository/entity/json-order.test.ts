/** The order of column maps in JSON: objects list keys that are array indexes first, ascending. */
import { ColumnMap, Entity, open, rowKey, Segment } from '../../../../src/index.js';

@Entity({ table: 'books', families: { m: {} } })
class Book {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @ColumnMap('m', 'double', { qualifiers: 'uint', order: 'desc' }) prices?: Map<number, number>;
}

test('descending number keys are ascending in JSON, and descending again when read from it', async () => {
  const db = await open('memory:', { entities: [Book] });
  const books = db.repository(Book);
  await books.save(books.create({ id: 'a', prices: new Map([7, 30, 9].map((key) => [key, key])) }));
  const book = (await books.get({ id: 'a' }))!;
  expect([...book.prices!.keys()]).toEqual([30, 9, 7]);
  expect(JSON.stringify(book)).toBe('{"id":"a","prices":{"7":7,"9":9,"30":30}}');
  const back = books.fromJSON(JSON.parse(JSON.stringify(book)));
  await books.save(back);
  expect([...(await books.get({ id: 'a' }))!.prices!.keys()]).toEqual([30, 9, 7]);
  await db.close();
});
