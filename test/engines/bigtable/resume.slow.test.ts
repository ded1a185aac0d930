/**
 * Reads that are resumed after a failure: tables of cases, request by request, and what else a
 * server may do to a read.
 */
import { status } from '@grpc/grpc-js';
import {
  everyKey,
  type KeyRange,
  pointRange,
  rangeFrom,
  RowsmithError,
} from '../../../src/base/index.js';
import { collectRows, copyRow, type ReadPlan, type Row } from '../../../src/data/store/index.js';
import { chunksOf, messageOf, messagesOf } from '../protocol/chunk-messages.js';
import { describeGoogleCases } from '../protocol/google-cases.js';
import {
  readsOf,
  StatusError,
  resetRow,
  scannedTo,
  startReadServer,
  type ReadCall,
  type ReadServer,
  type ReadsUnderTest,
} from './read-server.js';
import { until } from '../../support/until.js';
import { retryCases } from './retry-cases.js';
import {
  row,
  keysOf,
  shown,
  type Respond,
  sends,
  type Script,
  type ReadError,
  planOf,
  planOfSpec,
  responseOf,
  utf8,
} from './scripted-reads.js';

let server: ReadServer;
let under: ReadsUnderTest;

/** Each call gets the next response. */
async function serve(
  responses: readonly Respond[],
  settings: Parameters<typeof readsOf>[1] = {},
  maxAttempts?: number,
): Promise<void> {
  const unexpected: Respond = () =>
    Promise.reject(new StatusError(status.INVALID_ARGUMENT, 'an unexpected request'));
  server = await startReadServer((call) => (responses[call.index] ?? unexpected)(call));
  under = await readsOf(server.address, settings, maxAttempts);
}

afterEach(async () => {
  await under.close();
  await server.close();
});

const read = (plan: Partial<ReadPlan> = {}): Promise<Row[]> =>
  collectRows(under.reads.open({ table: 't', ranges: [everyKey], reversed: false, ...plan }));

async function play({
  plan,
  requests,
  responses,
  maxAttempts,
  ...expected
}: Script): Promise<void> {
  await serve(responses, {}, maxAttempts);
  const rows: Row[] = [];
  let error: ReadError | undefined;
  try {
    const stream = under.reads.open(plan);
    for (let page = await stream.next(); page !== undefined; page = await stream.next())
      while (page.nextRow()) rows.push(copyRow(page));
  } catch (thrown) {
    if (!(thrown instanceof RowsmithError)) throw thrown;
    error = { code: thrown.code, status: thrown.details.status };
  }
  expect(server.calls.map((call) => shown(call.plan))).toEqual(requests.map(shown));
  expect({ rows: keysOf(rows), error }).toEqual({ rows: expected.rows, error: expected.error });
  // Rows that were sent in part have more cells.
  for (const { cells } of rows) expect(cells).toHaveLength(1);
  expect(server.calls.map(({ headers }) => headers.get('bigtable-attempt'))).toEqual(
    server.calls.map((_, i) => [String(i)]),
  );
}

test.each(retryCases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
  const { exchanges, maxAttempts = 3, rows, error } = one;
  await play({
    plan: planOfSpec(one.read ?? exchanges[0].request),
    requests: exchanges.map(({ request }) => planOfSpec(request)),
    responses: exchanges.map(responseOf),
    maxAttempts,
    rows: rows.join(' '),
    error: error && { code: error, status: exchanges.at(-1)!.status },
  });
});

/** A case of Google's read-rows-retry-test.json. */
interface GoogleRetryCase {
  readonly name: string;
  readonly max_retries: number;
  readonly request_options: readonly {
    readonly rowKeys?: readonly string[];
    readonly rowRanges?: readonly Readonly<Record<string, string>>[];
    readonly rowsLimit?: number;
  }[];
  readonly responses: readonly {
    readonly row_keys?: readonly string[];
    readonly end_with_error?: number;
  }[];
  readonly row_keys_read: readonly (readonly string[])[];
  readonly error?: number;
}

