/** Simulates workloads: what a table would look like with a billion rows, from a sample of them. */
import { collectAccess, heatFindings } from '../heat/index.js';
import { maxCellBytes, maxRowBytes, type FaultTexts } from '../../base/index.js';
import { writeCosts } from './model/derived-cost.js';
import { designsOf, type Design } from './model/designs.js';
import { readCosts } from './model/fan-out.js';
import { meanLength, rowValues } from './model/row-keys.js';
import { RowSizes } from './model/row-size.js';
import { storageReport, type StorageReport } from './model/storage.js';
import { tabletReport } from './model/tablets.js';
import { drawTraffic } from './model/traffic.js';
import { Population, type SampledRow } from './population/population.js';
import { yearSeconds } from './population/rates.js';
import { Random } from '../values/index.js';
import { countWords, recommend } from './recommend.js';
import { sizeFindings } from './size-findings.js';
import { workloadError } from './workload/check-values.js';
import type { EntityLoad } from './workload/entity-load.js';
import type {
  SimulationOptions,
  DesignReport,
  WorkloadReport,
  SimulationReport,
} from './report.js';

/** The defaults. A node on SSD serves 10,000 rows of 1 KB a second, as Bigtable documents. */
export const simulationDefaults: SimulationOptions = Object.freeze({
  seed: 1,
  nodes: 3,
  nodeOperations: 10_000,
  tabletBytes: 1024 ** 3,
  sampleRows: 100_000,
  minutes: 30,
  start: Date.UTC(2026, 0, 1),
});

/**
 * Bytes that a scan reads, or a write writes, in the time of a request of one row: 220 MB/s against
 * 10,000 rows/s.
 */
const scannedBytes = 22_000;
const minPerMinute = 2_000;
const perNodeAndMinute = 200;
const maxPerMinute = 20_000;

/**
 * Simulates workloads side by side. One workload is simulated with other key designs than the
 * declared one; several are compared with each other.
 */
export async function simulate(
  loads: readonly EntityLoad[],
  settings: Partial<SimulationOptions> = {},
): Promise<SimulationReport> {
  const options = { ...simulationDefaults, ...settings };
  const workloads: WorkloadReport[] = [];
  for (const load of loads) {
    const designs =
      loads.length === 1 ? designsOf(load) : [{ name: load.name, load } satisfies Design];
    workloads.push(await workloadReport(load, designs, options));
  }
  const recommendation = recommend(
    workloads.flatMap(({ designs }) => designs),
    options.nodes,
  );
  return { options, workloads, recommendation };
}

async function workloadReport(
  load: EntityLoad,
  designs: readonly Design[],
  options: SimulationOptions,
): Promise<WorkloadReport> {
  const { seed, start } = options;
  const population = new Population(load, seed);
  const sizes = new RowSizes(population);
  checkHistory(population, sizes.retention);
  const rows = population.rows(options.sampleRows, new Random(seed), { oldest: sizes.retention });
  const keyBytes = meanLength(keysOf(load, load, rows.slice(0, 2000), start));
  const storage = storageReport(population, keyBytes, seed);
  return {
    name: load.name,
    entity: load.model.name,
    rows: rows.reduce((sum, { weight }) => sum + weight, 0),
    declaredRows: load.rows,
    writes: population.writes,
    historySeconds: population.history,
    storage,
    sizeFindings: sizeFindings(load, storage, { maxCellBytes, maxRowBytes, nodes: options.nodes }),
    writeCosts: await writeCosts(population, start, seed),
    designs: designs.map((design) => designReport(population, design, rows, storage, options)),
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

function designReport(
  population: Population,
  { name, load }: Design,
  rows: readonly SampledRow[],
  storage: StorageReport,
  options: SimulationOptions,
): DesignReport {
  const { seed, nodes, nodeOperations, tabletBytes, minutes, start } = options;
  const keys = keysOf(population.load, load, rows, start);
  const rowBytes = storage.meanRowBytes;
  const sizes = new RowSizes(population);
  const perMinute = Math.min(maxPerMinute, Math.max(minPerMinute, nodes * perNodeAndMinute));
  const { retention } = sizes;
  const writtenBytes = sizes.writtenBytes();
  const traffic = drawTraffic(population, load, new Random(seed + 1), {
    start,
    minutes,
    perMinute,
    rowBytes,
    writtenBytes,
    retention,
  });
  const access = collectAccess(traffic.operations, { random: () => 0.5, maxSamples: maxPerMinute });
  const stored = rows.map(({ weight }, i) => ({ key: keys[i], bytes: weight * rowBytes }));
  const tablets = tabletReport(stored, traffic.operations, { nodes, tabletBytes });
  const reads = readCosts(population, load, { at: start, retention, rowBytes, seed });
  const { writesPerSecond, readsPerSecond } = load;
  const perRead = reads.reduce(
    (sum, { share, shards, bytesRead }) => sum + share * (shards + bytesRead / scannedBytes),
    0,
  );
  // The rows of scans are where the sampled reads are; what falls on one node is its share.
  const spread = perRead - 1;
  const requests = writesPerSecond + readsPerSecond;
  const busiest =
    requests * Math.max(tablets.busiestNode, 1 / nodes) +
    readsPerSecond * Math.max(0, spread) * Math.max(tablets.busiestReadNode, 1 / nodes) +
    ((writesPerSecond * writtenBytes) / scannedBytes) *
      Math.max(tablets.busiestWriteNode, 1 / nodes);
  return {
    name,
    entity: load.model.name,
    model: load.model,
    key: load.model.key.describe(),
    exampleKeys: keys.slice(0, 3),
    meanKeyBytes: meanLength(keys),
    shards: load.model.key.spec.shards?.count ?? 1,
    tablets,
    reads,
    findings: heatFindings(access, { models: [load.model], nodes }),
    busiestNodeLoad: busiest / nodeOperations,
    access,
  };
}

const faults = {
  historyTooLong: (writesPerSecond: number, rows: number, years: number) => ({
    problem: `at ${writesPerSecond} writes a second, ${rows} rows took ${countWords(years)} years`,
    fix: `give a higher rate or fewer rows, so that they took at most ${maxHistoryYears} years`,
  }),
} satisfies FaultTexts;
