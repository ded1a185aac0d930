/** Views of rollups: golden files, and the pattern that Google documents for such queries. */
import { schemaGenerators } from '../../../src/tools/codegen/schema-generators.js';
import { buildModels } from '../../../src/entities/model/index.js';
import { Order, Reading } from '../../entities/derived/rollup/rollup-entities.js';
import { expectGolden } from '../../support/golden.js';

const models = buildModels([Order, Reading]);
const url = 'bigtable://my-project/my-instance';

async function filesOf(name: string): Promise<ReadonlyMap<string, string>> {
  const generator = schemaGenerators.find((each) => each.name === name)!;
  const files = await generator.generate({ models, url });
  return new Map(files.map(({ path, content }) => [path, content as string]));
}

test('a query for each rollup, and one file for Terraform', async () => {
  const files = await filesOf('materialized-views');
  expect([...files.keys()]).toEqual([
    'materialized-views/Order.sales.sql',
    'materialized-views/Reading.hourly.sql',
    'materialized-views/Reading.daily.sql',
    'materialized-views.tf',
  ]);
  for (const [path, content] of files) {
    expectGolden(`codegen/${path}`, content);
    if (!path.endsWith('.sql')) continue;
    // SELECT expressions FROM one table WHERE GROUP BY, and nothing that views do not support.
    expect(content).toMatch(/^SELECT\n(  .*\n)+FROM `\w+`\n(WHERE (.*\n)+)?GROUP BY .*\n$/m);
    expect(content.replace(/^--.*$/gm, '')).not.toMatch(/ORDER BY|DISTINCT|LIMIT|\(SELECT|DESC/);
  }
});

test('tables of rollups are generated as all others', async () => {
  const [content] = [...(await filesOf('terraform')).values()];
  for (const text of ['readings_rollup', 'orders_rollup', '"_sum"', '"_mark"', 'intmax'])
    expect(content).toContain(text);
});
