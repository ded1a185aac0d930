/**
 * Mutations -> the bytes of the API's messages (data.proto, Mutation), the way back of mutation.ts. Cells go straight into the bytes; what is rarer
 * goes through the declared messages.
 */
import { CellFault } from '../cell/index.js';
import { WireWriter } from '../cell/wire-writer.js';
import { RowsmithError } from '../errors.js';
import type { Micros, Mutation, RowMutation } from '../store/index.js';
import { badRequest } from './bad-request.js';
import { MutationMessage } from './data-messages.js';
import type { ContentOf } from './message-type.js';

/** Bigtable's limits, in bytes and mutations (cloud.google.com/bigtable/quotas). */
export const dataLimits = { key: 4096, qualifier: 16_384, value: 100 * 1024 * 1024, mutations: 100_000 } as const;

/** Bytes from which a copy by the machine is faster than one by a loop. */
const longCopy = 64;
const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
/** Bytes of a family's name as a field, by name: families are few. */
const familyFields = new Map<string, Uint8Array>();
/** Past this many the names are no families of one program. */
const mostFamilies = 10_000;

/** Tags of MutateRowsRequest and its entries, and of a SetCell. */
const tag = { entries: 0x12, entryKey: 0x0a, entryMutations: 0x12, setCell: 0x0a, family: 0x0a, qualifier: 0x12, timestamp: 0x18, value: 0x22 } as const;

/** Writes a row as one entry of a MutateRowsRequest, with its tag. Throws INVALID_ARGUMENT or LIMIT_EXCEEDED, and then leaves nothing behind. */
export function writeEntry(w: WireWriter, { key, mutations }: RowMutation): void {
  const from = w.at;
  try {
    checkKey(key);
    checkMutations(mutations);
    w.tag(tag.entries);
    const start = w.open();
    writeBytes(w, tag.entryKey, key);
    for (const mutation of mutations) writeMutation(w, tag.entryMutations, mutation);
    w.close(start);
  } catch (error) {
    w.at = from;
    throw error;
  }
}

/** Mutations as declared messages, for requests that hold few of them. */
export function mutationMessages(mutations: readonly Mutation[]): ContentOf<typeof MutationMessage>[] {
  return mutations.map(mutationMessage);
}

/** Refuses a key that no row has. */
export function checkKey(key: Uint8Array): void {
  checkBytes(key, 'key', dataLimits.key);
  if (key.length === 0) throw badRequest('key', 'row keys must be non-empty');
}

/** Refuses no mutations, and more than a request may hold. */
export function checkMutations(mutations: readonly Mutation[]): void {
  if (mutations.length === 0) throw badRequest('mutations', 'a row mutation needs at least one mutation');
  if (mutations.length <= dataLimits.mutations) return;
  throw new RowsmithError('LIMIT_EXCEEDED', { property: 'mutations', problem: `${mutations.length} mutations, the limit is ${dataLimits.mutations}`, fix: 'split the request' });
}

/** Refuses bytes that are none, or too many. */
export function checkBytes(bytes: Uint8Array, property: string, most: number): void {
  if (!(bytes instanceof Uint8Array)) throw badRequest(property, 'must be a Uint8Array');
  if (bytes.length > most) throw new RowsmithError('LIMIT_EXCEEDED', { property, problem: `${bytes.length} bytes, the limit is ${most}` });
}

function writeMutation(w: WireWriter, mutationTag: number, mutation: Mutation): void {
  if (mutation.kind !== 'setCell') return writeBytes(w, mutationTag, encodeMutation(mutation));
  const { family, qualifier, timestamp, value } = mutation;
  checkBytes(qualifier, 'qualifier', dataLimits.qualifier);
  checkBytes(value, 'value', dataLimits.value);
  const name = familyFields.get(family) ?? familyField(family);
  const micros = checkedMicros(timestamp);
  const body = name.length + fieldLength(qualifier.length) + 1 + microsLength(micros) + fieldLength(value.length);
  w.room(body + 16);
  w.tag(mutationTag);
  w.varint32(1 + varintLength(body) + body);
  w.tag(tag.setCell);
  w.varint32(body);
  copy(w, name);
  writeBytes(w, tag.qualifier, qualifier);
  w.tag(tag.timestamp);
  writeMicros(w, micros);
  writeBytes(w, tag.value, value);
}

function encodeMutation(mutation: Mutation): Uint8Array {
  try {
    return MutationMessage.encode(mutationMessage(mutation));
  } catch (cause) {
    if (!(cause instanceof CellFault)) throw cause;
    throw new RowsmithError('INVALID_ARGUMENT', { property: 'mutations', problem: cause.problem }, { cause });
  }
}

