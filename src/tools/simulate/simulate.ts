/** Simulates workloads: what a table would look like with a billion rows, from a sample of them. */
import {
  type AccessLog,
  collectAccess,
  type FindingOptions,
  heatFindings,
  type HeatFinding,
  type NodeProfile,
  nodeProfiles,
  secondsOfRead,
  secondsOfWrite,
  type StorageKind,
} from '../heat/index.js';
import { maxCellBytes, maxRowBytes, type FaultTexts } from '../../base/index.js';
import { type DerivedLoad, derivedLoad } from './model/derived-cost.js';
import { type Design, type Designs, designsOf, workloadDesigns } from './model/designs.js';
import { readCosts } from './model/fan-out.js';
import { ownedTraffic, Work } from './model/node-needs.js';
import { meanLength, rowValues } from './model/row-keys.js';
import { RowSizes } from './model/row-size.js';
import { storageReport, type StorageReport } from './model/storage.js';
import { splitBySize } from './model/tablets.js';
import { drawTraffic, type Traffic } from './model/traffic.js';
import { Population, type SampledRow } from './population/population.js';
import { yearSeconds } from './population/rates.js';
import { Random } from '../values/index.js';
import { countWords, recommend } from './recommend.js';
import { sizeFindings } from './size-findings.js';
import { workloadError } from './workload/check-values.js';
import type { EntityLoad } from './workload/entity-load.js';
import { checkWorkloadNames } from './workload/workload-names.js';
import type {
  SimulationOptions,
  DesignReport,
  WorkloadReport,
  SimulationReport,
} from './report.js';

/** The defaults; as many nodes as lint assumes. */
export const simulationDefaults: SimulationOptions = Object.freeze({
  seed: 1,
  nodes: 8,
  storage: 'ssd',
  target: 0.7,
  tabletBytes: 1024 ** 3,
  sampleRows: 100_000,
  minutes: 30,
  start: Date.UTC(2026, 0, 1),
});

const minPerMinute = 2_000;
const perNodeAndMinute = 200;
const maxPerMinute = 20_000;

/** What a simulation does between its steps, of which the longest take some seconds. */
export interface SimulationRun {
  /** Called after each step: rejects to stop the simulation, and lets other work go on. */
  readonly pause: () => Promise<void>;
  /** Called with the designs that are done, and all. */
  readonly onProgress: (done: number, total: number) => void;
}

const atOnce: SimulationRun = { pause: () => Promise.resolve(), onProgress: () => undefined };

/**
 * Simulates workloads side by side. One workload is simulated with other key designs than the
 * declared one; several are compared with each other.
 */
export async function simulate(
  loads: readonly EntityLoad[],
  settings: Partial<SimulationOptions> = {},
  run = atOnce,
): Promise<SimulationReport> {
  checkWorkloadNames(loads);
  const options = { ...simulationDefaults, ...settings };
  const workloads: WorkloadReport[] = [];
  const several = loads.length === 1 ? [] : workloadDesigns(loads);
  const designs = loads.map((load, i) =>
    loads.length === 1
      ? designsOf(load, expectedNodes(load, options))
      : { compared: [several[i]], leftOut: [] },
  );
  const total = designs.reduce((sum, { compared }) => sum + compared.length, 0);
  let done = 0;
  const onDesign = (): void => run.onProgress(++done, total);
  run.onProgress(done, total);
  for (const [i, load] of loads.entries())
    workloads.push(await workloadReport(load, designs[i], options, { ...run, onDesign }));
  return { options, workloads, recommendation: recommend(workloads, options) };
}

/** A run that counts the designs itself. */
interface Steps extends Pick<SimulationRun, 'pause'> {
  readonly onDesign: () => void;
}

