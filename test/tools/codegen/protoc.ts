/** protobuf's own compiler, if it is on PATH. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { protoText } from '../../../src/tools/codegen/proto/proto-text.js';
import type { ProtoFile } from '../../../src/entities/proto/proto-file.js';

const found = spawnSync('protoc', ['--version']).status === 0;
if (!found && process.env.CI_REQUIRE_PROTOC === '1')
  throw new Error(
    'protoc is not on PATH, and CI_REQUIRE_PROTOC is set: apt-get install protobuf-compiler',
  );
if (!found)
  console.warn(
    'SKIPPED: protoc is not on PATH, so the .proto files are not compared with it: apt-get install protobuf-compiler',
  );

/** A test that needs protoc; it is skipped, with a warning, when protoc is not installed. */
export const testWithProtoc = found ? test : test.skip;

/**
 * The FileDescriptorSet that protoc compiles from the files, with its imports. Throws protoc's
 * error when it rejects them.
 */
export function compileProto(files: readonly ProtoFile[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-protoc-'));
  try {
    for (const file of files) {
      mkdirSync(dirname(join(folder, file.path)), { recursive: true });
      writeFileSync(join(folder, file.path), protoText(file, files));
    }
    execFileSync(
      'protoc',
      ['--include_imports', '--descriptor_set_out=set.pb', ...files.map((file) => file.path)],
      { cwd: folder, stdio: 'pipe' },
    );
    return readFileSync(join(folder, 'set.pb'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
