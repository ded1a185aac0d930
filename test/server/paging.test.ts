/** Pages of the lists of the admin API, around their sizes. */
import { onePage } from '../../src/server/admin/paging.js';

const items = ['a', 'b', 'c', 'd'];
/** The pages of a list, by following the tokens. */
function pagesOf(size: number): string[][] {
  const pages: string[][] = [];
  let token: string | undefined = '';
  while (token !== undefined) {
    const page: ReturnType<typeof onePage<string>> = onePage(items, (item) => item, size, token);
    pages.push([...page.items]);
    token = page.nextPageToken;
  }
  return pages;
}

test('no page is empty, and the last one has no token', () => {
  expect(pagesOf(0)).toEqual([items]);
  expect(pagesOf(1)).toEqual([['a'], ['b'], ['c'], ['d']]);
  expect(pagesOf(2)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  expect(pagesOf(3)).toEqual([['a', 'b', 'c'], ['d']]);
  expect(pagesOf(4)).toEqual([items]);
  expect(pagesOf(5)).toEqual([items]);
});
const refused = expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error;

test('a negative size and a foreign token are refused', () => {
  expect(() => pagesOf(-1)).toThrow(refused);
  expect(() => onePage(items, (item) => item, 1, '?')).toThrow(refused);
});
