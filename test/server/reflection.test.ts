/** grpc.reflection, asked by a client of grpc-js; @bufbuild/protobuf reads the descriptors. */
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  create,
  createFileRegistry,
  fromBinary,
  ScalarType,
  type DescEnum,
  type DescField,
  type DescMessage,
  type FileRegistry,
} from '@bufbuild/protobuf';
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { readPublishedFiles } from '../../src/server/reflection/published-files.js';
import { grpcProtos } from '../../src/server/reflection/reflection-protos.js';
import { type RawClient, serveMemory, type TestServer } from './raw-client.js';

/** The same protos in another form, which the client library contains, too. */
const published = protobuf.Root.fromJSON(
  require('@google-cloud/bigtable/build/protos/protos.json') as protobuf.INamespace,
).resolveAll();

const versions = ['v1', 'v1alpha'] as const;
const services = [
  'google.bigtable.v2.Bigtable',
  'google.bigtable.admin.v2.BigtableTableAdmin',
  'google.bigtable.admin.v2.BigtableInstanceAdmin',
  'google.longrunning.Operations',
  'grpc.health.v1.Health',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
];
const { root } = protobuf.parse(grpcProtos.get('grpc/reflection/v1/reflection.proto')!);
const request = root.lookupType('grpc.reflection.v1.ServerReflectionRequest');
const response = root.lookupType('grpc.reflection.v1.ServerReflectionResponse');
const encoded = (question: object): Buffer =>
  Buffer.from(request.encode(request.fromObject(question)).finish());

