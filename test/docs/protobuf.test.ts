/** The .proto file in protobuf.md is generated from its entity. */
import { generators } from '../../src/tools/codegen/index.js';
import { guideOf } from './sample-entity.js';

const { blocks, model } = guideOf('protobuf.md');

async function files(name: string): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const generated = await generators
    .find((each) => each.name === name)!
    .generate({ models: [model], url: undefined });
  return new Map(generated.map(({ path, content }) => [path, content]));
}

test('the excerpt is part of the file that the guide names', async () => {
  const excerpt = blocks.find(({ block }) => block.startsWith('message Status {'))!.block;
  const proto = await files('proto');
  expect([...proto.keys()]).toEqual(['proto/telemetry.proto']);
  expect(proto.get('proto/telemetry.proto')).toContain(excerpt);
});

test('the files it names are generated', async () => {
  expect([...(await files('descriptors')).keys()]).toEqual(['descriptors.pb']);
  expect([...(await files('codecs')).keys()]).toEqual(['codecs.ts']);
});
