/** Opens databases with small buffers and tables: few rows are flushed and merged all the time. */
import { CellClock, type Durability, type Engine } from '../../../../src/data/store/index.js';
import { openDiskEngine } from '../../../../src/engines/local/index.js';
import {
  defaultTuning,
  type DiskTuning,
} from '../../../../src/engines/local/kv/directory/disk-tuning.js';
import type { StoreLimits } from '../../../../src/engines/local/kv/store/store-limits.js';

const kibibyte = 1024;

/** A buffer takes memory by 64 KiB. */
const limits: StoreLimits = {
  buffer: 100 * kibibyte,
  waiting: 2,
  newest: 2,
  maxNewest: 4,
  level: 96 * kibibyte,
  ratio: 3,
  table: 48 * kibibyte,
  keptLog: 16 * kibibyte,
  keptSegments: 4,
  cache: 128 * kibibyte,
};

interface SmallOptions {
  readonly durability?: Durability;
  readonly verify?: boolean;
}

export function openSmall(
  directory: string,
  options: SmallOptions = {},
  tuning: DiskTuning = defaultTuning,
): Promise<Engine> {
  return openDiskEngine(
    directory,
    { ...options, limits, cellClock: new CellClock(Date.now) },
    tuning,
  );
}
