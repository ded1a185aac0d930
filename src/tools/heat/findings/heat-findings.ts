/** All findings of a recording. */
import type { EntityModel } from '../../../entities/model/index.js';
import type { AccessLog, TableAccess } from '../access-log.js';
import { KeyNames } from '../key-names.js';
import { entityTraffic, type EntityTraffic } from './entity-traffic.js';
import type { HeatFinding } from './finding.js';
import { hotRanges, hotRows } from './hot-rules.js';
import { largeRows, periodicLoad } from './load-rules.js';
import { sequentialWrites, writeFronts, writePattern } from './write-rules.js';

/** What findings are judged by. */
export interface FindingOptions {
  /** Entities with keys to decode. */
  readonly models: readonly EntityModel[];
  /** Nodes of the cluster, to which write fronts are compared; default 3. */
  readonly nodes?: number | undefined;
}

const levels = ['error', 'warning', 'info'] as const;

/** Findings in all tables, errors first. */
export function heatFindings(
  { windowMs, tables }: AccessLog,
  options: FindingOptions,
): readonly HeatFinding[] {
  return tables
    .flatMap((access) => tableFindings(access, windowMs, options))
    .sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
}

function tableFindings(
  access: TableAccess,
  windowMs: number,
  { models, nodes = 3 }: FindingOptions,
): readonly HeatFinding[] {
  const names = new KeyNames(access.table, models);
  const byEntity = (traffic: EntityTraffic): readonly HeatFinding[] => {
    const pattern = writePattern(traffic, nodes);
    return [
      ...sequentialWrites(traffic, pattern),
      ...writeFronts(traffic, pattern, nodes),
      ...hotRanges(traffic, pattern, nodes),
    ];
  };
  return [
    ...entityTraffic(access, names).flatMap(byEntity),
    ...hotRows(access, names, nodes),
    ...largeRows(access, names),
    ...periodicLoad(access, windowMs),
  ];
}
