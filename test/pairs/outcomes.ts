/** In which orders the changes of a row may have been made, so that it is what was read. */
import { type Answer, changed, type RowChange, type RowState } from './row-state.js';
import { afterReading, type Reading, type SeenRow } from './seen-row.js';

/**
 * What a caller knows about a change: `made`; `refused` since its condition did not hold; `unknown`;
 * `none`, an error that leaves the row as it was.
 */
export type Outcome = 'made' | 'refused' | 'unknown' | 'none';

export interface Attempt {
  readonly change: RowChange;
  outcome: Outcome;
  /** For reports. */
  readonly name: string;
}

/** A row as it may be, with the attempts that may still arrive. */
export interface World {
  readonly state: RowState;
  readonly late: readonly Attempt[];
}

/** The worlds after attempts at the same time that agree with what is read then. */
export function worldsAfter(
  worlds: readonly World[],
  attempts: readonly Attempt[],
  seen: SeenRow,
  options: Reading & { readonly mayArrive: boolean },
): readonly World[] {
  const found = new Map<string, World>();
  for (const { state, late } of worlds)
    for (const world of orders(state, [...attempts, ...late])) {
      const next = afterReading(world.state, seen, options);
      if (next === undefined) continue;
      const left = options.mayArrive ? world.late : [];
      found.set(textOf(next, left), { state: next, late: left });
    }
  return [...found.values()];
}

/** Each order of the attempts, and of unknown ones that they were made or not yet. */
function* orders(state: RowState, attempts: readonly Attempt[]): Generator<World> {
  const left = attempts.filter(({ outcome }) => outcome !== 'none');
  const must = left.filter(({ outcome }) => outcome !== 'unknown');
  if (must.length === 0) yield { state, late: left };
  for (const attempt of left) {
    const { change, outcome } = attempt;
    const rest = left.filter((each) => each !== attempt);
    const answer: Answer = change.requires?.(state) ?? 'yes';
    if (outcome === 'refused') {
      if (answer !== 'yes') yield* orders(state, rest);
    } else if (answer !== 'no') yield* orders(changed(state, change), rest);
  }
}

function textOf(state: RowState, late: readonly Attempt[]): string {
  const cells = [...state].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([cells, late.map(({ name }) => name)], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}
