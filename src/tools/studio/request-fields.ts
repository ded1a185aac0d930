/** Fields of requests, checked: whatever a client sends, a handler gets what the protocol says. */
import { isRecord, type FaultTexts } from '../../base/index.js';
import { base64 } from '../../data/text/index.js';
import type { JsonValue } from './protocol/json.js';
import { StudioError } from './studio-error.js';

/** An object of a request. All methods throw BAD_REQUEST with the path of the field. */
export class RequestFields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: string;

  constructor(value: unknown, path = '') {
    if (!isRecord(value)) throw badRequest(path, faults.notAnObject(path));
    this.#values = value;
    this.#path = path;
  }

  /** The path of a field, for errors. */
  pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  has(name: string): boolean {
    return this.#of(name) !== undefined;
  }

  text(name: string): string {
    const value = this.#of(name);
    if (typeof value === 'string') return value;
    throw this.#wrong(name, 'text');
  }

  optionalText(name: string): string | undefined {
    return this.has(name) ? this.text(name) : undefined;
  }

  choice<const C extends string>(name: string, choices: readonly C[]): C {
    const value = this.text(name);
    const found = choices.find((each) => each === value);
    if (found !== undefined) return found;
    throw this.#wrong(name, choices.join(', '));
  }

  bytes(name: string): Uint8Array {
    const value = this.#of(name);
    if (typeof value === 'string' && base64.test(value))
      return new Uint8Array(Buffer.from(value, 'base64'));
    throw this.#wrong(name, 'base64');
  }

  optionalBytes(name: string): Uint8Array | undefined {
    return this.has(name) ? this.bytes(name) : undefined;
  }

  flag(name: string): boolean {
    const value = this.#of(name) ?? false;
    if (typeof value === 'boolean') return value;
    throw this.#wrong(name, 'true or false');
  }

  /** A whole number. */
  count(name: string, { min = 1, max, fallback }: CountLimits): number {
    const value = this.#of(name) ?? fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max)
      return value;
    throw this.#wrong(name, `a whole number from ${min} to ${max}`);
  }

  object(name: string): RequestFields {
    return new RequestFields(this.#of(name), this.pathOf(name));
  }

  /** The objects of a list; none if it is absent. */
  objects(name: string): readonly RequestFields[] {
    return this.list(name).map((each, i) => new RequestFields(each, `${this.pathOf(name)}.${i}`));
  }

  texts(name: string): readonly string[] {
    return this.list(name).map((each) => {
      if (typeof each === 'string') return each;
      throw this.#wrong(name, 'a list of texts');
    });
  }

  list(name: string): readonly JsonValue[] {
    const value = this.#of(name) ?? [];
    if (Array.isArray(value)) return value as readonly JsonValue[];
    throw this.#wrong(name, 'a list');
  }

  /** Any value; undefined if it is absent. */
  value(name: string): JsonValue | undefined {
    return this.#of(name) as JsonValue | undefined;
  }

  /** The values of an object, by name. */
  values(name: string): Readonly<Record<string, JsonValue>> {
    const value = this.#of(name);
    if (isRecord(value)) return value as Readonly<Record<string, JsonValue>>;
    throw this.#wrong(name, 'an object');
  }

  #of(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  #wrong(name: string, expected: string): StudioError {
    return badRequest(this.pathOf(name), faults.wrongField(this.pathOf(name), expected));
  }
}

interface CountLimits {
  readonly min?: number;
  readonly max: number;
  readonly fallback?: number;
}

/** The error of a field. */
export function badRequest(
  property: string,
  text: { readonly problem: string; readonly fix?: string },
): StudioError {
  return new StudioError('BAD_REQUEST', text, { property });
}

const faults = {
  notAnObject: (path: string) => ({
    problem: path === '' ? 'the request is not an object' : `'${path}' is not an object`,
  }),
  wrongField: (path: string, expected: string) => ({ problem: `'${path}' must be ${expected}` }),
} satisfies FaultTexts;
