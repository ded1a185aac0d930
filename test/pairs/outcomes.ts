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
  /** Calls of this program that run at the same time and take turns are made in their order. */
  readonly program?: string;
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
      const late = options.mayArrive ? world.late : [];
      const left = late.map((each) => ({ ...each, program: undefined }));
      found.set(textOf(next, left), { state: next, late: left });
    }
  return [...found.values()];
}

/** Each order of the attempts, and of unknown ones that they were made or not yet. */
function orders(state: RowState, attempts: readonly Attempt[]): readonly World[] {
  const all = attempts.filter(({ outcome }) => outcome !== 'none');
  const worlds: World[] = [];
  const known = new Set<string>();
  // `before`: what an update may have read of the row, besides what it is now.
  const go = (now: RowState, left: readonly Attempt[], before: readonly RowState[]): void => {
    // Many orders lead to the same.
    const states = [now, ...before].map(stateText).join(' | ');
    const text = `${states} ${left.map((each) => all.indexOf(each)).join()}`;
    if (known.has(text)) return;
    known.add(text);
    if (left.every(({ outcome }) => outcome === 'unknown')) worlds.push({ state: now, late: left });
    for (const [i, attempt] of left.entries()) {
      const { change, outcome } = attempt;
      if (left.slice(0, i).some((earlier) => comesFirst(earlier, attempt))) continue;
      const rest = left.filter((each) => each !== attempt);
      for (const read of change.rewrites === true ? [now, ...before] : [now]) {
        const answer: Answer = change.requires?.(read) ?? 'yes';
        if (outcome === 'refused') {
          if (answer !== 'yes') go(now, rest, before);
        } else if (answer !== 'no') {
          const next = changed(read, change, now);
          const isRead = rest.some((each) => each.change.rewrites === true);
          go(next, rest, change.isUnseen === true && isRead ? [...before, now] : []);
        }
      }
    }
  };
  go(state, all, []);
  return worlds;
}

/** Of what is unknown, a request may arrive at any time. */
function comesFirst({ change, outcome, program }: Attempt, later: Attempt): boolean {
  return (
    change.takesTurn === true &&
    outcome !== 'unknown' &&
    program !== undefined &&
    program === later.program
  );
}

function textOf(state: RowState, late: readonly Attempt[]): string {
  return `${stateText(state)} ${late.map(({ name }) => name).join()}`;
}

function stateText(state: RowState): string {
  const columns = [...state].sort(([a], [b]) => (a < b ? -1 : 1));
  return columns
    .map(([column, cells]) => {
      const texts = cells.map(({ value, from, to }) => `${typeof value} ${value} ${from} ${to}`);
      return `${column}: ${texts.sort().join()}`;
    })
    .join('; ');
}
