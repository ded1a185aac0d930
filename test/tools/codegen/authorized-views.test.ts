/** The authorized views of entities for Terraform and gcloud. */
import { authorizedView, Column, ColumnMap, Entity, rowKey, Segment } from '../../../src/index.js';
import { buildModels } from '../../../src/entities/model/index.js';
import { generators } from '../../../src/tools/codegen/index.js';
import { expectGolden } from '../../support/golden.js';

@Entity({ table: 'customers', families: { m: {}, tags: {} }, marker: 'm' })
class Customer {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
  @Column('m', 'string') phone?: string;
  @ColumnMap('tags', 'string') tags?: Map<string, string>;
}
const all = buildModels([
  Customer,
  authorizedView(Customer, 'names', { columns: ['name', 'tags'] }),
  authorizedView(Customer, 'acme', {
    columns: ['name', 'phone'],
    rows: [{ tenant: 'acme' }, { tenant: 'zebra' }],
    deletionProtection: true,
  }),
]);

test('views are written after their table, with bytes in base64', async () => {
  const models = all.filter(({ view }) => view === undefined);
  const views = all.filter(({ view }) => view !== undefined);
  const texts: string[] = [];
  for (const name of ['terraform', 'gcloud']) {
    const generator = generators.find((each) => each.name === name)!;
    const files = await generator.generate({ models, views, url: 'bigtable://p/i' });
    for (const { path, content } of files) texts.push(`## ${path}\n\n${String(content)}`);
  }
  expectGolden('codegen/authorized-views.txt', texts.join('\n'));
});