function mutationMessage(mutation: Mutation): ContentOf<typeof MutationMessage> {
  switch (mutation.kind) {
    case 'setCell': {
      checkBytes(mutation.value, 'value', dataLimits.value);
      return { setCell: { familyName: mutation.family, columnQualifier: qualifierOf(mutation), timestampMicros: BigInt(checkedMicros(mutation.timestamp)), value: mutation.value } };
    }
    case 'deleteFromColumn': {
      const { start, end } = mutation;
      const range = { ...(start === undefined ? {} : { startTimestampMicros: bound(start, 'start') }), ...(end === undefined ? {} : { endTimestampMicros: bound(end, 'end') }) };
      return { deleteFromColumn: { familyName: mutation.family, columnQualifier: qualifierOf(mutation), ...(start === undefined && end === undefined ? {} : { timeRange: range }) } };
    }
    case 'deleteFromFamily': return { deleteFromFamily: { familyName: mutation.family } };
    case 'deleteFromRow': return { deleteFromRow: {} };
    case 'addToCell': return { addToCell: { ...place(mutation), input: { intValue: checkInt64(mutation.input, 'input') } } };
    case 'mergeToCell': {
      checkBytes(mutation.input, 'input', dataLimits.value);
      return { mergeToCell: { ...place(mutation), input: { rawValue: mutation.input } } };
    }
    default: throw badRequest('mutations', `unknown kind '${String((mutation as { kind?: unknown }).kind)}'`);
  }
}

function place(mutation: Extract<Mutation, { kind: 'addToCell' | 'mergeToCell' }>): { familyName: string; columnQualifier: { rawValue: Uint8Array }; timestamp: { rawTimestampMicros: bigint } } {
  return { familyName: mutation.family, columnQualifier: { rawValue: qualifierOf(mutation) }, timestamp: { rawTimestampMicros: bound(mutation.timestamp, 'timestamp') } };
}

function qualifierOf({ qualifier }: { readonly qualifier: Uint8Array }): Uint8Array {
  checkBytes(qualifier, 'qualifier', dataLimits.qualifier);
  return qualifier;
}

/** A bound of a range of timestamps, or the timestamp of an aggregate: the server's clock is not among them. */
function bound(value: Micros, property: string): bigint {
  const micros = BigInt(checkedMicros(value));
  if (micros < 0n) throw badRequest(property, 'must be an int64 that is not negative');
  return micros;
}

/** A timestamp that an int64 holds. What else is wrong with it, the server knows: the table has its granularity. */
function checkedMicros(value: Micros): Micros {
  if (typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'bigint' && value >= int64Min && value <= int64Max) return value;
  throw badRequest('timestamp', 'must be a safe integer, or a bigint in the range of an int64');
}

/** Refuses what an int64 does not hold. */
export function checkInt64(value: bigint, property: string): bigint {
  if (typeof value === 'bigint' && value >= int64Min && value <= int64Max) return value;
  throw badRequest(property, 'must be a bigint in the range of an int64');
}

function familyField(family: string): Uint8Array {
  if (typeof family !== 'string') throw badRequest('family', 'must be a string');
  const name = Buffer.from(family, 'utf8');
  const w = new WireWriter();
  writeBytes(w, tag.family, name);
  const field = w.finish(0);
  if (familyFields.size < mostFamilies) familyFields.set(family, field);
  return field;
}

/** A field of bytes, also of none. */
function writeBytes(w: WireWriter, fieldTag: number, bytes: Uint8Array): void {
  w.room(bytes.length + 16);
  w.tag(fieldTag);
  w.varint32(bytes.length);
  copy(w, bytes);
}

/** Into room that is there. */
function copy(w: WireWriter, from: Uint8Array): void {
  const { bytes, at } = w;
  const { length } = from;
  if (length < longCopy) for (let i = 0; i < length; i++) bytes[at + i] = from[i];
  else bytes.set(from, at);
  w.at = at + length;
}

function writeMicros(w: WireWriter, micros: Micros): void {
  if (typeof micros === 'number' && micros >= 0) return w.varint64(micros | 0, Math.floor(micros / 2 ** 32));
  const unsigned = BigInt.asUintN(64, BigInt(micros));
  w.varint64(Number(unsigned & 0xffff_ffffn), Number(unsigned >> 32n));
}

function microsLength(micros: Micros): number {
  if (micros < 0) return 10;
  let length = 1;
  if (typeof micros === 'bigint') for (let rest = micros >> 7n; rest > 0n; rest >>= 7n) length++;
  else for (let rest = micros; rest >= 128; rest /= 128) length++;
  return length;
}

function fieldLength(length: number): number {
  return 1 + varintLength(length) + length;
}

/** Bytes of an unsigned number below 2^31 as varint. */
function varintLength(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
}
