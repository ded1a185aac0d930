/** Lines about calls: the first three keys are listed, the rest are counted. */
import { prefixRange, utf8Bytes } from '../../../src/base/index.js';
import { rangesText } from '../../../src/engines/observe/operation-text.js';

test.each([
  [['a', 'b'], '[a, b) [b, c)'],
  [['a', 'b', 'c'], '[a, b) [b, c) [c, d)'],
  [['a', 'b', 'c', 'd'], '[a, b) [b, c) [c, d) and 1 more'],
])('ranges of %j', (prefixes, line) => {
  expect(rangesText(prefixes.map((text) => prefixRange(utf8Bytes(text))))).toBe(line);
});