/** The answers to questions of one call, and its status. */
function ask(
  { client }: RawClient,
  questions: readonly object[],
  version: string = 'v1',
  metadata = new Metadata(),
): Promise<{ readonly answers: any[]; readonly code: number }> {
  const call = client.makeBidiStreamRequest(
    `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
    (bytes: Buffer) => bytes,
    (bytes: Buffer) => bytes,
    metadata,
  );
  const answers: any[] = [];
  call.on('data', (bytes: Buffer) =>
    answers.push(response.toObject(response.decode(bytes), { arrays: true })),
  );
  for (const question of questions) call.write(encoded(question));
  call.end();
  return new Promise((resolve) => {
    call.on('error', () => undefined);
    call.on('status', ({ code }: StatusObject) => resolve({ answers, code }));
  });
}

const filesOf = (answer: any): FileDescriptorProto[] =>
  answer.fileDescriptorResponse.fileDescriptorProto.map((bytes: Uint8Array) =>
    fromBinary(FileDescriptorProtoSchema, bytes),
  );

/** Fails if a file, or an import of one, is missing or invalid. */
function registryOf(files: readonly FileDescriptorProto[]): FileRegistry {
  const sorted = new Set<FileDescriptorProto>();
  const add = (file: FileDescriptorProto): void => {
    file.dependency.forEach((name) => add(files.find((each) => each.name === name)!));
    sorted.add(file);
  };
  files.forEach(add);
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [...sorted] }));
}

let served: TestServer;
beforeAll(async () => {
  served = await serveMemory();
});
afterAll(() => served.close());

test.each(versions)(
  '%s lists the services, and describes each with all that it needs',
  async (v) => {
    const { answers, code } = await ask(
      served.client,
      [{ listServices: '' }, ...services.map((each) => ({ fileContainingSymbol: each }))],
      v,
    );
    expect(code).toBe(status.OK);
    const [list, ...described] = answers;
    expect(list.listServicesResponse.service.map(({ name }: { name: string }) => name)).toEqual(
      services,
    );
    described.forEach((answer, i) => {
      const files = filesOf(answer);
      const registry = registryOf(files);
      expect(registry.getService(services[i])!.methods.length).toBeGreaterThan(0);
    });
  },
);

test('methods, fields and enums are those of the published protos', async () => {
  const google = services.filter((each) => each.startsWith('google.'));
  const questions = google.map((each) => ({ fileContainingSymbol: each }));
  const { answers } = await ask(served.client, questions);
  const files = new Map(answers.flatMap(filesOf).map((file) => [file.name, file]));
  const registry = registryOf([...files.values()]);
  for (const name of google) {
    const methods = published.lookupService(name).methodsArray.map((method) => {
      const [input, output] = [method.resolvedRequestType!, method.resolvedResponseType!];
      return [
        method.name,
        input.fullName.slice(1),
        output.fullName.slice(1),
        method.responseStream,
      ];
    });
    const described = registry
      .getService(name)!
      .methods.map(({ name: method, input, output, methodKind }) => {
        const isStream = methodKind === 'server_streaming' ? true : undefined;
        return [method, input.typeName, output.typeName, isStream];
      });
    expect(described).toEqual(methods);
  }
  // Other packages are newer in google-gax, which describes them.
  const types = [...registry].filter(({ typeName }) => typeName.startsWith('google.bigtable.'));
  const messages = types.filter((each): each is DescMessage => each.kind === 'message');
  expect(messages.length).toBeGreaterThan(150);
  for (const message of messages)
    expect([message.typeName, message.fields.map(describedField)]).toEqual([
      message.typeName,
      published.lookupType(message.typeName).fieldsArray.map(publishedField),
    ]);
  const enums = types.filter((each): each is DescEnum => each.kind === 'enum');
  expect(enums.length).toBeGreaterThan(10);
  for (const { typeName, values } of enums)
    expect([typeName, Object.fromEntries(values.map((each) => [each.name, each.number]))]).toEqual([
      typeName,
      published.lookupEnum(typeName).values,
    ]);
});

/** Number, name, type, and the oneof or `optional` of a field. */
type FieldText = readonly [number, string, string, string];

function describedField(field: DescField): FieldText {
  const { number, oneof, proto } = field;
  const { enum: enumeration, message, scalar } = field;
  const type = enumeration ?? message;
  const single = type?.typeName ?? ScalarType[scalar!].toLowerCase();
  const types: Record<string, string> = { list: `repeated ${single}`, map: `map ${single}` };
  const group = proto.proto3Optional ? 'optional' : (oneof?.name ?? '');
  return [number, proto.jsonName, types[field.fieldKind] ?? single, group];
}

function publishedField(field: protobuf.Field): FieldText {
  const { id, resolvedType, partOf, options } = field.resolve();
  // Of Any, protos.json has the names in the file.
  const name = protobuf.util.jsonName(field.name);
  const single = resolvedType?.fullName.slice(1) ?? field.type;
  const isOptional = options?.proto3_optional === true;
  const group = isOptional
    ? 'optional'
    : (partOf?.name ?? '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (field.map) return [id, name, `map ${single}`, group];
  return [id, name, field.repeated ? `repeated ${single}` : single, group];
}

test('files are found by name, and by each kind of symbol', async () => {
  const data = 'google/bigtable/v2/data.proto';
  const symbols = {
    message: ['google.bigtable.v2.RowSet', data],
    'nested message': ['google.bigtable.v2.Mutation.SetCell', data],
    field: ['google.bigtable.v2.RowSet.row_keys', data],
    oneof: ['google.bigtable.v2.Mutation.mutation', data],
    method: ['google.bigtable.v2.Bigtable.ReadRows', 'google/bigtable/v2/bigtable.proto'],
    enum: ['google.bigtable.admin.v2.StorageType', 'google/bigtable/admin/v2/common.proto'],
    'enum value': ['google.bigtable.admin.v2.SSD', 'google/bigtable/admin/v2/common.proto'],
    'with a dot': ['.google.protobuf.Timestamp', 'google/protobuf/timestamp.proto'],
    metadata: ['google.bigtable.v2.FeatureFlags', 'google/bigtable/v2/feature_flags.proto'],
  };
  const bySymbol = Object.values(symbols).map(([symbol]) => ({ fileContainingSymbol: symbol }));
  const { answers } = await ask(served.client, [...bySymbol, { fileByFilename: data }]);
  const names = answers.map((answer) => filesOf(answer)[0].name);
  expect(names).toEqual([...Object.values(symbols).map(([, file]) => file), data]);
});

test('what does not exist is an error of its answer, and the call goes on', async () => {
  const questions = [
    { fileByFilename: 'google/none.proto' },
    { fileContainingSymbol: 'google.none' },
    { allExtensionNumbersOfType: 'google.none' },
    { fileContainingExtension: { containingType: 'google.bigtable.v2.Row', extensionNumber: 1 } },
    { host: 'h' },
    { allExtensionNumbersOfType: 'google.bigtable.v2.Row', host: 'h' },
  ];
  const { answers, code } = await ask(served.client, questions);
  expect(code).toBe(status.OK);
  expect(answers.slice(0, 5).map(({ errorResponse }) => errorResponse.errorCode)).toEqual([
    ...Array<number>(4).fill(status.NOT_FOUND),
    status.INVALID_ARGUMENT,
  ]);
  expect(answers[5]).toEqual({
    validHost: 'h',
    originalRequest: questions[5],
    allExtensionNumbersResponse: {
      baseTypeName: 'google.bigtable.v2.Row',
      extensionNumber: [],
    },
  });
  expect(await ask(served.client, [])).toEqual({ answers: [], code: status.OK });
});

test('more answers than a connection takes at a time arrive in order', async () => {
  const symbols = Array.from({ length: 300 }, (_, i) => services[i % services.length]);
  const { answers } = await ask(
    served.client,
    symbols.map((each) => ({ fileContainingSymbol: each })),
  );
  expect(answers.map(({ originalRequest }) => originalRequest.fileContainingSymbol)).toEqual(
    symbols,
  );
});

test('a malformed request, and one without the token, fail their call', async () => {
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const bytes = (content: Buffer): Buffer => content;
  const call = served.client.client.makeBidiStreamRequest(path, bytes, bytes);
  call.resume().write(Buffer.from([0x3a, 5]));
  const [{ code }] = (await once(call, 'error')) as [StatusObject];
  expect(code).toBe(status.INVALID_ARGUMENT);
  const token = 'a-token-of-enough-characters';
  const secured = await serveMemory({ token });
  const list = [{ listServices: '' }];
  expect(await ask(secured.client, list)).toEqual({ answers: [], code: status.UNAUTHENTICATED });
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  expect((await ask(secured.client, list, 'v1', metadata)).code).toBe(status.OK);
  await secured.close();
});

test('without the client library, the error names the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-reflection-'));
  expect(() => readPublishedFiles([folder])).toThrow(/run npm install @google-cloud\/bigtable$/);
  rmSync(folder, { recursive: true });
});
