/**
 * How one of several processes becomes the owner of a directory. The owner is named by the owner
 * file with the highest number. It is claimed by creating the next one, and released by marking it
 * as released. The highest file is not removed, so numbers do not start again and a slow process
 * cannot claim the directory beside a newer owner.
 *
 * A generator, so that a test can run the steps of several processes in every order.
 */

/**
 * The owner file of a number. `unreadable`: another process may be writing it. `unsure`: whether
 * its process runs cannot be seen, but may show with time. `silent`: it has shown no sign for long.
 */
export type OwnerState = 'missing' | 'unreadable' | 'unsure' | 'silent' | 'ended' | 'running';

/** The operations on owner files. Each is atomic. */
export interface OwnerFiles {
  /** The numbers of the existing files. */
  list(): readonly number[];
  read(number: number): OwnerState;
  /**
   * Creates the file of this process; false if it exists. Where a file can be created with its
   * content, it has it at once; otherwise it is empty until `fill`.
   */
  create(number: number): boolean;
  fill(number: number): void;
  remove(number: number): void;
  /** Removes what processes have left that were killed while they created a file. */
  removeUnfinished(): void;
}

/** The directory belongs to the running process that wrote the owner file with this number. */
export interface HeldBy {
  readonly heldBy: number;
}

/**
 * Claims the directory; returns the number of this process' owner file, or the file of the process
 * that holds it. Yields between its steps: `wait` where another process should be given time. A
 * file that is unreadable after `maxWaits` counts as left by a killed process.
 */
export function* claimSteps(
  files: OwnerFiles,
  maxWaits: number,
): Generator<'step' | 'wait', number | HeldBy> {
  for (let waits = 0; ;) {
    const highest = Math.max(0, ...files.list());
    yield 'step';
    let state: OwnerState = 'ended';
    if (highest > 0) {
      state = files.read(highest);
      yield 'step';
    }
    if (state === 'running') return { heldBy: highest };
    if (state === 'missing') continue;
    if (state === 'unsure' || (state === 'unreadable' && waits++ < maxWaits)) {
      yield 'wait';
      continue;
    }
    const number = highest + 1;
    if (!files.create(number)) continue;
    yield 'step';
    files.fill(number);
    yield 'step';
    const numbers = files.list();
    yield 'step';
    const isBelow = numbers.some((other) => other > number);
    // The file may have been completed meanwhile, or its process may have shown a sign.
    const isBeside = state !== 'ended' && files.read(highest) === 'running';
    if (isBelow || isBeside) {
      files.remove(number);
      yield 'wait';
      continue;
    }
    // From the lowest on: a former owner looks for its file and for its successor's.
    for (const lower of numbers.filter((other) => other < number).sort((a, b) => a - b)) {
      yield 'step';
      files.remove(lower);
    }
    yield 'step';
    files.removeUnfinished();
    return number;
  }
}
