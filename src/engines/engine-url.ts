/** Database urls. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invalidArgument, type RowsmithError, type FaultTexts } from '../base/index.js';

/** A parsed database url. */
export type EngineUrl =
  | { readonly kind: 'memory' }
  | { readonly kind: 'disk'; readonly directory: string }
  /** Parsed further by `parseTarget` of the live engine. */
  | { readonly kind: 'live'; readonly url: string };

/**
 * Parses `memory:`, `file:./directory`, `file:///absolute/directory` or
 * `bigtable://project/instance`. Percent escapes are decoded only after `file://`. Throws
 * INVALID_ARGUMENT for anything else.
 */
export function parseEngineUrl(url: unknown): EngineUrl {
  if (typeof url !== 'string') throw invalidUrl(url);
  if (url === 'memory:') return { kind: 'memory' };
  if (url.startsWith('bigtable:')) return { kind: 'live', url };
  if (url.startsWith('file://')) return { kind: 'disk', directory: directoryOfFileUrl(url) };
  if (!url.startsWith('file:') || url === 'file:') throw invalidUrl(url);
  return { kind: 'disk', directory: url.slice('file:'.length) };
}

/** Rejects `file://data`, where `data` is the host and the directory would be `/`. */
function directoryOfFileUrl(url: string): string {
  let directory: string;
  let parsed: URL;
  try {
    parsed = new URL(url);
    directory = fileURLToPath(parsed);
  } catch (cause) {
    throw invalidUrl(url, cause);
  }
  if (directory === '/' || parsed.search !== '' || parsed.hash !== '') throw invalidUrl(url);
  return directory;
}

/** The url of a directory given as a path. */
export function directoryUrl(directory: string): string {
  // file://data would name the host `data`.
  return `file:${directory.replace(/^\/+/, '/')}`;
}

/** Resolves a relative directory in the url against `folder`; other urls are unchanged. */
export function absoluteUrl(url: string, folder: string): string {
  if (!url.startsWith('file:') || url.startsWith('file://') || url === 'file:') return url;
  return `file:${resolve(folder, url.slice('file:'.length))}`;
}

function invalidUrl(url: unknown, cause?: unknown): RowsmithError {
  const shown = typeof url === 'string' ? JSON.stringify(url) : typeof url;
  return invalidArgument('url', faults.wrongUrl(shown), {}, { cause });
}

const faults = {
  wrongUrl: (shown: string) => ({
    problem: `the url is ${shown}`,
    fix: "use 'memory:', 'file:./directory', 'file:///absolute/directory' or 'bigtable://project/instance'",
  }),
} satisfies FaultTexts;
