/**
 * The descriptors of the served services: from the .proto files that @google-cloud/bigtable and its
 * google-gax contain, read with the protobufjs that google-gax depends on.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type Protobuf from 'protobufjs';
import { statusCode, StatusError } from '../../engines/protocol/index.js';
import { describeFile, type Declaration, type DescribedFile } from './file-descriptor.js';
import { grpcProtos } from './reflection-protos.js';

/** Files that contain the services, without the files that they import. */
const servedFiles = [
  'google/bigtable/v2/bigtable.proto',
  'google/bigtable/admin/v2/bigtable_table_admin.proto',
  'google/bigtable/admin/v2/bigtable_instance_admin.proto',
  'google/longrunning/operations.proto',
  // Sent in the metadata of calls, which no service names.
  'google/bigtable/v2/feature_flags.proto',
  'google/bigtable/v2/response_params.proto',
  ...grpcProtos.keys(),
];
/** They declare options, which descriptors leave out; descriptor.proto is proto2. */
const optionFiles =
  /^google\/(protobuf\/descriptor|api\/(annotations|client|field_behavior|http|launch_stage|resource|routing))\.proto$/;

/** Descriptors by the name of their file, and the files by the symbols that they declare. */
export interface PublishedFiles {
  readonly files: ReadonlyMap<string, DescribedFile>;
  readonly fileOfSymbol: ReadonlyMap<string, string>;
}

/** Where the packages are. */
interface Sources {
  /** Folders with .proto files. */
  readonly folders: readonly string[];
  readonly protobuf: typeof Protobuf;
}

/** Reads the files. FAILED_PRECONDITION if they are not installed, or are of an unknown form. */
export function readPublishedFiles(folders = programFolders()): PublishedFiles {
  const sources = findSources(folders);
  if (sources === undefined) throw new StatusError(statusCode.FAILED_PRECONDITION, notInstalled);
  try {
    return describe(sources);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StatusError(
      statusCode.FAILED_PRECONDITION,
      `Server reflection cannot read the .proto files of @google-cloud/bigtable: ${reason}`,
    );
  }
}

const notInstalled =
  'Server reflection needs the .proto files of @google-cloud/bigtable, which is not installed: ' +
  'run npm install @google-cloud/bigtable';

/** The folders that packages are resolved from: the working directory and the program's. */
function programFolders(): readonly string[] {
  const [, program] = process.argv;
  const folders = [process.cwd()];
  if (program !== undefined && existsSync(program)) folders.push(dirname(realpathSync(program)));
  return folders;
}

function findSources(folders: readonly string[]): Sources | undefined {
  for (const folder of folders) {
    try {
      const client = createRequire(join(resolve(folder), 'x.js')).resolve('@google-cloud/bigtable');
      const gax = createRequire(client).resolve('google-gax');
      return {
        folders: [client, gax].map((main) => join(dirname(main), '../protos')),
        protobuf: createRequire(gax)('protobufjs') as typeof Protobuf,
      };
    } catch {
      continue;
    }
  }
  return undefined;
}

function describe(sources: Sources): PublishedFiles {
  const { root, packages } = parseAll(sources);
  const declarations = new Map<string, Declaration[]>(
    [...packages.keys()].map((name) => [name, []]),
  );
  collect(root, declarations);
  const files = new Map<string, DescribedFile>();
  const fileOfSymbol = new Map<string, string>();
  for (const [name, each] of declarations) {
    const file = { name, package: packages.get(name)!, declarations: each };
    const described = describeFile(file, (type) => type.filename!);
    files.set(name, described);
    for (const symbol of described.symbols) fileOfSymbol.set(symbol, name);
  }
  return { files, fileOfSymbol };
}

/** Parses the served files and what they import, but for files of options. */
function parseAll({ folders, protobuf }: Sources): {
  readonly root: Protobuf.Root;
  readonly packages: ReadonlyMap<string, string>;
} {
  const root = new protobuf.Root();
  const packages = new Map<string, string>();
  const parser = protobuf.parse as { filename?: string | null };
  const parse = (name: string): void => {
    if (packages.has(name) || optionFiles.test(name)) return;
    const source = grpcProtos.get(name) ?? readFileSync(pathOf(name, folders), 'utf8');
    // protobufjs copies this to every declaration it parses; its typings leave it out.
    parser.filename = name;
    const parsed = protobuf.parse(source, root, { keepCase: true });
    packages.set(name, parsed.package ?? '');
    for (const each of [...(parsed.imports ?? []), ...(parsed.weakImports ?? [])]) parse(each);
  };
  try {
    servedFiles.forEach(parse);
  } finally {
    parser.filename = null;
  }
  return { root, packages };
}

function pathOf(name: string, folders: readonly string[]): string {
  const path = folders.map((folder) => join(folder, name)).find(existsSync);
  if (path === undefined) throw new Error(`there is no ${name}`);
  return path;
}

/** Adds the declarations of a package to their files. */
function collect(
  { nestedArray }: Protobuf.NamespaceBase,
  declarations: ReadonlyMap<string, Declaration[]>,
): void {
  for (const each of nestedArray)
    if ('fields' in each || 'values' in each || 'methods' in each)
      declarations.get(each.filename!)!.push(each as Declaration);
    else if ('nestedArray' in each) collect(each as Protobuf.Namespace, declarations);
}
