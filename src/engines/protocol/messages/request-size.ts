/**
 * Counts the fields of an encoded request before it is decoded, because a decoded field takes many
 * times its encoded bytes: an empty message is two bytes of a request and an object in memory.
 */
import { maxMutations, RowsmithError, type FaultTexts } from '../../../base/index.js';
import {
  CodecError,
  cursor as wire,
  maxDepth,
  readEnd,
  readTag,
  skip,
  type MessageShape,
} from '../../../data/cell/index.js';

/**
 * Elements of one repeated field. Bigtable's limit of mutations per request, and the same for
 * fields without a documented limit: 100,000 row keys are more than the 512 KiB that Bigtable
 * accepts of them.
 */
export const maxElements = maxMutations;
/** Fields of a request, at all levels: 100,000 mutations have at most 800,000. */
export const maxRequestFields = 1_000_000;

/** Tags of the repeated fields of a message, with their names, and of its message fields. */
interface CountedMessage {
  readonly repeated: ReadonlyMap<number, string>;
  readonly nested: ReadonlyMap<number, MessageShape>;
}

const compiled = new WeakMap<MessageShape, CountedMessage>();

/** Throws LIMIT_EXCEEDED for a request with too many fields or elements of a repeated field. */
export function checkRequestSize(shape: MessageShape, bytes: Uint8Array): void {
  try {
    new FieldCounter(bytes).count(shape, 0, bytes.length, 1);
  } catch (error) {
    // Malformed bytes: decoding them gives the exact error.
    if (!(error instanceof CodecError)) throw error;
  }
}

/** LIMIT_EXCEEDED for a request with more than `limit` of `what`. */
export function tooMany(property: string, what: string, limit: number): RowsmithError {
  return new RowsmithError('LIMIT_EXCEEDED', {
    property,
    ...faults.tooManyEntries(limit, what),
  });
}

class FieldCounter {
  #fields = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Counts the fields of the message at `[at, end)`. */
  count(shape: MessageShape, at: number, end: number, depth: number): void {
    if (depth > maxDepth) return;
    const bytes = this.#bytes;
    const { repeated, nested } = countedMessage(shape);
    const elements = new Map<number, number>();
    while (at < end) {
      const tag = readTag(bytes, at, end);
      if (++this.#fields > maxRequestFields) throw tooMany('', 'fields', maxRequestFields);
      const name = repeated.get(tag);
      if (name !== undefined) {
        const count = (elements.get(tag) ?? 0) + 1;
        if (count > maxElements) throw tooMany(name, name, maxElements);
        elements.set(tag, count);
      }
      const inner = nested.get(tag);
      if (inner === undefined) at = skip(bytes, wire.at, end, tag, depth);
      else {
        const stop = readEnd(bytes, wire.at, end);
        this.count(inner, wire.at, stop, depth + 1);
        at = stop;
      }
    }
  }
}

function countedMessage(shape: MessageShape): CountedMessage {
  let counted = compiled.get(shape);
  if (counted === undefined) compiled.set(shape, (counted = countedFields(shape)));
  return counted;
}

function countedFields({ fields }: MessageShape): CountedMessage {
  const repeated = new Map<number, string>();
  const nested = new Map<number, MessageShape>();
  for (const { number, name: field, label, type } of fields) {
    const tag = number * 8 + 2;
    if (label !== 'singular') repeated.set(tag, protoName(field));
    if (type.kind !== 'message') continue;
    if (label === 'map') nested.set(tag, mapEntry(type.shape));
    else nested.set(tag, type.shape());
  }
  return { repeated, nested };
}

/** The message of a map's entries: the value is field 2. */
function mapEntry(value: () => MessageShape): MessageShape {
  return {
    name: 'entry',
    fields: [
      { name: 'value', number: 2, label: 'singular', type: { kind: 'message', shape: value } },
    ],
    create: () => ({}),
    messageClass: Object,
  };
}

/** `serve_nodes` for `serveNodes`. */
export function protoName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const faults = {
  tooManyEntries: (limit: number, what: string) => ({
    problem: `The request has more than ${limit} ${what}.`,
    fix: 'split the request',
  }),
} satisfies FaultTexts;
