/** Loads lmdb when the first database on disk is opened; nothing else needs its native addon. */
import type * as Lmdb from 'lmdb';
import { RowsmithError } from '../../../../base/index.js';

/** The part of lmdb that is used. */
export type LmdbPackage = Pick<typeof Lmdb, 'open'>;

/**
 * What keeps lmdb out of a bundle, by bundler. lmdb looks for its native addon beside its files and
 * in a package for the platform, and finds neither from inside a bundle.
 */
const bundlerSettings = [
  'esbuild: --external:lmdb',
  "Vite: ssr: { external: ['lmdb'] }",
  "webpack: externals: { lmdb: 'commonjs lmdb' }",
].join('; ');

/**
 * The only attempt. A failed one is kept: after it, bundles of older esbuild versions return the
 * module half initialised.
 */
let loading: Promise<LmdbPackage> | undefined;

/**
 * Loads lmdb. Throws MISSING_PACKAGE if it is not installed, or if its native addon is not found.
 */
export async function loadLmdb(): Promise<LmdbPackage> {
  try {
    return await (loading ??= import('lmdb'));
  } catch (cause) {
    throw loadError(cause);
  }
}

function loadError(cause: unknown): RowsmithError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const [reason] = String(message).split('\n');
  // CommonJS and ESM name the module that is missing; lmdb's own files must not be mistaken for it.
  const isMissing =
    (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') &&
    /(module|package) 'lmdb'/.test(reason);
  const problem = `'file:' databases are stored with lmdb, which cannot be loaded: ${reason}`;
  const fix = isMissing
    ? 'npm install lmdb'
    : `in a bundle, keep lmdb outside of it (${bundlerSettings}); without a bundler, run ` +
      '`npm install --include=optional` on the machine that runs the program';
  return new RowsmithError('MISSING_PACKAGE', { problem, fix }, { cause });
}