describeGoogleCases<GoogleRetryCase>('read-rows-retry-test.json', (cases) => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const requests = one.request_options.map(({ rowKeys = [], rowRanges = [], rowsLimit }) => {
      const bytes = (range: Readonly<Record<string, string>>) =>
        Object.fromEntries(Object.entries(range).map(([name, key]) => [name, utf8(key)]));
      const rows = { rowKeys: rowKeys.map(utf8), rowRanges: rowRanges.map(bytes) };
      return planOf({ rows, rowsLimit });
    });
    await play({
      plan: requests[0],
      requests,
      responses: one.responses.map(({ row_keys: keys = [], end_with_error: end }) =>
        sends(
          keys.map((key) => row(key)),
          end,
        ),
      ),
      maxAttempts: one.max_retries + 1,
      rows: one.row_keys_read.flat().join(' '),
      error:
        one.error === undefined ? undefined : { code: 'UNAVAILABLE', status: status[one.error] },
    });
  });
});

describe('the rest of a read', () => {
  const abc: readonly KeyRange[] = [
    rangeFrom(utf8('a'), utf8('c')),
    pointRange(utf8('d')),
    rangeFrom(utf8('x'), undefined),
  ];

  test('in a reversed read the end of the range moves', async () => {
    await serve([
      sends([row('z'), row('x'), row('d')], status.UNAVAILABLE),
      sends([row('b'), row('a')]),
    ]);
    expect(keysOf(await read({ ranges: abc, reversed: true, limit: 5 }))).toBe('z x d b a');
    expect(shown(server.calls[1].plan)).toEqual(
      shown({ table: 't', ranges: [abc[0]], reversed: true, limit: 2 }),
    );
  });

  test.each([
    ['the limit is met', { limit: 2 }, [row('a'), row('b')]],
    [
      'the last key was read',
      { ranges: [pointRange(utf8('a')), pointRange(utf8('b'))] },
      [row('a'), row('b')],
    ],
    ['the range is complete', { ranges: [rangeFrom(utf8('a'), utf8('b\0'))] }, [row('b')]],
  ] as const)('no further request when %s', async (_what, plan, rows) => {
    await serve([sends(rows, status.UNAVAILABLE)]);
    expect(await read(plan)).toHaveLength(rows.length);
    expect(server.calls).toHaveLength(1);
  });

  test('starts after the last scanned key', async () => {
    await serve(
      [
        async (call) => {
          await sends([row('b')])(call);
          await call.send(scannedTo(utf8('m')));
          throw new StatusError(status.ABORTED);
        },
        async (call) => {
          await call.send(scannedTo(utf8('p')));
          throw new StatusError(status.UNAVAILABLE);
        },
        sends([row('z')]),
      ],
      {},
      2,
    );
    expect(keysOf(await read({ limit: 9 }))).toBe('b z');
    expect(server.calls.map(({ plan }) => shown(plan))).toEqual(
      [everyKey, rangeFrom(utf8('m\0'), undefined), rangeFrom(utf8('p\0'), undefined)].map(
        (range, i) =>
          shown({ table: 't', ranges: [range], reversed: false, limit: i === 0 ? 9 : 8 }),
      ),
    );
  });

  test('a row that was received in part is returned once, complete', async () => {
    const chunks = chunksOf(messagesOf([row('a', 4), row('b', 4)]));
    const half = async (call: ReadCall): Promise<void> => {
      await call.send(messageOf(chunks.slice(0, 6)));
      throw new StatusError(status.UNAVAILABLE);
    };
    await serve([
      half,
      async (call) => {
        await call.send(messageOf(chunks.slice(4, 7)));
        await call.send(resetRow);
        await call.send(messageOf(chunks.slice(4, 5)));
        throw new StatusError(status.DEADLINE_EXCEEDED);
      },
      sends([row('b', 4)]),
    ]);
    expect((await read()).map(({ cells }) => cells.length)).toEqual([4, 4]);
    expect(shown(server.calls[2].plan)).toEqual(
      shown({ table: 't', ranges: [rangeFrom(utf8('a\0'), undefined)], reversed: false }),
    );
  });
});

