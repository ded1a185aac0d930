/** Opens an engine by url: the one place that names concrete engines, each loaded when needed. */
import type { Durability, Engine, GcMode } from '../store/index.js';
import type { LiveSettings } from './bigtable/settings.js';
import { parseEngineUrl } from './engine-url.js';
import type { MemoryImage } from './local/open-memory-engine.js';

/** How an engine behaves. */
export interface EngineOptions {
  /** Milliseconds since 1970; default Date.now. Gives server timestamps and the age of cells. */
  readonly clock?: (() => number) | undefined;
  /**
   * Embedded only: when garbage collection rules take effect. `onRead` (default) hides what they
   * would collect; `lazy` and `manual` leave it visible until it is collected.
   */
  readonly gc?: GcMode | undefined;
  /**
   * On disk only: `durable` (default) resolves writes when they are on the disk; `relaxed` when
   * they are written, so that a crash of the machine may lose the last ones.
   */
  readonly durability?: Durability | undefined;
  /**
   * On disk only: whether every page of the file is checked first, so that a damaged file is
   * CORRUPT_DATA and nothing worse. Default: files of up to 64 MiB are; true costs as much as
   * reading the file. The contents of pages are checked whenever they are read.
   */
  readonly verify?: boolean | undefined;
  /** Live only: credentials, connections, timeouts. */
  readonly bigtable?: LiveSettings | undefined;
}

/** Called before each attempt of a call after its first, with the gRPC status of the last one. */
export type OnRetry = (status: number) => void;

/**
 * Opens the engine of a url, without entities: `memory:`, `file:./directory` or
 * `bigtable://project/instance`. Close it when done. Throws INVALID_ARGUMENT for any other url,
 * NOT_A_DATABASE, FORMAT_TOO_NEW, DATABASE_IN_USE.
 */
export function openEngine(url: string, options: EngineOptions = {}): Promise<Engine> {
  return openRetryingEngine(url, options, undefined);
}

/** openEngine, with a listener for retries. */
export async function openRetryingEngine(
  url: string,
  options: EngineOptions,
  onRetry: OnRetry | undefined,
): Promise<Engine> {
  const { clock, gc, durability, verify, bigtable } = options;
  const target = parseEngineUrl(url);
  switch (target.kind) {
    case 'memory': {
      const { openMemoryEngine } = await import('./local/open-memory-engine.js');
      return openMemoryEngine({ clock, gc });
    }
    case 'disk': {
      const { openDiskEngine } = await import('./local/open-disk-engine.js');
      return openDiskEngine(target.directory, { clock, gc, durability, verify });
    }
    case 'live': {
      const { openLiveEngine } = await import('./bigtable/open-live-engine.js');
      return openLiveEngine(target.url, bigtable, onRetry);
    }
  }
}

/** Opens a memory engine, empty or with the contents of an image. */
export async function openMemory(
  options: Pick<EngineOptions, 'clock' | 'gc'>,
  image?: MemoryImage,
): Promise<Engine> {
  const { openMemoryEngine } = await import('./local/open-memory-engine.js');
  return openMemoryEngine(options, image);
}

/** Loads the function that takes images of memory engines. */
export async function loadMemoryImage(): Promise<(engine: Engine) => MemoryImage> {
  const { memoryImage } = await import('./local/open-memory-engine.js');
  return memoryImage;
}
