/** Loads the workloads of a file, or of the config. */
import { dirname } from 'node:path';
import { suggestionText, type FaultTexts } from '../../base/index.js';
import { setProtoFolder } from '../../entities/proto/index.js';
import {
  checkWorkloadNames,
  compileWorkload,
  type EntityLoad,
  isWorkload,
  type Workload,
} from '../../tools/simulate/index.js';
import { UsageError } from '../command.js';
import { inputFile } from '../files.js';
import { configError } from './config-fault.js';
import { buildWithPositions, loadModules, loadProject } from './load-project.js';
import type { Exports } from './load-module.js';

/** Which workloads, and options that replace declared ones. */
export interface WorkloadChoice {
  /** Exports workloads; undefined for the workloads of the config. */
  readonly file: string | undefined;
  /** The name of the one to take; undefined for all. */
  readonly name: string | undefined;
  /** Replaces `rows`. */
  readonly rows?: number | undefined;
}

interface Place {
  readonly folder: string;
  readonly config: string | undefined;
}

/** Workloads, checked. Throws UsageError, INVALID_CONFIG, INVALID_DECLARATION, INVALID_ARGUMENT. */
export async function loadWorkloads(
  place: Place,
  { file, name, rows }: WorkloadChoice,
): Promise<readonly EntityLoad[]> {
  const { workloads, sources } =
    file === undefined ? await ofConfig(place) : await ofFile(place.folder, file);
  const classes = [...new Set(workloads.map(({ entity }) => entity))];
  const models = buildWithPositions(classes, sources);
  const loads = workloads.map(({ entity, options }) =>
    compileWorkload(
      models[classes.indexOf(entity)],
      rows === undefined ? options : { ...options, rows },
    ),
  );
  checkWorkloadNames(loads);
  if (name === undefined) return loads;
  const found = loads.find((load) => load.name === name);
  if (found !== undefined) return [found];
  const names = loads.map((load) => load.name);
  throw new UsageError(faults.unknownWorkload(name, names));
}

interface Found {
  readonly workloads: readonly Workload[];
  readonly sources: readonly string[];
}

async function ofConfig(place: Place): Promise<Found> {
  const { workloads, file } = await loadProject(place);
  if (workloads.length > 0) return { workloads, sources: [file] };
  throw new UsageError(faults.noWorkload(file));
}

async function ofFile(folder: string, name: string): Promise<Found> {
  const file = inputFile(folder, name);
  const home = dirname(file);
  setProtoFolder(home);
  const { modules, sources } = await loadModules([file], home);
  const workloads = workloadsOf(modules[0]);
  if (workloads.length > 0) return { workloads, sources };
  throw configError(file, faults.missingWorkload);
}

/** Workloads among the exports, and in lists among them. */
function workloadsOf(exports: Exports): readonly Workload[] {
  const values = Object.values(exports).flatMap((value): readonly unknown[] =>
    Array.isArray(value) ? (value as readonly unknown[]) : [value],
  );
  return [...new Set(values.filter(isWorkload))];
}

const faults = {
  unknownWorkload: (name: string, names: readonly string[]) => ({
    problem: `there is no workload '${name}'`,
    fix: suggestionText(name, names, 'the workloads are'),
  }),
  noWorkload: (file: string) => ({
    problem: 'no workload was given',
    fix: `name a file that exports one, or set workloads in ${file}`,
  }),
  missingWorkload: {
    problem: 'the module exports no workload',
    fix: 'export default defineWorkload(Reading, { rows, writesPerSecond, segments })',
  },
} satisfies FaultTexts;
