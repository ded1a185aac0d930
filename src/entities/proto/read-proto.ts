/** Reads a .proto file and its imports with protobufjs, and rejects what is not proto3. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type Protobuf from 'protobufjs';
import { RowsmithError, type FaultText, type FaultTexts } from '../../base/index.js';

/** A parsed file and its imports. */
export interface ParsedProto {
  /** The file, absolute. */
  readonly path: string;
  /** Package of each file that was read, by absolute path; empty for none. */
  readonly packages: ReadonlyMap<string, string>;
  readonly root: Protobuf.Root;
  readonly protobuf: typeof Protobuf;
}

/**
 * Reads a file. Throws MISSING_PACKAGE without protobufjs, and FILE_FAILED for a file that does not
 * exist, cannot be parsed or is not proto3.
 */
export function readProto(path: string): ParsedProto {
  const protobuf = loadProtobufjs(path);
  const root = new protobuf.Root();
  const packages = new Map<string, string>();
  const read = (file: string): void => {
    if (packages.has(file)) return;
    const source = textOf(file);
    if (!/^\s*syntax\s*=\s*(["'])proto3\1/.test(withoutComments(source))) {
      throw protoFileError(file, faults.notProto3);
    }
    const { package: name = '', imports = [] } = parse(protobuf, file, source, root);
    packages.set(file, name);
    for (const each of imports) {
      // protobufjs contains the common files of google.protobuf.
      const bundled = protobuf.common.get(each);
      if (bundled?.nested !== undefined) root.addJSON(bundled.nested);
      else read(importedFile(each, file));
    }
  };
  read(path);
  try {
    root.resolveAll();
  } catch (cause) {
    throw protoFileError(path, faults.unresolvedType(cause), {
      cause,
    });
  }
  return { path, packages, root, protobuf };
}

function parse(
  protobuf: typeof Protobuf,
  file: string,
  source: string,
  root: Protobuf.Root,
): Protobuf.IParserResult {
  // protobufjs copies this to every declaration it parses; its typings leave it out.
  const parser = protobuf.parse as { filename?: string | null };
  parser.filename = file;
  try {
    return protobuf.parse(source, root, { keepCase: true });
  } catch (cause) {
    throw protoFileError(file, faults.unreadableFile(cause), {
      cause,
    });
  } finally {
    parser.filename = null;
  }
}

function messageOf(cause: unknown): string {
  if (cause instanceof Error) return cause.message;
  return String(cause);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw protoFileError(file, faults.missingFile(existsSync(file)), { cause });
  }
}

function withoutComments(source: string): string {
  return source.replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, ' ');
}

/** The file of an import: in the folder of the importing file, or in a folder above it. */
function importedFile(name: string, from: string): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return join(folder, name);
    if (dirname(folder) === folder) throw protoFileError(from, faults.missingImport(name));
  }
}

/** An error about a .proto file. */
export function protoFileError(
  file: string,
  fault: FaultText,
  options?: { readonly cause: unknown },
): RowsmithError {
  return new RowsmithError(
    'FILE_FAILED',
    { file, problem: fault.problem, fix: fault.fix },
    options,
  );
}

/**
 * The protobufjs of the project: resolved from the folder of the file, the working directory or the
 * folder of the program. With `require`, because a class is needed synchronously.
 */
function loadProtobufjs(file: string): typeof Protobuf {
  for (const folder of [dirname(file), process.cwd(), dirname(process.argv[1] ?? '')]) {
    const require = createRequire(join(resolve(folder), 'from-proto.js'));
    try {
      require.resolve('protobufjs');
    } catch {
      continue;
    }
    return require('protobufjs') as typeof Protobuf;
  }
  throw new RowsmithError('MISSING_PACKAGE', {
    file,
    ...faults.missingProtobufjs,
  });
}

const faults = {
  notProto3: {
    problem: 'it is not proto3: it does not begin with syntax = "proto3";',
    fix:
      'write syntax = "proto3"; at its top, and `optional` where presence matters; ' +
      'proto2 and editions have other rules for presence and enums',
  },
  unresolvedType: (cause: unknown) => ({
    problem: messageOf(cause),
    fix: 'declare the type, or import the file that does',
  }),
  unreadableFile: (cause: unknown) => ({
    problem: messageOf(cause),
    fix: 'correct the file; protoc reports the same',
  }),
  missingFile: (exists: boolean) => ({
    problem: exists ? 'it cannot be read' : 'there is no such file',
    fix:
      'give its path relative to the folder the program runs in (for the command: the folder of its config), ' +
      'or an absolute path',
  }),
  missingImport: (name: string) => ({
    problem: `its import "${name}" is neither in its folder nor in a folder above`,
    fix: 'put the file there, or correct the import',
  }),
  missingProtobufjs: {
    problem: '.proto files are read with protobufjs, which is not installed',
    fix: 'run npm install protobufjs, or import the generated classes of `rowsmith generate`, which do not need it',
  },
} satisfies FaultTexts;
