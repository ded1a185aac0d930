/** Pagination of the admin API's list methods. */
import type { FaultTexts } from '../../base/index.js';
import { requestError } from '../../engines/protocol/index.js';

/**
 * At most `size` items (0: all) after the one that the token names, and the token of the next page.
 * Items must be sorted by name.
 */
export function onePage<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  size = 0,
  token = '',
): { readonly items: readonly T[]; readonly nextPageToken?: string } {
  if (size < 0) throw requestError('page_size', faults.negativePageSize);
  const after = Buffer.from(token, 'base64url').toString();
  if (tokenOf(after) !== token) throw requestError('page_token', faults.unknownPageToken);
  const rest = token === '' ? items : items.filter((item) => nameOf(item) > after);
  if (size === 0 || rest.length <= size) return { items: rest };
  return {
    items: rest.slice(0, size),
    nextPageToken: tokenOf(nameOf(rest[size - 1])),
  };
}

/** The token of a page that begins after the name. */
function tokenOf(name: string): string {
  return Buffer.from(name).toString('base64url');
}

const faults = {
  negativePageSize: { problem: 'page_size must not be negative' },
  unknownPageToken: { problem: 'page_token must be a next_page_token of an earlier call' },
} satisfies FaultTexts;
