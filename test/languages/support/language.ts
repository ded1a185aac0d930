/** A language with generated code, as the suites that all languages share see it. */
import type { EntityModel } from '../../../src/entities/model/index.js';
import { isRowsmithError } from '../../../src/base/index.js';
import type { Answer, LineProcess } from './line-process.js';

export type Row = Readonly<Record<string, unknown>>;

export interface Language {
  readonly name: string;
  /** Whether it is not installed; throws where it must be. */
  readonly isMissing: () => boolean;
  /** Writes, compiles and starts the code of models in a folder; its client uses the server. */
  readonly start: (
    folder: string,
    models: readonly EntityModel[],
    server?: string,
  ) => Promise<LineProcess>;
  /** A request for an entity; `values`, and `within`, are in the tagged form of values.ts. */
  readonly request: (op: string, entity: string, request: Row) => object;
  /** Whether the language has a value. */
  readonly has: (value: unknown) => boolean;
  /** The words of TypeScript in the language. */
  readonly words: (text: string) => string;
  /** Values of a key in the form of answers. */
  readonly keyValues: (values: Row) => Row;
  /** A row of an answer, and the tagged row that it must be, in one form. */
  readonly comparable: (answer: Row, expected: Row) => readonly [found: Row, wanted: Row];
}

/** The result of TypeScript in the form of a language's answers. */
export function attemptedIn({ words }: Language, call: () => unknown): Answer {
  try {
    return { ok: call() };
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
    const { property = null, problem = '', fix = '' } = error.details;
    return { error: { code: error.code, property, problem: words(problem), fix: words(fix) } };
  }
}

/** A row without the properties that have no value, unless `expected` names them. */
export function withoutEmpty(row: Row, expected: Row): Row {
  const isEmpty = (value: unknown): boolean =>
    value === null || ['[]', '{"$map":[]}'].includes(JSON.stringify(value));
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => name in expected || !isEmpty(value)),
  );
}

/** Messages as their bytes. */
export function bytesOnly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bytesOnly);
  if (typeof value !== 'object' || value === null || '$json' in value) return value;
  if ('$message' in value && Array.isArray(value.$message))
    return { $message: value.$message.at(-1) as unknown };
  return Object.fromEntries(Object.entries(value).map(([tag, each]) => [tag, bytesOnly(each)]));
}

/** Items in an order that does not depend on theirs. */
export function sorted<T>(items: readonly T[]): readonly T[] {
  return [...items].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
