/**
 * Several processes that claim one directory, in every order of their steps and with deaths
 * anywhere: at most one is the owner, and one becomes it. Runs the steps of the code itself.
 */
import {
  claimSteps,
  type HeldBy,
  type OwnerFiles,
  type OwnerState,
} from '../../../src/engines/local/kv/directory/claim-steps.js';

/** A file: who created it, and whether it has its content. */
interface File {
  readonly claimer: number;
  filled: boolean;
}

interface Model {
  readonly claimers: number;
  /** How many of them may die. */
  readonly deaths: number;
  /** How many owners may release the directory, which is then marked in their file. */
  readonly releases: number;
  /** Files have their content as soon as they exist. */
  readonly links: boolean;
  /** A file of a process that was killed before the claimers begin. */
  readonly left?: 'ended' | 'unreadable';
}

type Action = readonly ['step' | 'die' | 'release', number];

/** One order of actions, run from the beginning. */
class Run {
  readonly #files = new Map<number, File>();
  readonly #dead = new Set<number>();
  readonly #released = new Set<number>();
  readonly #results = new Map<number, number | HeldBy>();
  readonly #claims: Generator<'step' | 'wait', number | HeldBy>[];
  /** What each claimer has seen, from which its further steps follow. */
  readonly #seen: string[];
  #deaths = 0;
  #waiting = -1;

  constructor(readonly model: Model) {
    const claimers = [...Array(model.claimers).keys()];
    if (model.left !== undefined) {
      this.#dead.add(-1);
      this.#files.set(1, { claimer: -1, filled: model.left === 'ended' });
    }
    this.#seen = claimers.map(() => '');
    this.#claims = claimers.map((claimer) => claimSteps(this.#directory(claimer), 1));
  }

  /** The actions that are possible now. */
  actions(): Action[] {
    const actions: Action[] = [];
    for (let claimer = 0; claimer < this.model.claimers; claimer++) {
      if (this.#dead.has(claimer)) continue;
      const result = this.#results.get(claimer);
      // A process that waits lets other processes run. Waiting again changes nothing.
      if (result === undefined && claimer !== this.#waiting) actions.push(['step', claimer]);
      const owns = typeof result === 'number' && !this.#released.has(claimer);
      if (owns && this.#released.size < this.model.releases) actions.push(['release', claimer]);
      const mayDie = (result === undefined || owns) && this.#deaths < this.model.deaths;
      if (mayDie) actions.push(['die', claimer]);
    }
    return actions;
  }

  do([kind, claimer]: Action): void {
    if (kind === 'die') {
      this.#dead.add(claimer);
      this.#deaths++;
    } else if (kind === 'release') this.#released.add(claimer);
    else this.#step(claimer);
    if (kind !== 'step') this.#waiting = -1;
    const owners = this.owners();
    if (owners.length > 1) throw new Error(`${owners.join(' and ')} own the directory`);
  }

  owners(): number[] {
    return [...this.#results].flatMap(([claimer, result]) =>
      typeof result === 'number' && !this.#dead.has(claimer) && !this.#released.has(claimer)
        ? [claimer]
        : [],
    );
  }

  /** Nobody is left who could still become the owner. */
  checkEnd(): void {
    const living = this.#claims.filter((_, claimer) => !this.#dead.has(claimer));
    const isOwned = [...this.#results.values()].some((result) => typeof result === 'number');
    if (living.length > 0 && !isOwned && this.#deaths === 0) throw new Error('nobody is the owner');
  }

  /** Two runs with the same text continue in the same ways. */
  text(): string {
    const claimers = this.#claims.map((_, claimer) => [
      this.#dead.has(claimer),
      this.#released.has(claimer),
      this.#seen[claimer],
    ]);
    const files = [...this.#files].sort(([a], [b]) => a - b);
    return JSON.stringify([files, claimers, this.#waiting]);
  }

  #step(claimer: number): void {
    this.#seen[claimer] += '.';
    const step = this.#claims[claimer].next();
    this.#waiting = step.value === 'wait' ? claimer : -1;
    if (step.done === true) this.#results.set(claimer, step.value);
  }

  #directory(claimer: number): OwnerFiles {
    const files = this.#files;
    const see = <T>(value: T): T => {
      this.#seen[claimer] += JSON.stringify(value);
      return value;
    };
    return {
      list: () => see([...files.keys()]),
      read: (number) => see(this.#stateOf(files.get(number))),
      create: (number) => {
        if (files.has(number)) return see(false);
        files.set(number, { claimer, filled: this.model.links });
        return see(true);
      },
      fill: (number) => {
        const file = files.get(number);
        if (file?.claimer === claimer) file.filled = true;
        see('filled');
      },
      remove: (number) => {
        files.delete(number);
        see('removed');
      },
      removeUnfinished: () => undefined,
    };
  }

  #stateOf(file: File | undefined): OwnerState {
    if (file === undefined) return 'missing';
    if (!file.filled) return 'unreadable';
    const { claimer } = file;
    return this.#dead.has(claimer) || this.#released.has(claimer) ? 'ended' : 'running';
  }
}

/** Runs every order of up to `maxActions` actions; returns how many different states there were. */
function explore(model: Model, maxActions: number): number {
  const known = new Set<string>();
  const pending: Action[][] = [[]];
  while (pending.length > 0) {
    const actions = pending.pop()!;
    const run = new Run(model);
    for (const action of actions) run.do(action);
    const text = run.text();
    if (known.has(text)) continue;
    known.add(text);
    const next = run.actions();
    if (next.length === 0) run.checkEnd();
    if (actions.length >= maxActions) continue;
    for (const action of next) pending.push([...actions, action]);
  }
  return known.size;
}

test.each<[string, Model]>([
  ['two at a new directory', { claimers: 2, deaths: 2, releases: 1, links: true }],
  ['two after a dead owner', { claimers: 2, deaths: 2, releases: 2, links: true, left: 'ended' }],
  ['three at a new directory', { claimers: 3, deaths: 1, releases: 1, links: true }],
  ['three after a dead owner', { claimers: 3, deaths: 1, releases: 0, links: true, left: 'ended' }],
  ['three after an owner that releases', { claimers: 3, deaths: 0, releases: 1, links: true }],
])('%s', (_name, model) => {
  expect(explore(model, Infinity)).toBeGreaterThan(500);
});

// Without links, two may withdraw for each other again and again, until one is quicker.
test.each<[string, Model]>([
  ['two at a new directory', { claimers: 2, deaths: 1, releases: 1, links: false }],
  [
    'two after a file left empty',
    { claimers: 2, deaths: 1, releases: 0, links: false, left: 'unreadable' },
  ],
])('without links: %s', (_name, model) => {
  expect(explore(model, 26)).toBeGreaterThan(500);
});
