/** Finds Google's emulator: CBTEMULATOR, on the PATH, or in the Google Cloud SDK. */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The path of cbtemulator. If it is not installed, prints a warning and returns undefined, or
 * throws if CI_REQUIRE_EMULATOR=1.
 */
export function findEmulator(): string | undefined {
  const found = [
    process.env.CBTEMULATOR,
    findProgram('cbtemulator'),
    inCloudSdk(),
    '/usr/lib/google-cloud-sdk/platform/bigtable-emulator/cbtemulator',
  ].find((path) => path !== undefined && existsSync(path));
  if (found !== undefined) return found;
  if (process.env.CI_REQUIRE_EMULATOR === '1')
    throw new Error(
      "CI_REQUIRE_EMULATOR is set, and Google's emulator (google-cloud-cli-bigtable-emulator) was not found",
    );
  console.warn(
    "SKIPPED: Google's emulator is not installed (google-cloud-cli-bigtable-emulator, or CBTEMULATOR=path)",
  );
  return undefined;
}

function inCloudSdk(): string | undefined {
  const gcloud = findProgram('gcloud');
  if (gcloud === undefined) return undefined;
  const sdk = dirname(dirname(realpathSync(gcloud)));
  return join(sdk, 'platform/bigtable-emulator/cbtemulator');
}

/** The path of a program, or undefined if it is not on the PATH. */
export function findProgram(program: string): string | undefined {
  const { stdout, status } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
