/** An engine without entities: for a server, which has no use for them. */
import { RowsmithError } from '../errors.js';
import type { Engine } from '../store/index.js';

/** How an engine behaves. */
export interface EngineOptions {
  /** Milliseconds since 1970; default Date.now. Gives server timestamps and the age of cells. */
  readonly clock?: () => number;
  /**
   * When garbage collection rules take effect: `onRead` (default) hides what they would collect;
   * `lazy` and `manual` leave it visible until it is collected.
   */
  readonly gc?: 'onRead' | 'lazy' | 'manual';
  /**
   * On disk only: `durable` (default) answers writes when they are on the disk; `relaxed` when they
   * are written, so that a crash of the machine may lose the last ones.
   */
  readonly durability?: 'durable' | 'relaxed';
  /**
   * On disk only: whether every page of the file is looked through first; default: files of up to
   * 64 MiB are.
   */
  readonly verify?: boolean;
}

/**
 * Opens `memory:` or `file:./directory` in Bigtable's own terms, for startServer. Close the engine
 * after the server.
 */
export async function openEngine(url: string, options: EngineOptions = {}): Promise<Engine> {
  const { openDiskEngine, openMemoryEngine } = await import('../engines/local/index.js');
  if (url === 'memory:') return openMemoryEngine(options);
  const directory = /^file:(?!\/\/)(.+)$/.exec(url)?.[1];
  if (directory !== undefined) return openDiskEngine(directory, options);
  throw new RowsmithError('INVALID_ARGUMENT', {
    property: 'url',
    problem: `the url is '${url}'`,
    fix: `Use 'memory:' or 'file:./directory'.`,
  });
}
