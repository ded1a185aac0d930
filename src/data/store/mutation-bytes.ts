/** The size of writes, for observers. */
import type { Mutation, RowMutation } from './mutation.js';

/** Bytes of the key, and of the qualifiers and values of the mutations. */
export function rowMutationBytes({ key, mutations }: RowMutation): number {
  return mutations.reduce((sum, mutation) => sum + mutationBytes(mutation), key.length);
}

function mutationBytes(mutation: Mutation): number {
  switch (mutation.kind) {
    case 'setCell':
      return mutation.qualifier.length + mutation.value.length;
    case 'addToCell':
      return mutation.qualifier.length + 8;
    case 'mergeToCell':
      return mutation.qualifier.length + (mutation.input?.length ?? 0);
    case 'deleteFromColumn':
      return mutation.qualifier.length;
    default:
      return 0;
  }
}
