/**
 * A failing history made small: operations are left out, then their arguments become simpler, while
 * it still fails.
 */
import type { History, Operation } from './operation.js';

/** The least history found that still fails, within the time given. */
export async function shrink(
  history: History,
  fails: (smaller: History) => Promise<boolean>,
  millis = 60_000,
): Promise<History> {
  const last = Date.now() + millis;
  const still = async (operations: readonly Operation[]): Promise<boolean> =>
    Date.now() < last && fails({ ...history, operations });
  let kept = await fewer(history.operations, still);
  for (let before: readonly Operation[] = []; before !== kept;) {
    before = kept;
    kept = await fewer(await simpler(kept, still), still);
    if (JSON.stringify(kept.length) === JSON.stringify(before.length) && same(kept, before)) break;
  }
  return { ...history, operations: kept };
}

const same = (a: readonly Operation[], b: readonly Operation[]): boolean =>
  a.every((operation, at) => operation === b[at]);

/** Leaves out runs of operations, half of them at first, then fewer at a time. */
async function fewer(
  operations: readonly Operation[],
  still: (operations: readonly Operation[]) => Promise<boolean>,
): Promise<readonly Operation[]> {
  let kept = operations;
  for (
    let size = Math.ceil(kept.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < kept.length;) {
      const less = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await still(less)) kept = less;
      else at += size;
    }
  }
  return kept;
}

async function simpler(
  operations: readonly Operation[],
  still: (operations: readonly Operation[]) => Promise<boolean>,
): Promise<readonly Operation[]> {
  let kept = operations;
  for (let at = 0; at < kept.length; at++) {
    for (let found = true; found;) {
      found = false;
      for (const candidate of simplifications(kept[at])) {
        const tried = kept.map((operation, i) => (i === at ? (candidate as Operation) : operation));
        if (!(await still(tried))) continue;
        kept = tried;
        found = true;
        break;
      }
    }
  }
  return kept;
}

/** Properties that an operation or a filter may be without. */
const optional = new Set(['filter', 'limit', 'predicate', 'start', 'end', 'onTrue', 'onFalse']);
const listed = new Set([
  'mutations',
  'rows',
  'rules',
  'changes',
  'keys',
  'ranges',
  'filters',
  'onTrue',
  'onFalse',
]);

/** Values one step simpler than this one, the boldest first. */
export function* simplifications(value: unknown, name = ''): Generator<unknown> {
  if (value instanceof Uint8Array) yield* shorterBytes(value);
  else if (Array.isArray(value)) yield* shorterList(value, name);
  else if (typeof value === 'object' && value !== null)
    yield* plainerObject(value as Readonly<Record<string, unknown>>);
  else if (value === true && name === 'reversed') yield false;
}

function* shorterBytes(bytes: Uint8Array): Generator<Uint8Array> {
  if (bytes.length > 1) yield bytes.slice(0, bytes.length >> 1);
  if (bytes.length > 8) yield bytes.slice(0, bytes.length - (bytes.length >> 3));
  if (bytes.length > 0) yield bytes.slice(0, -1);
  if (bytes.some((byte) => byte !== 0x61)) yield new Uint8Array(bytes.length).fill(0x61);
}

function* shorterList(list: readonly unknown[], name: string): Generator<unknown> {
  const least = name === 'filters' ? 2 : 0;
  if (list.length > least)
    for (let at = 0; at < list.length; at++) yield list.filter((_one, i) => i !== at);
  for (let at = 0; at < list.length; at++)
    for (const one of simplifications(list[at])) yield list.map((old, i) => (i === at ? one : old));
}

function* plainerObject(object: Readonly<Record<string, unknown>>): Generator<unknown> {
  if (object.kind === 'chain' || object.kind === 'interleave') yield* object.filters as unknown[];
  if (object.kind === 'condition')
    yield* [object.predicate, object.onTrue, object.onFalse].filter((inner) => inner !== undefined);
  // A branch of a check is a list, and stays one.
  for (const name of Object.keys(object))
    if (optional.has(name) && !Array.isArray(object[name]))
      yield Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
  for (const [name, inner] of Object.entries(object)) {
    for (const one of simplifications(
      inner,
      listed.has(name) ? name : name === 'reversed' ? name : '',
    ))
      yield { ...object, [name]: one };
  }
}
