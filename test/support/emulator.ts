/**
 * Google's emulator, where this machine has it: CBTEMULATOR, on the PATH, or in the folder of the
 * cloud SDK beside gcloud.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Path of cbtemulator; undefined where it is not installed, which is said aloud and fails under
 * CI_REQUIRE_EMULATOR=1.
 */
export function findEmulator(): string | undefined {
  const found = [
    process.env.CBTEMULATOR,
    which('cbtemulator'),
    besideGcloud(),
    '/usr/lib/google-cloud-sdk/platform/bigtable-emulator/cbtemulator',
  ].find((path) => path !== undefined && existsSync(path));
  if (found !== undefined) return found;
  if (process.env.CI_REQUIRE_EMULATOR === '1')
    throw new Error(
      "CI_REQUIRE_EMULATOR is set, and Google's emulator (google-cloud-cli-bigtable-emulator) was not found",
    );
  console.warn(
    "SKIPPED: Google's emulator is not on this machine (google-cloud-cli-bigtable-emulator, or CBTEMULATOR=path)",
  );
  return undefined;
}

function besideGcloud(): string | undefined {
  const gcloud = which('gcloud');
  return gcloud === undefined
    ? undefined
    : join(dirname(dirname(realpathSync(gcloud))), 'platform/bigtable-emulator/cbtemulator');
}

function which(program: string): string | undefined {
  const { stdout, status } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
