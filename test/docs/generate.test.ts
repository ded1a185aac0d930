/** What generate.md shows is what its entity gives, line for line; its list is the list of generators. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { generators } from '../../src/codegen/index.js';
import * as rowsmith from '../../src/index.js';
import { buildModel } from '../../src/model/index.js';

const text = readFileSync(join(__dirname, '../../docs/guide/generate.md'), 'utf8');
const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, block]) => ({ language, block }));

/** The entity of the first sample, compiled as it stands there. */
function readingOf(source: string): new () => object {
  const { outputText } = ts.transpileModule(`${source}\nexport { Reading };`, { compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, experimentalDecorators: true } });
  const exported: { Reading?: new () => object } = {};
  const load = (name: string): unknown => (name === 'rowsmith' ? rowsmith : createRequire(__filename)(name));
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  new Function('exports', 'require', outputText)(exported, load);
  return exported.Reading!;
}

test('its list is what rowsmith generate lists', () => {
  expect([...text.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name).filter((name) => /^[a-z-]+$/.test(name)).slice(0, generators.length)).toEqual(generators.map(({ name }) => name));
});

test('every excerpt is in the files of its entity', async () => {
  const model = buildModel(readingOf(blocks.find(({ language }) => language === 'ts')!.block));
  const files: string[] = [];
  for (const name of ['cbt', 'gcloud', 'terraform', 'row-key-schema', 'sql', 'bigquery', 'json-schema', 'dictionary']) {
    const generator = generators.find((each) => each.name === name)!;
    for (const { content } of await generator.generate({ models: [model], url: 'bigtable://my-project/my-instance' })) files.push(content as string);
  }
  const excerpts = blocks.filter(({ language, block }) => ['sh', 'hcl', 'yaml', 'sql', 'json'].includes(language) || block.startsWith('|'));
  expect(excerpts.length).toBeGreaterThanOrEqual(9);
  expect(excerpts.map(({ block }) => block).filter((block) => !files.some((file) => file.includes(block)))).toEqual([]);
});
