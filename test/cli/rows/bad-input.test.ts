/** Wrong arguments of commands on rows: what the message says, and that nothing is written. */
import { type Shop, shops } from './shop.js';

let shop: Shop;
let before = '';
beforeAll(async () => {
  shop = await shops[0].open();
  before = (await shop.run(['scan', 'Order'])).out;
});
afterAll(() => shop.close());
afterEach(async () => expect((await shop.run(['scan', 'Order'])).out).toBe(before));

const usage: readonly (readonly [string, string])[] = [
  ['get', 'no entity was named: rowsmith get ENTITY'],
  ['get Ordr shop=a n=1', "the project has no entity 'Ordr'; did you mean 'Order'?"],
  ['get Order shpo=a n=1', "'shpo' is not a segment of the key of Order; did you mean 'shop'?"],
  ['get Order shop=a', 'the key of Order is not complete: add n=VALUE; rowsmith scan reads'],
  ['get Order n=1', "'n' is after 'shop' in the key of Order (shop, n): add shop=VALUE"],
  ['get Order shop=a n=x', 'n=x: expected a whole number, got the string "x"; write its digits'],
  ['get Order shop=a n:=x', 'n:=x: it is not JSON'],
  ['get Order shop:=null n=1', "'shop' is never null"],
  ['get Order shop=a shop=b n=1', "'shop' has several values: one row has one value"],
  ['get Order shop=a n>=1', "'n' has several values"],
  ['get Order shop=a n!=1', 'exclude a value with --where n!=VALUE'],
  ['get Order shop=a n', "'n' has no value: write n=VALUE"],
  ['get Order {"shop":"a"}', 'add n=VALUE'],
  ['get Order {"shop":', 'the key: it is not JSON'],
  ['get Order {"shop":"a","n":1} n=1', 'give the key as SEGMENT=VALUE or as JSON, not both'],
  [
    'get Order --key oslo#1',
    "--key oslo#1 is not the key of Order: Part 2 of the key is not a value of segment 'n'",
  ],
  ['get Order --key oslo#0001 n=1', '--key is the whole key'],
  [
    'get Order shop=a n=1 --select statsu',
    "--select statsu: Order has no such property; did you mean 'status'?",
  ],
  ['get Order shop=a n=1 --as-of soon', '--as-of soon: '],
  ['get Order shop=a n=1 --versions 0', '--versions takes a whole number above 0'],
  ['get Order shop=a n=1 --raw --history', '--raw shows all versions already'],
  [
    'get Order --index byStat status=a',
    "--index byStat: Order has no such index; did you mean 'byStatus'?",
  ],
  ['get Device --index by tenant=a', '--index by: Device declares no index'],
  ['get Order --index byCode code=a --as-of 2026-01-01', '--as-of cannot be combined with --index'],
  [
    'scan Order status=open',
    "'status' is a column, not a segment of the key of Order; test it with --where status=VALUE",
  ],
  ['scan Order n=1', "'n' is after 'shop'"],
  ['scan Order n>=1', "which is 'shop' in the key of Order"],
  ['scan Order shop=a n<=1', 'ranges exclude their end: write n<VALUE'],
  ['scan Order shop=a n>1', 'ranges include their start: write n>=VALUE'],
  ['scan Order shop=a shop>=b', "'shop' has a value already|which is 'n'"],
  ['scan Order shop=a --from n', "--from takes SEGMENT=VALUE, not 'n'"],
  ['scan Order shop=a n>=1 n>=2', 'n>=2: this end is given twice'],
  ['scan Reading tenant=a device>=b at<2026-01-01', 'a read has one range, on one segment'],
  ['scan Order shop=a --from n=1 --starts n=2', 'a range has two ends, or a beginning, not both'],
  ['scan Order ofShops shop=a', "Order has no access pattern 'ofShops'; did you mean 'ofShop'?"],
  ['scan Device all', "'all' is neither SEGMENT=VALUE nor an access pattern: Device declares none"],
  [
    'scan Order range shop=a',
    "access pattern 'range' of Order takes shop=VALUE --from n=VALUE --to n=VALUE",
  ],
  ['scan Order ofShop --index byStatus', "the access pattern 'ofShop' does not read an index"],
  ['scan Order --index byStatus shop=a', "'shop' is after 'status' in index 'byStatus' of Order"],
  ['scan Order --where statsu=a', "did you mean 'status'?"],
  ['scan Order shop=a hits+=1', '+= changes a counter'],
  ['scan Order --limit many', '--limit takes a whole number above 0'],
  ['scan Order {"shop":"a","n":1}', 'read it with rowsmith get'],
  ['scan Order --colour', "there is no option '--colour'"],
  ['ls Order shop=oslo n=1', 'every segment has a value: read the row with rowsmith get'],
  ['ls Order shop>=a', 'ls lists all values'],
  ['ls --limit 1', '--limit is for the values of a segment: name an entity'],
  ['ls --exact', '--exact is for the values of a segment'],
  ['count Order --url memory:', 'memory: is empty in every process'],
  ['explain get Order shop=a', 'add n=VALUE'],
  ['keys', 'keys takes encode, decode or verify'],
  ['keys encode Order shop=a', 'add n=VALUE'],
  ['keys decode', 'keys decode takes the bytes of one key'],
  ['keys decode zz --as hex', "'zz' is not hexadecimal"],
  ['keys decode a=b --as base64', "'a=b' is not base64"],
  ['keys decode a\\q', 'a backslash begins \\xNN'],
  ['keys decode a --as utf8', "--as takes text, hex or base64, not 'utf8'"],
  ['keys decode a --sample 3', '--sample is an option of verify'],
  ['keys decode a --index byStatus', '--index is an option of encode'],
  ['keys verify --index byStatus', '--index is an option of encode'],
  ['keys verify --as hex', '--as is an option of encode and decode'],
  ['put Order shop=a n=1 status=x', 'put needs --yes where nobody can be asked'],
  ['put Order shop=a status=x --yes', 'the key of Order is not complete: add n=VALUE'],
  ['put Order shop=a n=1 statsu=x --yes', "Order has no property 'statsu'; did you mean 'status'?"],
  ['put Order shop=a n=1 total=many --yes', 'total=many: '],
  ['put Order shop=a n=1 total=1 total=2 --yes', "'total' is given twice"],
  ['put Order shop=a n=1 tags=x --yes', 'tags=x: it is not JSON'],
  ['put Order shop=a n=1 n>=1 --yes', 'a write takes NAME=VALUE'],
  ['put Order shop=a n=1 hits=3 status=x --yes', "'hits' of Order is a counter"],
  ['put Order shop=a n=1 hits+=3 --yes', 'hits+= changes a row that exists: rowsmith patch'],
  ['put Order stuff --yes', "'stuff' is neither NAME=VALUE nor a row as JSON"],
  ['put Order {"shop":"a","n":1,"@at":1} --yes', 'import it with rowsmith import'],
  ['put Order [1] --yes', "'[1]' is neither NAME=VALUE nor a row as JSON"],
  ['patch Order shop=oslo n=1 --yes', 'nothing is to be changed: add NAME=VALUE'],
  ['patch Order shop=oslo n=1 hits=1 --yes', 'add to it with hits+=AMOUNT'],
  ['patch Order shop=oslo n=1 status+=1 --yes', 'only counters take +='],
  ['patch Order shop=oslo n=1 hits+=x --yes', 'an amount is a whole number'],
  ['patch Order shop=oslo n=1 hits+=1 status=x --yes', 'cannot be written in one request'],
  ['patch Order shop=oslo n=1 tags:=3 --yes', 'tags: 3: '],
  ['delete Order --yes', 'this deletes every row of Order: add values, or --all'],
  ['delete Order --where status=open --yes', 'a --where reads every row of Order'],
  ['delete Order shop=a --all --yes', '--all and values exclude each other'],
  ['delete Order shop=a', 'delete needs --yes where nobody can be asked'],
  // These deleted the rows of the condition, of the index or of the pattern, whatever the key was.
  ['delete Order --key oslo#0001 --where status=open --yes', '--key names one row'],
  ['delete Order --key oslo#0001 --index byStatus --yes', '--key names one row'],
  ['delete Order ofShop --key oslo#0001 --yes', '--key names one row'],
  ['delete Order {"shop":"oslo","n":1} --where status=open --yes', 'JSON names one row'],
  ['delete Order {"shop":"oslo","n":1} ofShop --yes', 'JSON names one row'],
  ['patch Order shop=oslo n=2 hits+=1 hits+=2 --yes', "hits+=2: 'hits' is given twice"],
  ['patch Order shop=oslo n=2 views+=1 {"views":2} --yes', "'views' is given twice"],
  ['patch Order shop=oslo n=2 {"__proto__":{"status":"x"}} --yes', "no property '__proto__'"],
  ['put Order {"shop":"a","n":1,"total":"1","__proto__":{}} --yes', "no property '__proto__'"],
];

