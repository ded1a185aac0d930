/**
 * Shrinks a failing history: removes operations, then simplifies arguments, while it still fails.
 */
import type { History, Operation } from './operation.js';

type Operations = readonly Operation[];
type StillFails = (operations: Operations) => Promise<boolean>;

/** The smallest history found within the time that still fails. */
export async function shrink(
  history: History,
  fails: (smaller: History) => Promise<boolean>,
  millis = 60_000,
): Promise<History> {
  const deadline = Date.now() + millis;
  const stillFails: StillFails = async (operations) =>
    Date.now() < deadline && fails({ ...history, operations });
  let smallest = await removeOperations(history.operations, stillFails);
  for (
    let previous: Operations | undefined;
    previous === undefined || !equal(smallest, previous);
  ) {
    previous = smallest;
    smallest = await removeOperations(await simplifyOperations(smallest, stillFails), stillFails);
  }
  return { ...history, operations: smallest };
}

const equal = (a: Operations, b: Operations): boolean =>
  a.length === b.length && a.every((operation, at) => operation === b[at]);

/** Removes runs of operations, half of them at first, then fewer at a time. */
async function removeOperations(
  operations: Operations,
  stillFails: StillFails,
): Promise<Operations> {
  let smallest = operations;
  let size = smallest.length;
  do {
    size = Math.ceil(size / 2);
    for (let at = 0; at < smallest.length;) {
      const candidate = [...smallest.slice(0, at), ...smallest.slice(at + size)];
      if (await stillFails(candidate)) smallest = candidate;
      else at += size;
    }
  } while (size > 1);
  return smallest;
}

async function simplifyOperations(
  operations: Operations,
  stillFails: StillFails,
): Promise<Operations> {
  let simplest = operations;
  for (let at = 0; at < simplest.length; at++) {
    for (let found = true; found;) {
      found = false;
      for (const simpler of simplifications(simplest[at])) {
        const candidate = simplest.with(at, simpler as Operation);
        if (!(await stillFails(candidate))) continue;
        simplest = candidate;
        found = true;
        break;
      }
    }
  }
  return simplest;
}

/** Properties that an operation or a filter does not need. */
const optional = new Set(['filter', 'limit', 'predicate', 'start', 'end', 'onTrue', 'onFalse']);
/** Properties with names that matter to simplifications(). */
const named = new Set([
  'mutations',
  'rows',
  'rules',
  'changes',
  'keys',
  'ranges',
  'filters',
  'onTrue',
  'onFalse',
  'reversed',
]);

/** Values one step simpler than this one, the largest steps first. */
export function* simplifications(value: unknown, name = ''): Generator<unknown> {
  if (value instanceof Uint8Array) yield* shorterBytes(value);
  else if (Array.isArray(value)) yield* shorterList(value, name);
  else if (typeof value === 'object' && value !== null)
    yield* simplerObject(value as Readonly<Record<string, unknown>>);
  else if (value === true && name === 'reversed') yield false;
}

function* shorterBytes(bytes: Uint8Array): Generator<Uint8Array> {
  if (bytes.length > 1) yield bytes.slice(0, bytes.length >> 1);
  if (bytes.length > 8) yield bytes.slice(0, bytes.length - (bytes.length >> 3));
  if (bytes.length > 0) yield bytes.slice(0, -1);
  if (bytes.some((byte) => byte !== 0x61)) yield new Uint8Array(bytes.length).fill(0x61);
}

function* shorterList(list: readonly unknown[], name: string): Generator<unknown> {
  const minLength = name === 'filters' ? 2 : 0;
  if (list.length > minLength) for (let at = 0; at < list.length; at++) yield list.toSpliced(at, 1);
  for (let at = 0; at < list.length; at++)
    for (const simpler of simplifications(list[at])) yield list.with(at, simpler);
}

function* simplerObject(object: Readonly<Record<string, unknown>>): Generator<unknown> {
  if (object.kind === 'chain' || object.kind === 'interleave') yield* object.filters as unknown[];
  if (object.kind === 'condition')
    yield* [object.predicate, object.onTrue, object.onFalse].filter((inner) => inner !== undefined);
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  // The branches of a check are lists and required.
  for (const [name, value] of entries)
    if (optional.has(name) && !Array.isArray(value))
      yield Object.fromEntries(entries.filter(([key]) => key !== name));
  for (const [name, inner] of entries)
    for (const simpler of simplifications(inner, named.has(name) ? name : ''))
      yield { ...object, [name]: simpler };
}
