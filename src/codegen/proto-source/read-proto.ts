/**
 * Reads a .proto file and what it imports. protobufjs parses; what our messages cannot be is
 * refused here, with the place and the way out.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type Protobuf from 'protobufjs';
import { RowsmithError } from '../../errors.js';

/** A parsed file and its imports. */
export interface ParsedProto {
  /** The file, absolute. */
  readonly path: string;
  /** Package of each file that was read, by absolute path. */
  readonly packages: ReadonlyMap<string, string>;
  readonly root: Protobuf.Root;
  readonly protobuf: typeof Protobuf;
}

/**
 * Reads a file. Throws MISSING_PACKAGE without protobufjs, FILE_FAILED for a file that is not there
 * or not proto3.
 */
export function readProto(path: string): ParsedProto {
  const protobuf = loadProtobufjs(path);
  const root = new protobuf.Root();
  const packages = new Map<string, string>();
  const read = (file: string): void => {
    if (packages.has(file)) return;
    const source = textOf(file);
    if (!/^\s*syntax\s*=\s*(["'])proto3\1/.test(withoutComments(source))) {
      throw fileFault(
        file,
        'it is not proto3: it does not begin with syntax = "proto3";',
        'write syntax = "proto3"; at its top, and `optional` where presence counts; proto2 and editions have other rules of presence and enums',
      );
    }
    const { package: name = '', imports = [] } = parse(protobuf, file, source, root);
    packages.set(file, name);
    for (const each of imports) {
      const known = protobuf.common.get(each);
      if (known?.nested !== undefined) root.addJSON(known.nested);
      else read(importedFile(each, file));
    }
  };
  read(path);
  try {
    root.resolveAll();
  } catch (cause) {
    throw fileFault(path, said(cause), 'declare the type, or import the file that does', cause);
  }
  return { path, packages, root, protobuf };
}

function parse(
  protobuf: typeof Protobuf,
  file: string,
  source: string,
  root: Protobuf.Root,
): Protobuf.IParserResult {
  // protobufjs notes it on everything that the text declares; its types leave it out.
  const noted = protobuf.parse as { filename?: string | null };
  noted.filename = file;
  try {
    return protobuf.parse(source, root, { keepCase: true });
  } catch (cause) {
    throw fileFault(file, said(cause), 'correct the file; protoc says the same', cause);
  } finally {
    noted.filename = null;
  }
}

function said(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const fix =
      'name the .proto file from the folder the program runs in (for the command: that of its config), or absolutely';
    throw fileFault(
      file,
      existsSync(file) ? 'it cannot be read' : 'there is no such file',
      fix,
      cause,
    );
  }
}

function withoutComments(source: string): string {
  return source.replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, ' ');
}

/**
 * protoc has import paths; here an import is looked for beside the file and in the folders above
 * it.
 */
function importedFile(name: string, from: string): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return join(folder, name);
    if (dirname(folder) === folder)
      throw fileFault(
        from,
        `its import "${name}" is neither beside it nor in a folder above`,
        'put the file there, or correct the import',
      );
  }
}

/** The fault of a .proto file. */
export function fileFault(
  file: string,
  problem: string,
  fix: string,
  cause?: unknown,
): RowsmithError {
  return new RowsmithError(
    'FILE_FAILED',
    { file, problem, fix },
    cause === undefined ? {} : { cause },
  );
}

/**
 * protobufjs as the project has it, looked for from the file, the working directory and the
 * program: it is needed at once, and a class cannot wait for `import()`.
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
    problem: '.proto files are read by protobufjs, which is not installed',
    fix: 'npm install protobufjs; or import the classes that `rowsmith generate` made, which need it no more',
  });
}