test.each(usage)('%s', async (line, text) => {
  const { status, out, err } = await shop.run(line.split(' '));
  expect({ status, out }).toEqual({ status: 2, out: '' });
  expect(text.split('|').some((each) => err.includes(each)) ? '' : err).toBe('');
});

const failures: readonly (readonly [string, string])[] = [
  ['get Order shop=oslo n=10000', 'Order.n'],
  ['put Order shop=a n=10000 status=x --yes', 'Order.n'],
  ['put Order shop=a n=1 --yes', 'no column has a value'],
  [
    'put Order {"shop":"a","n":"1","status":"x"} --yes',
    'n: "1": expected 1, got the string "1"; write it as rowsmith get prints it',
  ],
  [
    'patch Order shop=oslo n=9 status=x --yes',
    'there is no Order with shop=oslo n=9; add --create',
  ],
  ['delete Order shop=oslo n=9 --yes', 'there is no Order with shop=oslo n=9; nothing was deleted'],
  ['get Order shop=oslo n=9', 'rowsmith scan Order shop=oslo lists rows'],
  ['scan Order --url file:./nowhere', 'there is no such directory'],
  ['patch Order shop=a n=1 status=x --yes --url file:./nowhere', 'there is no such directory'],
  ['scan Order --url file:./empty', 'the directory is empty'],
];

test.each(failures)('%s fails', async (line, text) => {
  const { status, out, err } = await shop.run(line.split(' '));
  expect({ status, out, err }).toMatchObject({ status: expect.any(Number) as number, out: '' });
  expect([1, 2]).toContain(status);
  expect(text.split('|').some((each) => err.includes(each)) ? '' : err).toBe('');
});

test('several rows on standard input', async () => {
  const row = '{"shop":"a","n":1,"status":"x"}';
  const { status, err } = await shop.run(['put', 'Order', '-', '--yes'], {
    input: `${row}\n${row}\n`,
  });
  expect(status).toBe(2);
  expect(err).toContain('standard input has several rows, and put writes one');
});

test('errors as JSON', async () => {
  const { status, out, err } = await shop.run(['get', 'Order', 'shop=oslo', 'n=9', '--json']);
  expect({ status, err }).toEqual({ status: 1, err: '' });
  expect(JSON.parse(out)).toEqual({
    error: {
      code: 'ROW_NOT_FOUND',
      message: expect.stringContaining('there is no Order with shop=oslo n=9') as string,
    },
  });
});
