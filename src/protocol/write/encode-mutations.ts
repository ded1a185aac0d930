/** Mutations -> Mutation messages (google/bigtable/v2/data.proto), with all checks. */
import { CodecError } from '../../cell/index.js';
import { RowsmithError } from '../../errors.js';
import {
  checkInt64,
  checkMicros,
  checkQualifier,
  checkValue,
  type Micros,
  type Mutation,
} from '../../store/index.js';
import { MutationMessage } from '../messages/data-messages.js';
import type { ContentOf } from '../messages/message-type.js';
import { requestError } from '../request-error.js';

type MutationContent = ContentOf<typeof MutationMessage>;
type AggregateMutation = Extract<Mutation, { kind: 'addToCell' | 'mergeToCell' }>;

/** The declared messages of the mutations, for requests with few of them. */
export function encodeMutations(mutations: readonly Mutation[]): MutationContent[] {
  return mutations.map(mutationMessage);
}

/** An encoded Mutation message. */
export function encodeMutation(mutation: Mutation): Uint8Array {
  try {
    return MutationMessage.encode(mutationMessage(mutation));
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause;
    throw new RowsmithError(
      'INVALID_ARGUMENT',
      { property: 'mutations', problem: cause.problem },
      { cause },
    );
  }
}

function mutationMessage(mutation: Mutation): MutationContent {
  switch (mutation.kind) {
    case 'setCell':
      return { setCell: setCell(mutation) };
    case 'deleteFromColumn':
      return { deleteFromColumn: deleteFromColumn(mutation) };
    case 'deleteFromFamily':
      return { deleteFromFamily: { familyName: mutation.family } };
    case 'deleteFromRow':
      return { deleteFromRow: {} };
    case 'addToCell':
      checkInt64(mutation.input, 'input');
      return { addToCell: { ...aggregateCell(mutation), input: { intValue: mutation.input } } };
    case 'mergeToCell':
      checkValue(mutation.input, 'input');
      return { mergeToCell: { ...aggregateCell(mutation), input: { rawValue: mutation.input } } };
    default:
      throw requestError(
        'mutations',
        `unknown kind '${String((mutation as { kind?: unknown }).kind)}'`,
      );
  }
}

function setCell(mutation: Extract<Mutation, { kind: 'setCell' }>): MutationContent['setCell'] {
  checkQualifier(mutation.qualifier);
  checkMicros(mutation.timestamp);
  checkValue(mutation.value);
  return {
    familyName: mutation.family,
    columnQualifier: mutation.qualifier,
    timestampMicros: BigInt(mutation.timestamp),
    value: mutation.value,
  };
}

function deleteFromColumn(
  mutation: Extract<Mutation, { kind: 'deleteFromColumn' }>,
): MutationContent['deleteFromColumn'] {
  const { family, qualifier, start, end } = mutation;
  checkQualifier(qualifier);
  const column = { familyName: family, columnQualifier: qualifier };
  if (start === undefined && end === undefined) return column;
  const timeRange = {
    startTimestampMicros: timestampBound(start, 'start'),
    endTimestampMicros: timestampBound(end, 'end'),
  };
  return { ...column, timeRange };
}

function aggregateCell({ family, qualifier, timestamp }: AggregateMutation) {
  checkQualifier(qualifier);
  return {
    familyName: family,
    columnQualifier: { rawValue: qualifier },
    timestamp: { rawTimestampMicros: timestampBound(timestamp, 'timestamp') },
  };
}

/** Checks an explicit timestamp; -1, the server's clock, is not one. */
function timestampBound<T extends Micros | undefined>(
  value: T,
  property: string,
): bigint | Extract<T, undefined> {
  if (value === undefined) return undefined as Extract<T, undefined>;
  checkMicros(value, property);
  const micros = BigInt(value);
  if (micros < 0n) throw requestError(property, 'must be an int64 that is not negative');
  return micros;
}
