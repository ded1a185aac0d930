/** All findings of a recording. */
import type { EntityModel } from '../../../entities/model/index.js';
import type { AccessLog, TableAccess } from '../access-log.js';
import { KeyNames } from '../key-names.js';
import { nodeProfiles } from '../node-profiles.js';
import { entityTraffic, type EntityTraffic } from './entity-traffic.js';
import type { HeatFinding } from './finding.js';
import { hotRanges } from './range-rules.js';
import { hotRows } from './hot-rules.js';
import { largeRows, periodicLoad } from './load-rules.js';
import { Rates, type SecondsOf, secondsOfRow } from './rates.js';
import { sequentialWrites, writeFronts, writePattern } from './write-rules.js';

/** What findings are judged by. */
export interface FindingOptions {
  /** Entities with keys to decode. */
  readonly models: readonly EntityModel[];
  /** Nodes of the cluster, to which write fronts are compared; default 3. */
  readonly nodes?: number | undefined;
  /** What the operations take of a node; default: rows that are read and written on SSD. */
  readonly secondsOf?: SecondsOf | undefined;
  /** Whether the traffic is known to go on as it is: no part of it is a bulk load. */
  readonly isOngoing?: boolean | undefined;
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
  options: FindingOptions,
): readonly HeatFinding[] {
  const { models, nodes = 3, isOngoing = false } = options;
  const rates = new Rates(windowMs, options.secondsOf ?? secondsOfRow(nodeProfiles.ssd));
  const names = new KeyNames(access.table, models);
  const byEntity = (traffic: EntityTraffic): readonly HeatFinding[] => {
    const pattern = writePattern(traffic, nodes);
    return [
      ...sequentialWrites(traffic, pattern, isOngoing),
      ...writeFronts(traffic, pattern, nodes),
      ...hotRanges(traffic, pattern, nodes),
    ];
  };
  return [
    ...entityTraffic(access, names, rates).flatMap(byEntity),
    ...hotRows(access, names, nodes, rates),
    ...largeRows(access, names),
    ...periodicLoad(access, windowMs),
  ];
}