/** The nodes of the cluster, or those that the requests alone need. */
function expectedNodes(load: EntityLoad, options: SimulationOptions): number {
  const reads = load.reads.map(() => ({ shards: 1, bytesRead: 0 }));
  const derived = { costs: [], ofRow: { reads: 0, writes: 0, writtenBytes: 0 } };
  const work = new Work(load, nodeProfiles[options.storage], reads, { bytes: 0, derived });
  return Math.max(options.nodes, Math.ceil(work.nodes() / options.target));
}

async function workloadReport(
  load: EntityLoad,
  { compared, leftOut }: Designs,
  options: SimulationOptions,
  { pause, onDesign }: Steps,
): Promise<WorkloadReport> {
  const { seed, start } = options;
  const population = new Population(load, seed);
  const sizes = new RowSizes(population);
  checkHistory(population, sizes.retention);
  const rows = population.rows(options.sampleRows, new Random(seed), { oldest: sizes.retention });
  const keyBytes = meanLength(keysOf(load, load, rows, start));
  await pause();
  const storage = storageReport(population, keyBytes, seed);
  await pause();
  const derived = await derivedLoad(population, start, seed);
  const table = { population, rows, storage, keyBytes, derived };
  const designs: DesignReport[] = [];
  for (const design of compared) {
    await pause();
    designs.push(await designReport(table, design, options, pause));
    onDesign();
  }
  return {
    name: load.name,
    entity: load.model.name,
    rows: rows.reduce((sum, { weight }) => sum + weight, 0),
    declaredRows: load.rows,
    writes: population.writes,
    historySeconds: population.history,
    storage,
    sizeFindings: sizeFindings(load, storage, { maxCellBytes, maxRowBytes }),
    writeCosts: derived.costs,
    designs,
    leftOut,
  };
}

/** Rows of more than these years would have times before 1970. */
const maxHistoryYears = 50;

/** Throws if the rows took so long to write that no key has their times. */
function checkHistory({ load, history }: Population, retention: number): void {
  const years = Math.min(history, retention) / yearSeconds;
  if (load.bucketMs === undefined || years <= maxHistoryYears) return;
  throw workloadError(
    load.model,
    'writesPerSecond',
    faults.historyTooLong(load.writesPerSecond, load.rows, years),
  );
}

/** Keys of sampled rows under a design, which may have another order of segments. */
function keysOf(
  declared: EntityLoad,
  load: EntityLoad,
  rows: readonly SampledRow[],
  start: number,
): readonly Uint8Array[] {
  const names = declared.segments.map(({ property }) => property);
  const order = load.segments.map(({ property }) => names.indexOf(property));
  return rows.map(({ combination, age, sequence, random }) => {
    const numbers = order.map((i) => combination.numbers[i]);
    const instant = { ms: start - age * 1000, sequence, random };
    return load.model.key.encode(rowValues(load.segments, numbers, instant));
  });
}

/** The table of a workload, whatever its key. */
interface TableSample {
  readonly population: Population;
  readonly rows: readonly SampledRow[];
  readonly storage: StorageReport;
  /** Of the declared key, on average. */
  readonly keyBytes: number;
  readonly derived: DerivedLoad;
}

