/** Which values of a source row the cells of a rollup need: each is computed once for a row. */
import type { RollupModel, RollupSource } from '../../../model/index.js';

/** A value of a source row: an integer if it has a scale, else the bytes or the segment itself. */
export interface PlannedInput {
  readonly source: RollupSource;
  readonly scaled: ((value: unknown) => number | bigint) | undefined;
}

/** The values, and which of them each cell takes: -1 for the number of rows. */
export interface InputPlan {
  readonly inputs: readonly PlannedInput[];
  readonly ofCell: readonly number[];
}

const plans = new WeakMap<RollupModel, InputPlan>();

/** The plan of a rollup; one object for each. */
export function inputPlanOf(rollup: RollupModel): InputPlan {
  let plan = plans.get(rollup);
  if (plan === undefined) {
    plan = newPlan(rollup);
    plans.set(rollup, plan);
  }
  return plan;
}

function newPlan({ cells }: RollupModel): InputPlan {
  const inputs = new Map<string, PlannedInput>();
  const names = cells.map(({ source, scale }) => {
    if (source === undefined) return undefined;
    const name = `${scale?.decimals ?? 'stored'} ${source.property}`;
    if (!inputs.has(name)) inputs.set(name, { source, scaled: scale?.scaled });
    return name;
  });
  const order = [...inputs.keys()];
  return {
    inputs: [...inputs.values()],
    ofCell: names.map((name) => (name === undefined ? -1 : order.indexOf(name))),
  };
}
