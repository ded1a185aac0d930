/** Names of workloads: reports, recommendations and `--workload` tell workloads apart by them. */
import type { FaultTexts } from '../../../base/index.js';
import { workloadError } from './check-values.js';

/** A workload by its name, or its entity's. */
interface NamedWorkload {
  readonly name: string;
  readonly model: { readonly name: string };
}

/** Throws INVALID_ARGUMENT if two workloads have the same name. */
export function checkWorkloadNames(workloads: readonly NamedWorkload[]): void {
  const names = new Set<string>();
  for (const { name, model } of workloads) {
    if (names.has(name)) throw workloadError(model, 'name', faults.sameName(name, model.name));
    names.add(name);
  }
}

const faults = {
  sameName: (name: string, entity: string) => ({
    problem: `two workloads have the name '${name}'`,
    fix: `give each its name: defineWorkload(${entity}, { name: 'busy', ... })`,
  }),
} satisfies FaultTexts;