async function designReport(
  { population, rows, storage, keyBytes: declaredKeyBytes, derived }: TableSample,
  { name, load, scanned }: Design,
  options: SimulationOptions,
  pause: SimulationRun['pause'],
): Promise<DesignReport> {
  const { seed, nodes, tabletBytes, minutes, start } = options;
  const keys = keysOf(population.load, load, rows, start);
  const rowBytes = storage.meanRowBytes;
  const sizes = new RowSizes(population);
  const { retention } = sizes;
  const keyBytes = meanLength(keys);
  const writtenBytes = sizes.writtenBytes();
  await pause();
  const reads = readCosts(population, load, { at: start, retention, rowBytes, seed });
  const row = { bytes: keyBytes + writtenBytes, derived };
  const works = byStorage((profile) => new Work(load, profile, reads, row));
  const work = works[options.storage].nodes();
  await pause();
  const expected = scanned.length > 0 ? nodes : Math.max(nodes, Math.ceil(work / options.target));
  const drawn = {
    // The later half serves the time after the start: new hours and days begin with it.
    start: start - (minutes * 60_000) / 2,
    minutes,
    perMinute: Math.min(maxPerMinute, Math.max(minPerMinute, expected * perNodeAndMinute)),
    rowBytes,
    writtenBytes,
    retention,
  };
  const traffic = await drawTraffic(population, load, new Random(seed + 1), drawn, pause);
  const profile = nodeProfiles[options.storage];
  const heat = heatOf(load, traffic, nodes, profile);
  const bySize = splitBySize(
    rows.map(({ weight }, i) => ({ key: keys[i], bytes: weight * rowBytes })),
    tabletBytes,
  );
  const stored = storage.months.map(
    (month) =>
      month.bytes + month.rows * (keyBytes - declaredKeyBytes) + derivedBytes(derived, month.month),
  );
  const storedBytes = Math.max(...stored);
  await pause();
  const names = derived.costs.slice(1).map(({ name }) => name);
  const owned = ownedTraffic(bySize, traffic, names);
  const writes = traffic.operations.filter(({ kind }) => kind === 'write').length;
  const tablets = byStorage((_profile, kind) => works[kind].tablets(owned, writes, expected));
  const found = tablets[options.storage].report(nodes);
  return {
    name,
    entity: load.model.name,
    model: load.model,
    key: load.model.key.describe(),
    exampleKeys: keys.slice(0, 3),
    meanKeyBytes: keyBytes,
    shards: load.model.key.spec.shards?.count ?? 1,
    tablets: found,
    reads,
    scanned,
    get findings() {
      return heat.findings;
    },
    storedBytes,
    derivedBytes: derivedBytes(derived, stored.indexOf(storedBytes)),
    needs: byStorage((profile, kind) =>
      works[kind].needs(tablets[kind], profile, storedBytes, options.target),
    ),
    busiestNodeLoad: work * found.busiestNode,
    growth: options.target / (work * found.busiestTablet),
    get access() {
      return heat.access;
    },
    scale: traffic.scale,
  };
}

/** The heat of a design, which takes a third of its simulation: computed when it is asked for. */
function heatOf(
  { model }: EntityLoad,
  { operations, scale }: Traffic,
  nodes: number,
  profile: NodeProfile,
): Pick<DesignReport, 'access' | 'findings'> {
  let access: AccessLog | undefined;
  let findings: readonly HeatFinding[] | undefined;
  // An operation of the sample is a request, and stands for many.
  const secondsOf: FindingOptions['secondsOf'] = ({ kind, bytes }) =>
    scale * (kind === 'write' ? secondsOfWrite(profile, bytes) : secondsOfRead(profile, 1, bytes));
  return {
    get access() {
      access ??= collectAccess(operations, { random: () => 0.5, maxSamples: maxPerMinute });
      return access;
    },
    get findings() {
      findings ??= heatFindings(this.access, {
        models: [model],
        nodes,
        isOngoing: true,
        secondsOf,
      });
      return findings;
    },
  };
}

/** Bytes of indexes and rollups after some months. */
function derivedBytes({ costs }: DerivedLoad, month: number): number {
  return costs.reduce((sum, { storedBytes }) => sum + storedBytes[month], 0);
}

function byStorage<T>(
  value: (profile: NodeProfile, kind: StorageKind) => T,
): Readonly<Record<StorageKind, T>> {
  return { ssd: value(nodeProfiles.ssd, 'ssd'), hdd: value(nodeProfiles.hdd, 'hdd') };
}

const faults = {
  historyTooLong: (writesPerSecond: number, rows: number, years: number) => ({
    problem: `at ${writesPerSecond} writes a second, ${rows} rows took ${countWords(years)} years`,
    fix: `give a higher rate or fewer rows, so that they took at most ${maxHistoryYears} years`,
  }),
} satisfies FaultTexts;
