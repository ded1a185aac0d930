/** The stream `simulate`: a workload of the project, as `rowsmith simulate` computes it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesText, printable, suggestionText, type FaultTexts } from '../../../base/index.js';
import { buildModel } from '../../../entities/model/index.js';
import { conclusionOf, type HeatMap, mapsOfDesign, packMaps } from '../../page/index.js';
import {
  compileWorkload,
  type DesignReport,
  type EntityLoad,
  nodesOf,
  readCostText,
  simulate,
  simulationDefaults,
  type SimulationOptions,
  type SimulationRun,
  workloadTexts,
} from '../../simulate/index.js';
import type { CallOf } from '../context.js';
import type { WorkProgress } from '../protocol/failure.js';
import type { JsonValue } from '../protocol/json.js';
import type { SimulatedDesign, SimulateLine, Simulation } from '../protocol/simulate.js';
import type { RequestFields } from '../request-fields.js';
import { StudioError } from '../studio-error.js';
import { withProgress } from '../work-progress.js';

/** Bytes of the maps of a report. */
const maxMapBytes = 4 << 20;

/** Simulates a workload in steps, between which other requests are served. */
export async function* simulateWorkload({
  context,
  request,
  signal,
}: CallOf<RequestFields>): AsyncGenerator<SimulateLine> {
  const name = request.text('workload');
  const found = context.workloads.find((each) => each.name === name);
  if (found === undefined) {
    const names = context.workloads.map((each) => each.name);
    throw new StudioError('NOT_FOUND', faults.unknownWorkload(name, names));
  }
  const { entity, options } = found.workload;
  const rows = request.has('rows') ? request.count('rows', { max: 1e12 }) : options.rows;
  const settings = requestedSettings(request);
  const load = compileWorkload(buildModel(entity), { ...options, rows });
  let progress: WorkProgress = { done: 0, unit: 'key designs' };
  const pause = async (): Promise<void> => {
    await nextTurn();
    signal.throwIfAborted();
  };
  // The maps are drawn afterwards.
  const onProgress = (done: number, total: number): void =>
    void (progress = { ...progress, done, total: total + 1 });
  const work = simulated([load], settings, { pause, onProgress });
  yield { type: 'report', report: yield* withProgress(work, () => progress) };
}

/** What the request says, and otherwise what the command assumes. */
function requestedSettings(request: RequestFields): Partial<SimulationOptions> {
  const { nodes, storage, sampleRows, minutes } = simulationDefaults;
  return {
    nodes: request.count('nodes', { max: 1_000, fallback: nodes }),
    storage: request.has('storage') ? request.choice('storage', ['ssd', 'hdd']) : storage,
    sampleRows: request.count('sampleRows', { max: 1_000_000, fallback: sampleRows }),
    minutes: request.count('minutes', { min: 2, max: 1_440, fallback: minutes }),
  };
}

async function simulated(
  loads: readonly [EntityLoad],
  settings: Partial<SimulationOptions>,
  run: SimulationRun,
): Promise<Simulation> {
  const report = await simulate(loads, settings, run);
  const { options, recommendation } = report;
  const { designs: found, sizeFindings, leftOut } = report.workloads[0];
  const maps: HeatMap[] = [];
  const designs: SimulatedDesign[] = [];
  for (const design of found) {
    // The traffic and its findings are computed when they are first asked for.
    for (const step of [
      () => design.access,
      () => design.findings,
      () => maps.push(...mapsOfDesign(design, options)),
    ]) {
      await run.pause();
      step();
    }
    designs.push(designView(design, options.storage));
  }
  return {
    workload: loads[0].name,
    nodes: options.nodes,
    target: options.target,
    recommended: recommendation.design,
    facts: workloadTexts(report.workloads[0]),
    sizes: sizeFindings.map(({ level, problem, fix }) => ({ level, problem, fix })),
    designs,
    leftOut,
    conclusion: conclusionOf(report),
    maps: JSON.parse(packMaps(maps, maxMapBytes)) as JsonValue[],
  };
}

function designView(design: DesignReport, storage: 'ssd' | 'hdd'): SimulatedDesign {
  const { name, exampleKeys, needs, storedBytes, tablets, busiestNodeLoad, growth } = design;
  const nodes = nodesOf(needs[storage]);
  return {
    name,
    example: printable(exampleKeys[0]),
    nodes: nodes === Infinity ? undefined : nodes,
    storedBytes,
    stored: bytesText(storedBytes),
    tablets: tablets.bySize,
    busiestTablet: tablets.busiestTablet,
    busiestNode: busiestNodeLoad,
    growth,
    reads: design.reads.map((read) => ({ name: read.name, text: readCostText(read) })),
    findings: design.findings.length,
  };
}

const faults = {
  unknownWorkload: (name: string, names: readonly string[]) => ({
    problem: `the project has no workload '${name}'`,
    fix:
      names.length === 0
        ? 'list one in workloads of rowsmith.config.ts'
        : suggestionText(name, names, 'the workloads are'),
  }),
} satisfies FaultTexts;
