/** Writes that reach few tablets at a time. */
import { countText } from '../../base/index.js';
import type { EntityTraffic, EntityWindow } from './entity-traffic.js';
import { heatLimits, percentText, windowsText, type HeatFinding } from './finding.js';
import { leadingValues, spreadAdvice, valuesText } from './segments.js';

/** Whether the keys of a window's writes grow, or shrink, with time. */
function isSequential({ figures }: EntityWindow): boolean {
  return (
    Math.abs(figures.rho) >= heatLimits.sequentialRho &&
    figures.append >= heatLimits.sequentialAppend
  );
}

/** Windows with enough writes to judge. */
function writeWindows({ judged }: EntityTraffic): readonly EntityWindow[] {
  return judged.filter(({ figures }) => figures.writes >= heatLimits.minSamples);
}

/** Writes whose keys follow the clock: one tablet takes all of them. */
export function sequentialWrites(traffic: EntityTraffic): readonly HeatFinding[] {
  const { table, model } = traffic;
  const judged = writeWindows(traffic);
  const shown = judged.filter(isSequential);
  if (shown.length === 0) return [];
  const { segment } = leadingValues(
    model,
    shown.flatMap(({ samples }) => samples.filter(({ kind }) => kind === 'write')),
  );
  const append = mean(shown.map(({ figures }) => figures.append));
  const rho = mean(shown.map(({ figures }) => figures.rho));
  const direction = rho > 0 ? 'grow' : 'shrink';
  const named = segment === undefined ? '' : ` of '${segment}'`;
  return [
    {
      kind: 'sequentialWrites',
      level: shown.length * 2 >= judged.length ? 'error' : 'warning',
      table,
      entity: model?.name,
      segment,
      windows: shown.length,
      judged: judged.length,
      figures: { rho, append, fronts: 1 / append },
      problem:
        `writes are sequential ${windowsText(shown.length, judged.length)}: keys ${direction} with ` +
        `the time${named}, and ${percentText(append)} of the writes are at an end of the table, ` +
        'so that one node takes them all',
      fix: spreadAdvice(model, segment),
    },
  ];
}

/** Writes that advance in fewer places than there are nodes. */
export function writeFronts(traffic: EntityTraffic, nodes: number): readonly HeatFinding[] {
  const { table, model } = traffic;
  const judged = writeWindows(traffic).filter((window) => !isSequential(window));
  const shown = judged.filter(({ figures }) => isFewer(figures.excessAppend, nodes));
  if (shown.length === 0) return [];
  const append = mean(shown.map(({ figures }) => figures.append));
  const fronts = Math.round(1 / append);
  const leading = leadingValues(
    model,
    shown.flatMap(({ samples }) => samples),
  );
  const values = valuesText(leading);
  const because = values === undefined ? '' : `: ${values}`;
  return [
    {
      kind: 'writeFronts',
      level: 'warning',
      table,
      entity: model?.name,
      segment: leading.segment,
      windows: shown.length,
      judged: judged.length,
      figures: { fronts: 1 / append, append, nodes },
      problem:
        `writes advance in about ${countText(fronts, 'place')} at a time ` +
        `${windowsText(shown.length, judged.length)}, fewer than ${countText(nodes, 'node')}${because}`,
      fix: frontAdvice(leading.segment, nodes),
    },
  ];
}

/** Fewer fronts than nodes: 1 / append < nodes. */
function isFewer(append: number, nodes: number): boolean {
  return append * nodes > 1;
}

function frontAdvice(segment: string | undefined, nodes: number): string {
  const where = segment === undefined ? 'the beginning of the key' : `'${segment}'`;
  return (
    `more nodes than places do not help: add a segment with many values after ${where}, ` +
    `or give the key at least ${nodes} shards`
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
