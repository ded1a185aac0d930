/** Requests with fields that this server does not know: they would be ignored silently. */
import type { FaultTexts } from '../../../base/index.js';
import { unknownFields, type MessageShape } from '../../../data/cell/index.js';
import { unsupportedRequest } from '../request-error.js';

type Properties = Readonly<Record<string | symbol, unknown>>;

/** UNSUPPORTED if a message has a field that is not declared here, at any level. */
export function rejectUnknownFields(shape: MessageShape, message: object): void {
  const properties = message as Properties;
  const bytes = properties[unknownFields];
  if (bytes !== undefined) {
    throw unsupportedRequest('', faults.unknownField(shape.name, bytes as Uint8Array));
  }
  for (const { name, type } of shape.fields) {
    const value = properties[name];
    if (type.kind !== 'message' || value === undefined) continue;
    for (const nested of messagesOf(value)) rejectUnknownFields(type.shape(), nested);
  }
}

function messagesOf(value: unknown): Iterable<object> {
  if (value instanceof Map) return (value as ReadonlyMap<string, object>).values();
  if (Array.isArray(value)) return value as object[];
  return [value as object];
}

/** The number in the tag of the first field. */
function fieldNumber(bytes: Uint8Array): number {
  let tag = 0;
  for (let i = 0; i < 5; i++) {
    tag += (bytes[i] & 0x7f) * 2 ** (7 * i);
    if (bytes[i] < 0x80) break;
  }
  return Math.floor(tag / 8);
}

const faults = {
  unknownField: (name: string, bytes: Uint8Array) => ({
    problem: `${name} has field ${fieldNumber(bytes)}, which this server does not offer.`,
  }),
} satisfies FaultTexts;
