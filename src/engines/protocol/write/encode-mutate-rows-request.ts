/**
 * Rows -> entries of a MutateRowsRequest (google/bigtable/v2/bigtable.proto), written directly into
 * its bytes. The first pass checks the row and computes every length; the second writes into space
 * that is reserved once. Rare mutations are encoded through the declared messages.
 */
import { noBytes, type FaultTexts } from '../../../base/index.js';
import { type WireWriter, varintLength } from '../../../data/cell/index.js';
import {
  checkMicros,
  checkMutations,
  checkQualifier,
  checkRowKey,
  checkValue,
  type Micros,
  type Mutation,
  type RowMutation,
} from '../../../data/store/index.js';
import { requestError } from '../request-error.js';
import { timestampOrigin } from '../messages/data-messages.js';
import { encodeMutation } from './encode-mutations.js';

/** Tags of MutateRowsRequest, its entries, Mutation, SetCell and the deletions. */
const tag = {
  entries: 0x12,
  entryKey: 0x0a,
  entryMutations: 0x12,
  setCell: 0x0a,
  deleteFromColumn: 0x12,
  deleteFromFamily: 0x1a,
  family: 0x0a,
  qualifier: 0x12,
  timestamp: 0x18,
  value: 0x22,
  timestampOrigin: 0x38,
} as const;
/** Bytes of the field timestamp_origin. */
const originBytes = 2;

/** From this many bytes on `set` (about 15 ns) is faster than a loop (about 1.2 ns per byte). */
const minSetBytes = 16;

/** The encoded family_name fields by name. */
const familyFields = new Map<string, Uint8Array>();
/** Bounds the cache if a program generates family names. */
const maxCachedFamilies = 10_000;

/**
 * The current row by mutation index: the length of each mutation's message, or the encoded Mutation
 * if it went through the declared messages.
 */
const lengths: number[] = [];
const encoded: (Uint8Array | undefined)[] = [];

/** The previous family and its field; neighbouring mutations usually share the family. */
let lastFamily: string | undefined;
let lastField: Uint8Array = noBytes;
/** The previous timestamp as a varint; cells that are written together usually share it. */
let lastMicros: Micros | undefined;
const micros = new Uint8Array(10);
let microsLength = 0;

/**
 * Writes a row as one entry, with its tag. If it throws INVALID_ARGUMENT or LIMIT_EXCEEDED, nothing
 * was written.
 */
export function encodeMutateRowsEntry(w: WireWriter, { key, mutations }: RowMutation): void {
  checkRowKey(key);
  checkMutations(mutations);
  let length = fieldLength(key.length);
  for (let i = 0; i < mutations.length; i++) length += measure(mutations[i], i);
  w.room(fieldLength(length));
  const { bytes } = w;
  let at = putBytes(bytes, putLength(bytes, w.at, tag.entries, length), tag.entryKey, key);
  for (let i = 0; i < mutations.length; i++) at = putMutation(bytes, at, mutations[i], i);
  w.at = at;
}

/** Checks a mutation and returns the length of its field in the entry. */
function measure(mutation: Mutation, i: number): number {
  encoded[i] = undefined;
  let body: number;
  switch (mutation.kind) {
    case 'setCell': {
      const { qualifier, value } = mutation;
      checkQualifier(qualifier);
      checkValue(value);
      setMicros(mutation.timestamp);
      body =
        familyField(mutation.family).length +
        fieldLength(qualifier.length) +
        1 +
        microsLength +
        fieldLength(value.length);
      break;
    }
    case 'deleteFromColumn':
      if (mutation.start !== undefined || mutation.end !== undefined)
        return encodeDeclared(mutation, i);
      checkQualifier(mutation.qualifier);
      body = familyField(mutation.family).length + fieldLength(mutation.qualifier.length);
      break;
    case 'deleteFromFamily':
      body = familyField(mutation.family).length;
      break;
    default:
      return encodeDeclared(mutation, i);
  }
  lengths[i] = body;
  return fieldLength(fieldLength(body) + originLength(mutation));
}

/** Bytes of the mutation after its first field. */
function originLength(mutation: Mutation): number {
  return mutation.kind === 'setCell' && mutation.truncate === true ? originBytes : 0;
}

function encodeDeclared(mutation: Mutation, i: number): number {
  const bytes = encodeMutation(mutation);
  encoded[i] = bytes;
  return fieldLength(bytes.length);
}

