/** The excerpts in generate.md are generated from its entity, and it lists every generator. */
import { generators } from '../../src/tools/codegen/index.js';
import { guideOf } from './sample-entity.js';

const { text, blocks, model } = guideOf('generate.md');

test('it lists the generators of rowsmith generate', () => {
  expect(
    [...text.matchAll(/^\| `([\w-]+)` \|/gm)]
      .map(([, name]) => name)
      .filter((name) => /^[a-z-]+$/.test(name))
      .slice(0, generators.length),
  ).toEqual(generators.map(({ name }) => name));
});

test('every excerpt is part of a generated file', async () => {
  const files: string[] = [];
  for (const name of ['cbt', 'terraform', 'row-key-schema', 'sql', 'bigquery']) {
    const generator = generators.find((each) => each.name === name)!;
    for (const { content } of await generator.generate({
      models: [model],
      url: 'bigtable://my-project/my-instance',
    }))
      files.push(content as string);
  }
  const excerpts = blocks.filter(
    ({ language, block }) =>
      ['sh', 'hcl', 'yaml', 'sql', 'json'].includes(language) || block.startsWith('|'),
  );
  expect(excerpts.length).toBeGreaterThanOrEqual(5);
  expect(
    excerpts
      .map(({ block }) => block)
      .filter((block) => !files.some((file) => file.includes(block))),
  ).toEqual([]);
});
