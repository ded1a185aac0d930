/** Patterns of filters: RE2 syntax over bytes, anchored at both ends, in linear time. */
import { compilePattern, loadRegex } from '../../../src/engines/local/read/filter/regex.js';
import { plainText, withoutAnyByte } from '../../../src/engines/local/read/filter/regex-syntax.js';
import { minGrowth } from '../../support/growth.js';

const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
beforeAll(async () => void (await loadRegex({ kind: 'valueRegex', pattern: latin1('.') })));

function matches(pattern: string, text: string): boolean {
  const bytes = latin1(`<${text}>`);
  return compilePattern(latin1(pattern)).matches(bytes, 1, bytes.length - 1);
}

test.each([
  ['.', '\r'],
  ['.', '\x85'],
  ['.', '\xff'],
  ['(?s).', '\n'],
  ['\\C', '\n'],
  ['\\C{3}', '\x00\n\xff'],
  ['a\\Cb', 'a\nb'],
  ['\\C*?', 'abc'],
  ['\\d+', '09'],
  ['\\s+', ' \t\n\f\r'],
  ['\\w+', 'aZ_9'],
  ['\\S', '\xa0'],
  ['\\S', '\x0b'],
  ['\\W', '\xe9'],
  ['(?i)straße', 'STRAßE'],
  ['(?i)\xe9', '\xc9'],
  ['\\pL+', 'a\xe9\xff'],
  ['\\PL', '1'],
  ['[[:alpha:]]+', 'aZ'],
  ['[^a]', '\n'],
  ['\\Qa.b*\\E', 'a.b*'],
  ['\\Qa.b', 'a.b'],
  ['\\Q\\C\\E', '\\C'],
  ['[]\\\\]+', ']\\'],
  ['[[:digit:]\\]]+', '1]'],
  ['a|ab', 'ab'],
  ['(?:a|ab)(?:c|bcd)', 'abcd'],
  ['a*?', 'aaa'],
  ['^a$', 'a'],
  ['\\Aa\\z', 'a'],
  ['(?m)a$\n^b', 'a\nb'],
  ['\\x{ff}\\x00\\377\\n\\v', '\xff\x00\xff\n\x0b'],
  ['(?P<n>a)(?<m>b)', 'ab'],
  ['a{,2}', 'a{,2}'],
  ['', ''],
  ['\\.\\x41', '.A'],
])('%j matches %j', (pattern, text) => expect(matches(pattern, text)).toBe(true));

test.each([
  ['.', '\n'],
  ['a', 'ab'],
  ['b', 'ab'],
  ['a$', 'a\n'],
  ['\\s', '\xa0'],
  ['\\s', '\x0b'],
  ['\\w', '\xe9'],
  ['\\d', '\xb2'],
  ['(?m)^a$', 'a\n'],
  ['a|b', 'ab'],
  ['\\Qa.b\\E', 'axb'],
  ['', 'a'],
  ['\\.', 'a'],
  ['\\x{100}', '\x00'],
  ['(?-s).', '\n'],
  ['caf.', 'caf\xc3\xa9'],
])('%j does not match %j', (pattern, text) => expect(matches(pattern, text)).toBe(false));

test.each([
  '[',
  '(',
  ')',
  'a**',
  'a++',
  'a{2}{3}',
  'a{1001}',
  'x{2,1}',
  '[b-a]',
  '\\',
  '\\1',
  '(a)\\1',
  '\\8',
  '\\Z',
  '\\h',
  '\\R',
  '\\X',
  '\\G',
  '\\cA',
  '\\u0041',
  '\\pX',
  '\\p{Nothing}',
  '[[:nothing:]]',
  '[\\C]',
  '(?=a)',
  '(?!a)',
  '(?<=a)b',
  '(?<!a)b',
  '(?>a)',
  '(?#c)a',
  '(?x)a',
  '(?i',
  '(?P=n)',
  '\\k<n>',
  '(?P<n>a)(?P<n>b)',
  '((((a{10}){10}){10}){10})',
  'x{1000}'.repeat(2000),
])('%j is rejected', (pattern) => {
  expect(() => compilePattern(latin1(pattern))).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
  );
});

test('plain patterns are recognized', () => {
  expect(['abc', 'a\\.b', '\\x41\\xff', 'a\nb', '\\-', '', 'é:#/'].map(plainText)).toEqual([
    'abc',
    'a.b',
    'A\xff',
    'a\nb',
    '-',
    '',
    'é:#/',
  ]);
  for (const pattern of [
    'a.',
    'a|b',
    '^a',
    'a$',
    '\\d',
    '\\',
    '\\x4',
    '\\x{41}',
    '\\n',
    '[a]',
    'a?',
    '\\C',
    '\\Qa\\E',
    '(?i)a',
    'a{2}',
  ])
    expect(plainText(pattern)).toBeUndefined();
});

test('\\C is replaced only where it means any byte', () => {
  expect(
    [
      '\\C',
      'a\\Cb\\C',
      '\\\\C',
      '\\\\\\C',
      '\\Q\\C\\E\\C',
      '[\\C]',
      '[]\\C]\\C',
      '[^]\\C]',
      '[[:alpha:]\\C]\\C',
      '\\Q\\C',
    ].map(withoutAnyByte),
  ).toEqual([
    '(?s:.)',
    'a(?s:.)b(?s:.)',
    '\\\\C',
    '\\\\(?s:.)',
    '\\Q\\C\\E(?s:.)',
    '[\\C]',
    '[]\\C](?s:.)',
    '[^]\\C]',
    '[[:alpha:]\\C](?s:.)',
    '\\Q\\C',
  ]);
});

// With backtracking, time would grow exponentially or with the square of the length: 64 times as
// long for eight times the bytes.
test.each([
  '(a*)*b',
  '(a|aa)+c',
  '(a+a+)+b',
  '(.*)(.*)(.*)(.*)[^a]',
  '(?:a?){50}a{50}b',
  '(a|a|a|a)*b',
])('%s takes linear time', (pattern) => {
  const { matches } = compilePattern(latin1(pattern));
  const growth = minGrowth(
    (size) => {
      const bytes = latin1('a'.repeat(size));
      expect(matches(bytes, 0, bytes.length)).toBe(false);
    },
    [25_000, 200_000],
    20,
  );
  expect(growth).toBeLessThan(40);
});