/** Writes a measured mutation. */
function putMutation(bytes: Uint8Array, at: number, mutation: Mutation, i: number): number {
  const declared = encoded[i];
  if (declared !== undefined) return putBytes(bytes, at, tag.entryMutations, declared);
  const body = lengths[i];
  at = putLength(bytes, at, tag.entryMutations, fieldLength(body) + originLength(mutation));
  switch (mutation.kind) {
    case 'setCell':
      at = put(bytes, putLength(bytes, at, tag.setCell, body), familyField(mutation.family));
      at = putBytes(bytes, at, tag.qualifier, mutation.qualifier);
      setMicros(mutation.timestamp);
      bytes[at++] = tag.timestamp;
      for (let j = 0; j < microsLength; j++) bytes[at++] = micros[j];
      at = putBytes(bytes, at, tag.value, mutation.value);
      if (mutation.truncate !== true) return at;
      bytes[at++] = tag.timestampOrigin;
      bytes[at++] = timestampOrigin.clientAutoGenerated;
      return at;
    case 'deleteFromColumn':
      at = put(
        bytes,
        putLength(bytes, at, tag.deleteFromColumn, body),
        familyField(mutation.family),
      );
      return putBytes(bytes, at, tag.qualifier, mutation.qualifier);
    case 'deleteFromFamily':
      return put(
        bytes,
        putLength(bytes, at, tag.deleteFromFamily, body),
        familyField(mutation.family),
      );
    default:
      throw new Error(`${mutation.kind} was not encoded`);
  }
}

/** The encoded family_name field. */
function familyField(family: string): Uint8Array {
  if (family === lastFamily) return lastField;
  const field = familyFields.get(family) ?? newFamilyField(family);
  lastFamily = family;
  lastField = field;
  return field;
}

function newFamilyField(family: string): Uint8Array {
  if (typeof family !== 'string') throw requestError('family', faults.notAString);
  const name = Buffer.from(family, 'utf8');
  // A lone surrogate would be replaced by U+FFFD: another name.
  if (name.toString() !== family) throw requestError('family', faults.notWellFormed);
  const field = new Uint8Array(fieldLength(name.length));
  putBytes(field, 0, tag.family, name);
  if (familyFields.size < maxCachedFamilies) familyFields.set(family, field);
  return field;
}

/** Encodes the timestamp into `micros`. */
function setMicros(timestamp: Micros): void {
  if (timestamp === lastMicros) return;
  checkMicros(timestamp);
  lastMicros = timestamp;
  let [lower, upper] = halvesOf(timestamp);
  let at = 0;
  for (; upper !== 0 || lower > 0x7f; upper >>>= 7) {
    micros[at++] = lower | 0x80;
    lower = ((lower >>> 7) | (upper << 25)) >>> 0;
  }
  micros[at++] = lower;
  microsLength = at;
}

function halvesOf(timestamp: Micros): [lower: number, upper: number] {
  if (typeof timestamp === 'number' && timestamp >= 0)
    return [timestamp >>> 0, Math.floor(timestamp / 2 ** 32)];
  const unsigned = BigInt.asUintN(64, BigInt(timestamp));
  return [Number(unsigned & 0xffff_ffffn), Number(unsigned >> 32n)];
}

/** Writes a tag and a length; returns the next position. */
function putLength(bytes: Uint8Array, at: number, fieldTag: number, length: number): number {
  bytes[at++] = fieldTag;
  for (; length > 0x7f; length >>>= 7) bytes[at++] = length | 0x80;
  bytes[at++] = length;
  return at;
}

/** Writes a bytes field, which may be empty. */
function putBytes(bytes: Uint8Array, at: number, fieldTag: number, value: Uint8Array): number {
  return put(bytes, putLength(bytes, at, fieldTag, value.length), value);
}

function put(bytes: Uint8Array, at: number, value: Uint8Array): number {
  const { length } = value;
  if (length < minSetBytes) for (let i = 0; i < length; i++) bytes[at + i] = value[i];
  else bytes.set(value, at);
  return at + length;
}

/** The length of a field with a one-byte tag and a value of `length` bytes. */
function fieldLength(length: number): number {
  return 1 + varintLength(length) + length;
}

const faults = {
  notAString: { problem: 'must be a string' },
  notWellFormed: { problem: 'must be well-formed text' },
} satisfies FaultTexts;
