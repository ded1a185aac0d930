/** Compares what a schema returns with what it got: schemas never change values. */
import { equalBytes, isBytes, isDate, isMap, valueText } from '../../../base/index.js';
import { indexPath, joinPath } from '../../../data/cell/index.js';

/** The first part of a value that a schema returned changed. */
export interface ChangedPart {
  readonly path: string;
  /** What it became. */
  readonly text: string;
}

type Properties = Readonly<Record<string, unknown>>;

/**
 * The first part of `output` that differs from `input`; undefined if there is none. Properties that
 * the output lacks are no difference: schemas of objects leave out what they do not declare.
 */
export function changedPart(
  input: unknown,
  output: unknown,
  path: string,
): ChangedPart | undefined {
  return changed(input, output, path, new Map());
}

function changed(
  input: unknown,
  output: unknown,
  path: string,
  compared: Map<unknown, unknown>,
): ChangedPart | undefined {
  if (Object.is(input, output)) return undefined;
  const difference = { path, text: valueText(output) };
  if (input !== Object(input) || output !== Object(output)) return difference;
  if (typeof output === 'function') return difference;
  // Values may refer to themselves.
  if (compared.get(output) === input) return undefined;
  compared.set(output, input);
  if (isDate(input) || isDate(output))
    return isDate(input) && isDate(output) && Object.is(input.getTime(), output.getTime())
      ? undefined
      : difference;
  if (isBytes(input) || isBytes(output))
    return isBytes(input) && isBytes(output) && equalBytes(input, output) ? undefined : difference;
  const parts = partsOf(input, output, path);
  if (parts === undefined) return difference;
  for (const [before, after, at] of parts) {
    const part = changed(before, after, at, compared);
    if (part !== undefined) return part;
  }
  return undefined;
}

type Part = readonly [before: unknown, after: unknown, path: string];

/** The parts to compare; undefined for values of two forms or sizes. */
function partsOf(input: unknown, output: unknown, path: string): Part[] | undefined {
  if (isMap(input) || isMap(output)) {
    if (!isMap(input) || !isMap(output) || input.size !== output.size) return undefined;
    return [...output].map(([key, after]) => [input.get(key), after, path + indexPath(key)]);
  }
  if (Array.isArray(input) || Array.isArray(output)) {
    if (!Array.isArray(input) || !Array.isArray(output)) return undefined;
    if (input.length !== output.length) return undefined;
    return output.map((after: unknown, i) => [input[i], after, path + indexPath(i)]);
  }
  return Object.entries(output as Properties).map(([name, after]) => [
    (input as Properties)[name],
    after,
    path === '' ? name : joinPath(path, name),
  ]);
}
