/**
 * The codecs that messages are compared with: ours compiled in each way, protobufjs's generated
 * static code, bufbuild's, made from our own generators' output.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  create,
  createFileRegistry,
  fromBinary,
  toBinary,
  type DescMessage,
  type Message,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { transform } from 'esbuild';
import { messageCodec as codecOf, type MessageShape } from '../src/cell/index.js';
import { messageCodec } from '../src/cell/message/message-codec.js';
import { descriptorBytes } from '../src/codegen/proto/file-descriptor-set.js';
import { protoFiles } from '../src/codegen/proto/proto-files.js';
import { protoText } from '../src/codegen/proto/proto-text.js';
import { codecModule } from '../src/codegen/proto/static-codecs.js';

/** One codec: its own messages, in and out. */
export interface Peer {
  readonly name: string;
  /** A message in the form this codec takes. */
  own(value: object): object;
  encode(message: object): Uint8Array;
  decode(bytes: Uint8Array): object;
}

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);

/** Ours in three ways, and the others, for each of the shapes. */
export async function peersOf(
  shapes: readonly MessageShape[],
  measured: readonly MessageShape[],
): Promise<ReadonlyMap<MessageShape, readonly Peer[]>> {
  await registerStatic(shapes);
  const theirs = await staticClasses(shapes);
  const registry = createFileRegistry(
    fromBinary(FileDescriptorSetSchema, descriptorBytes(protoFiles(shapes))),
  );
  return new Map(
    measured.map((shape) => [
      shape,
      [
        ours('static', codecOf(shape)),
        ours('generated', messageCodec(shape, 'source')),
        ours('reflective', messageCodec(shape, 'closures')),
        protobufjs(theirs(shape.name)),
        bufbuild(registry.getMessage(shape.name)!),
      ],
    ]),
  );
}

function ours(name: string, codec: ReturnType<typeof codecOf>): Peer {
  return {
    name,
    own: (value) => value,
    encode: (message) => codec.encode(message),
    decode: (bytes) => codec.decode(bytes, 0, bytes.length),
  };
}

/** The module as `rowsmith generate` writes it, less its types. */
async function registerStatic(shapes: readonly MessageShape[]): Promise<void> {
  const { code } = await transform(codecModule(shapes), {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
  });
  const file = join(here, 'codecs.mjs');
  writeFileSync(
    file,
    code.replace(/"rowsmith\/wire"/, JSON.stringify('../src/codegen/runtime/wire.js')),
  );
  await import(pathToFileURL(file).href);
}

/** What pbjs makes of a message. */
interface StaticClass {
  create(values: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
}

/** The classes pbjs generates, in a file beside this one's compiled form. */
async function staticClasses(
  shapes: readonly MessageShape[],
): Promise<(name: string) => StaticClass> {
  const files = protoFiles(shapes);
  for (const file of files) writeFileSync(join(here, file.path), protoText(file, files));
  const pbjs = require('protobufjs-cli/pbjs.js') as {
    main(args: readonly string[], done: (error: Error | null, source?: string) => void): void;
  };
  const source = await new Promise<string>((resolve, reject) => {
    pbjs.main(
      [
        '--target',
        'static-module',
        '--wrap',
        'commonjs',
        '--keep-case',
        ...files.map((file) => join(here, file.path)),
      ],
      (error, text) => (error === null ? resolve(text!) : reject(error)),
    );
  });
  writeFileSync(join(here, 'status.cjs'), source);
  const made = require('./status.cjs') as Record<string, unknown>;
  return (name) =>
    name
      .split('.')
      .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], made) as StaticClass;
}

/** int64 as a number going in; it comes out as Long, and is left so. */
function protobufjs(theirs: StaticClass): Peer {
  return {
    name: 'protobufjs',
    own: (value) => theirs.create(plain(value, Number) as object),
    encode: (message) => theirs.encode(message).finish(),
    decode: (bytes) => theirs.decode(bytes),
  };
}

function bufbuild(schema: DescMessage): Peer {
  return {
    name: 'bufbuild',
    own: (value) => create(schema, plain(value, (long) => long) as never),
    encode: (message) => toBinary(schema, message as Message),
    decode: (bytes) => fromBinary(schema, bytes),
  };
}

/** The value without our classes and Maps. */
function plain(value: unknown, long: (value: bigint) => unknown): unknown {
  if (typeof value === 'bigint') return long(value);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((each) => plain(each, long));
  const entries =
    value instanceof Map ? ([...value] as [string, unknown][]) : Object.entries(value);
  return Object.fromEntries(
    entries
      .filter(([, held]) => held !== undefined)
      .map(([name, held]) => [name, plain(held, long)]),
  );
}