describe('which errors', () => {
  test.each([status.UNAVAILABLE, status.ABORTED, status.DEADLINE_EXCEEDED])(
    'status %i is retried',
    async (code) => {
      await serve([sends([row('a')], code), sends([row('b')])]);
      expect(keysOf(await read())).toBe('a b');
    },
  );
  test('a broken stream is retried', async () => {
    await serve([
      async (call) => {
        await call.send(messagesOf([row('a')])[0]);
        call.reset();
        await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      },
      async (call) =>
        sends([row(call.plan.ranges[0].start.length === 0 ? 'a' : 'b'), row('c')])(call),
    ]);
    // What was sent just before the reset may be lost.
    expect(['a b c', 'a c']).toContain(keysOf(await read()));
  });
  test.each([
    [status.INVALID_ARGUMENT, 'INVALID_ARGUMENT'],
    [status.NOT_FOUND, 'TABLE_NOT_FOUND'],
    [status.INTERNAL, 'STORAGE_FAILED'],
    [status.FAILED_PRECONDITION, 'FAILED_PRECONDITION'],
  ])('status %i is not retried', async (code, expected) => {
    await serve([
      async () => {
        throw new StatusError(code, 'Table not there');
      },
    ]);
    await expect(read()).rejects.toMatchObject({ code: expected, details: { table: 't' } });
    expect(server.calls).toHaveLength(1);
  });
  test('rows before an error are returned before it', async () => {
    await serve([sends([row('a'), row('b')], status.INVALID_ARGUMENT)]);
    const stream = under.reads.open({ table: 't', ranges: [everyKey], reversed: false });
    const page = await stream.next();
    expect([page?.nextRow(), page?.nextRow(), page?.nextRow()]).toEqual([true, true, false]);
    await expect(stream.next()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await stream.next()).toBeUndefined();
  });
  test('a protocol violation is not retried, and cancels the call', async () => {
    await serve([
      async (call) => {
        await call.send(messageOf(chunksOf(messagesOf([row('b')]))));
        await call.send(messageOf(chunksOf(messagesOf([row('a')]))));
        await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      },
    ]);
    await expect(read()).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      details: { problem: expect.stringContaining('strictly increasing') },
    });
    await until(() => server.calls[0].signal.aborted);
  });
  test('a stream that ends inside a row is an error', async () => {
    await serve([
      async (call) => call.send(messageOf(chunksOf(messagesOf([row('a', 3)])).slice(0, 2))),
    ]);
    await expect(read()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  });
});

describe('timeouts', () => {
  const hang = (call: ReadCall): Promise<void> =>
    new Promise((_resolve, reject) =>
      call.signal.addEventListener('abort', () => reject(new StatusError(status.CANCELLED))),
    );

  test('an attempt without a response is cancelled, and a retry resumes', async () => {
    await serve(
      Array.from({ length: 20 }, () => async (call: ReadCall) => {
        const first = call.plan.ranges[0].start.length === 0;
        await call.send(messagesOf([row(first ? 'a' : 'b')])[0]);
        if (first) await hang(call);
      }),
      { attemptTimeoutMs: 1000 },
    );
    expect(keysOf(await read())).toBe('a b');
    expect(shown(server.calls.at(-1)!.plan)).toEqual(
      shown({ table: 't', ranges: [rangeFrom(utf8('a\0'), undefined)], reversed: false }),
    );
    await until(() => server.calls[0].signal.aborted);
  });
  test('the attempt timeout does not include the backoff', async () => {
    // Six delays from 25 ms on, doubling each time: longer than the attempt timeout.
    await serve(
      [
        ...Array.from({ length: 6 }, () => async () => {
          throw new StatusError(status.UNAVAILABLE);
        }),
        ...Array.from(
          { length: 20 },
          () => async (call: ReadCall) => call.send(messagesOf([row('a')])[0]),
        ),
      ],
      { attemptTimeoutMs: 600 },
    );
    expect(keysOf(await read())).toBe('a');
  });
  test('all attempts together have a timeout', async () => {
    await serve(
      Array.from({ length: 200 }, () => async () => {
        throw new StatusError(status.UNAVAILABLE);
      }),
      { totalTimeoutMs: 2000 },
    );
    await expect(read()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(server.calls.length).toBeGreaterThan(1);
    expect(server.calls.length).toBeLessThan(30);
  });
  test('a read that is aborted during backoff rejects at once', async () => {
    await serve(
      [
        async () => {
          throw new StatusError(status.UNAVAILABLE);
        },
        hang,
      ],
      { totalTimeoutMs: 1_000_000 },
    );
    const abort = new AbortController();
    const stream = under.reads.open(
      { table: 't', ranges: [everyKey], reversed: false },
      { signal: abort.signal },
    );
    const next = stream.next();
    await until(() => server.calls.length === 1);
    abort.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    await expect(stream.next()).rejects.toThrow('enough');
    expect(server.calls.length).toBeLessThanOrEqual(2);
  });
  test('closing the engine rejects a read during backoff', async () => {
    await serve(
      Array.from({ length: 200 }, () => async () => {
        throw new StatusError(status.UNAVAILABLE);
      }),
      { totalTimeoutMs: 1_000_000 },
    );
    const next = expect(read()).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
    await until(() => server.calls.length >= 3);
    await under.close();
    await next;
  });
});
