/**
 * Every field of every published request: what the server does with it is claimed, and documented.
 * request-fields.slow.test.ts shows it by requests that set each field. UPDATE_GOLDEN=1 rewrites
 * docs/request-fields.md.
 */
import { status } from '@grpc/grpc-js';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectCall } from '../raw-client.js';
import { published } from '../../engines/protocol/published.js';
import type { Claim } from './claim.js';
import { requestFieldsDocument } from './document.js';
import {
  checkClaim,
  claimsOf,
  keys,
  merged,
  outcomeOf,
  serve,
  services,
  stateOf,
  untouchedState,
} from './outcomes.js';
import { fieldsOf, methodsOf } from './published-fields.js';
import { tableClaims } from './table-claims.js';

let untouched = '';
beforeAll(async () => {
  untouched = await untouchedState();
});

describe.each(keys)('%s', (key) => {
  const [service] = services[key];

  test('every field of the published requests has a claim, and every claim a field', () => {
    for (const { name, resolvedRequestType } of methodsOf(service)) {
      const method = claimsOf(key)[name];
      if (method === undefined) continue;
      const claimed = Object.keys(method.fields);
      const paths = fieldsOf(resolvedRequestType!).map(({ path }) => path);
      const covers = (claim: string, path: string) =>
        path === claim || path.startsWith(`${claim}.`);
      const unclaimed = paths.filter((path) => !claimed.some((claim) => covers(claim, path)));
      const unknown = claimed.filter((claim) => !paths.some((path) => covers(claim, path)));
      expect({ name, unclaimed, unknown }).toEqual({ name, unclaimed: [], unknown: [] });
    }
  });

  test('each method without claims is UNIMPLEMENTED with each of its fields', async () => {
    const served = await serve();
    for (const { name, resolvedRequestType: type } of methodsOf(service)) {
      if (claimsOf(key)[name] !== undefined) continue;
      for (const { path, value } of fieldsOf(type!)) {
        const request = Buffer.from(
          type!.encode(type!.fromObject({ [path.split('.')[0]]: value })).finish(),
        );
        const { code } = await collectCall(
          served.client.bytes(`/${service}/${name}`, request, 10_000),
        );
        expect({ name, path, code }).toEqual({ name, path, code: status.UNIMPLEMENTED });
      }
    }
    expect(await stateOf(served.client)).toBe(untouched);
    await served.close();
  });
});

/** What is claimed of the kinds of Type as the type of a family; all other kinds are refused. */
const typeClaims: Readonly<Record<string, Claim>> = {
  bytesType: 'kept',
  stringType: 'kept',
  aggregateType: 'served',
};

test('the types of families', async () => {
  const { base } = tableClaims.CreateTable;
  const int64 = { int64Type: { encoding: { bigEndianBytes: {} } } };
  const values: Record<string, object> = { aggregateType: { inputType: int64, sum: {} } };
  const expected = await outcomeOf('tables', 'CreateTable', base);
  const { fieldsArray } = published.lookupType('google.bigtable.admin.v2.Type');
  expect(fieldsArray.length).toBeGreaterThan(10);
  for (const { name } of fieldsArray) {
    const families = { f: { valueType: { [name]: values[name] ?? {} } } };
    const changed = await outcomeOf(
      'tables',
      'CreateTable',
      merged(base, { table: { columnFamilies: families } }),
    );
    checkClaim(typeClaims[name] ?? 'refused', expected, changed, untouched);
  }
});

test('docs/request-fields.md is generated from the claims', () => {
  const path = join(__dirname, '../../../docs/request-fields.md');
  const text = requestFieldsDocument(
    keys.map((key) => ({
      service: services[key][0],
      claims: claimsOf(key),
      methods: methodsOf(services[key][0]).map(({ name }) => name),
    })),
  );
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, text);
  expect(readFileSync(path, 'utf8')).toBe(text);
});
