/** Visits every state that follows from one, depth first, and each of them once. */
import { StateKeys } from './state-keys.js';

/** Plain data. Each part is replaced and never changed. */
export interface World {
  readonly storage: object;
  readonly processes: readonly object[];
  /** Requests that may still fail. */
  readonly faults: number;
}

/** What to explore. */
export interface Rules<W extends World> {
  /** All states that follow, each with the name of the step. */
  readonly successors: (world: W) => Iterable<readonly [W, string]>;
  /** What is wrong in a state; undefined if nothing is. */
  readonly problem: (world: W) => string | undefined;
}

export interface Exploration<W extends World = World> {
  readonly states: number;
  /** States in which no process can go on. */
  readonly ends: readonly W[];
}

export class ProtocolViolation extends Error {}

/** Throws ProtocolViolation with the steps that lead to a state that is wrong. */
export function exploreWorlds<W extends World>(
  start: W,
  { successors, problem }: Rules<W>,
): Exploration<W> {
  const keys = new StateKeys();
  const seen = new Set<string>();
  const ends: W[] = [];
  const stack: { readonly world: W; readonly path: Path | undefined }[] = [
    { world: start, path: undefined },
  ];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { world, path } = top;
    const key = keys.of(world.storage, world.processes, world.faults);
    if (seen.has(key)) continue;
    seen.add(key);
    const found = problem(world);
    if (found !== undefined) throw new ProtocolViolation(`${found}:\n${pathText(path)}`);
    let moved = false;
    for (const [next, label] of successors(world)) {
      moved = true;
      stack.push({ world: next, path: { label, before: path } });
    }
    if (!moved) ends.push(world);
  }
  return { states: seen.size, ends };
}

interface Path {
  readonly label: string;
  readonly before: Path | undefined;
}

function pathText(path: Path | undefined): string {
  const labels: string[] = [];
  for (let each = path; each !== undefined; each = each.before) labels.unshift(each.label);
  return labels.join('\n');
}
