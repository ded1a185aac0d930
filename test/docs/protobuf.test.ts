/** The .proto file that protobuf.md shows is the one of its entity, and so is what it says of names and of what is refused. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { generators } from '../../src/codegen/index.js';
import * as rowsmith from '../../src/index.js';
import { buildModel } from '../../src/model/index.js';

const text = readFileSync(join(__dirname, '../../docs/guide/protobuf.md'), 'utf8');
const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, block]) => ({ language, block }));

/** The entity of the first sample, compiled as it stands there. */
function readingOf(source: string): new () => object {
  const { outputText } = ts.transpileModule(`${source}\nexport { Reading };`, { compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, experimentalDecorators: true, esModuleInterop: true } });
  const exported: { Reading?: new () => object } = {};
  const load = (name: string): unknown => (name === 'rowsmith' ? rowsmith : createRequire(__filename)(name));
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  new Function('exports', 'require', outputText)(exported, load);
  return exported.Reading!;
}

const model = buildModel(readingOf(blocks.find(({ language }) => language === 'ts')!.block));

async function files(name: string): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const made = await generators.find((each) => each.name === name)!.generate({ models: [model], url: undefined });
  return new Map(made.map(({ path, content }) => [path, content]));
}

test('the excerpt is in the file that the guide names', async () => {
  const excerpt = blocks.find(({ block }) => block.startsWith('message Status {'))!.block;
  const proto = await files('proto');
  expect([...proto.keys()]).toEqual(['proto/telemetry.proto']);
  expect(proto.get('proto/telemetry.proto')).toContain(excerpt);
});

test('the files it names are the files that are written', async () => {
  expect([...(await files('descriptors')).keys()]).toEqual(['descriptors.pb']);
  expect([...(await files('codecs')).keys()]).toEqual(['codecs.ts']);
});
