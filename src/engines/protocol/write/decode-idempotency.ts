/** Idempotency -> the token of a row (google/bigtable/v2/data.proto). */
import {
  idempotencyMs,
  minTokenBytes,
  noBytes,
  RowsmithError,
  type FaultTexts,
} from '../../../base/index.js';
import type { RowMutation } from '../../../data/store/index.js';
import type { MutateRowRequest } from '../messages/data-messages.js';
import type { ContentOf } from '../../../data/cell/index.js';
import { constantRequestError } from '../request-error.js';

/**
 * The row with the token of the message, if there is one. Throws INVALID_ARGUMENT for a token that
 * is too short, and FAILED_PRECONDITION if the first attempt is so old that its token may have
 * expired.
 */
export function withToken(
  row: RowMutation,
  message: ContentOf<typeof MutateRowRequest>['idempotency'],
): RowMutation {
  if (message === undefined) return row;
  const { token = noBytes, startTime } = message;
  if (token.length < minTokenBytes) throw constantRequestError('idempotency', faults.tokenTooShort);
  // As in the proto, a time of zero is one that is not set.
  const started = startTime?.getTime() ?? 0;
  if (started !== 0 && Date.now() - started > idempotencyMs)
    throw new RowsmithError('FAILED_PRECONDITION', {
      property: 'idempotency',
      ...faults.expiredToken,
    });
  return { ...row, token };
}

const faults = {
  tokenTooShort: { problem: `The token must have at least ${minTokenBytes} bytes.` },
  expiredToken: { problem: 'The start_time is older than 15 minutes: the token may have expired.' },
} satisfies FaultTexts;
